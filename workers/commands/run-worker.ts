/** A worker process from its start to its end. */
import { once } from 'node:events';
import { scorersOptionsFrom } from '../../cli/index.ts';
import { abortOf, EXIT, installSignals } from '../../common/index.ts';
import {
  calibratedOptionsFrom,
  type LoadThresholds,
  type RouterArguments,
} from '../../router/commands/options.ts';
import { openRouter } from '../../router/index.ts';
import { openScorers } from '../../scorers/index.ts';
import { openWorkerHealth, type WorkerHealth, watchedScorers } from '../health/index.ts';
import { deciderOf, openWorker } from '../worker/index.ts';
import type { HealthArguments } from './health-options.ts';
import { type QueueArguments, redisOf } from './options.ts';

export interface WorkerArguments extends RouterArguments, QueueArguments, HealthArguments {
  calibration: string | undefined;
  concurrency: number;
  drainTimeout: number;
  rateLimit: number | undefined;
  lock: number;
  keepResults: number;
  keepDays: number;
}

/** Works until a signal ends it, and gives the exit code. Throws what opening Redis, index and models throws. */
export async function runWorker(args: WorkerArguments, load: LoadThresholds): Promise<number> {
  let health: WorkerHealth | null = null;
  // Signals are heard from the start: loading models takes a second.
  const signals = installSignals((detail) => health?.log.info('worker.signal', { detail }));
  const redis = redisOf(args);
  try {
    health = await openWorkerHealth(args, {
      redis,
      queue: args.queue,
      write: (line) => process.stderr.write(line),
      signal: signals.signal,
    });
    await health.checkRedis();
    if (signals.signal.aborted) return EXIT.OK;
    return await serve(args, load, redis, health, signals.signal);
  } finally {
    await health?.close();
    signals.dispose();
  }
}

async function serve(
  args: WorkerArguments,
  load: LoadThresholds,
  redis: string,
  health: WorkerHealth,
  stop: AbortSignal,
): Promise<number> {
  const { log } = health;
  const announce = (detail: string) => log.warn('router.says', { detail });
  const options = await calibratedOptionsFrom(args, load, announce);
  const scorers = await openScorers({ ...scorersOptionsFrom(args, announce), onBatch: health.batched });
  try {
    const router = await openRouter({ ...options, scorers: watchedScorers(scorers, health.scored) });
    await health.checkRouter(router);
    const decider = deciderOf(router, args.tenant);
    const worker = await openWorker({
      redis,
      queue: args.queue,
      decider,
      concurrency: args.concurrency,
      lockMs: args.lock * 1000,
      retention: { results: args.keepResults, ms: args.keepDays * 86_400_000 },
      observer: health.observer,
      patience: health.patience,
      say: health.patience.say,
      ...(args.rateLimit === undefined ? {} : { rateLimit: args.rateLimit }),
      ...(health.telemetry === undefined ? {} : { telemetry: health.telemetry }),
    });
    await health.taking(worker, decider);
    log.info('worker.ready', { worker: worker.id, configuration: decider.configuration });
    if (!stop.aborted) await once(stop, 'abort');
    health.draining();
    const { finished, handedBack, ms } = await worker.drain(args.drainTimeout * 1000, abortOf(stop));
    log.info('worker.stopped', { worker: worker.id, finished, handedBack, ms });
    return abortOf(stop)?.aborted ? EXIT.INTERRUPTED : EXIT.OK;
  } finally {
    await scorers.close();
  }
}
