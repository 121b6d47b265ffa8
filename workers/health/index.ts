/** The health of workers: start-up checks, liveness, readiness, metrics, logs, traces. */
export { requireFitRedis } from './fitness.ts';
export { openTracing } from './tracing.ts';
export { watchedScorers } from './watched-scorers.ts';
export { openWorkerHealth, type WorkerHealth } from './worker-health.ts';
