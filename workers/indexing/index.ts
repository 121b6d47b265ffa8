/** Indexing by workers: documents in pieces on a queue of their own, and what is made of them. */
export { indexingBy } from './coordinate.ts';
export { openIndexWorker } from './worker.ts';
