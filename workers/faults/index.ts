/** Treating the queue badly, and holding what comes out against what `route` gives. */
export { lightFleet } from './fleet.ts';
export { isExact, judge } from './oracle.ts';
export { LineCollector, linesOf } from './queries.ts';
export { kill, startProcess, type WorkerProcess } from './worker-process.ts';
