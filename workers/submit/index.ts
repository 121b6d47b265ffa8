/** Putting queries in line. */
export { Answers } from './answers.ts';
export { type LedgerJob, readLedger } from './ledger.ts';
export { runSubmit, type SubmitOptions } from './run.ts';
export { type Asker, Submitter } from './submitter.ts';
