/** The worker: takes jobs up, has them decided, and writes what came of them. */
export type { Decider, DrainReport, QueueWorker, WorkerOptions } from './types.ts';
