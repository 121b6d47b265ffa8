/** What people asked about, for as long as they agree and it is new. */
export { type LoggedQuery, logging, type Named, QueryLog, type QueryLogOptions } from './query-log.ts';
