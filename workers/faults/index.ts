/** Treating the queue badly, and holding what comes out against what `route` gives. */
export { lightDecider } from './light-decider.ts';
export { isExact, judge } from './oracle.ts';
export { queryFor, routed } from './queries.ts';
export { builtFile, kill, startProcess, type WorkerProcess } from './worker-process.ts';
