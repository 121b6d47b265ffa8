/** Decisions over HTTP: one process, several collections, callers with keys. */
export { openScorers } from '../scorers/index.ts';
export { type Log, openLog } from '../workers/health/log.ts';
export type { CollectionOptions } from './collections.ts';
export { createKey, type Key, type KeyWish, readKeys, revokeKey, rotateKey } from './keys.ts';
export { type RemoteOptions, remoteRouter } from './remote.ts';
export { openServer, type Server, type ServerOptions } from './server.ts';
