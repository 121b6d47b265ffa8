/** Putting queries in line. */
export { type LedgerJob, readLedger } from './ledger.ts';
export { runSubmit, type SubmitOptions } from './run.ts';
