/** The worker: takes jobs up, has them decided, and writes what came of them. */
export { deciderOf, type Governed } from './decider.ts';
export { openWorker } from './open.ts';
export type { Decider, QueueWorker, WorkerOptions } from './types.ts';
