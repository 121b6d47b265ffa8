/** A worker process from its start to its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { scorersOptionsFrom } from '../../cli/index.ts';
import { abortOf, EXIT, installSignals, PragauraError } from '../../common/index.ts';
import { type AccessArguments, accessFrom } from '../../governance/commands/policy-files.ts';
import { JOBS, readPublicKey } from '../../governance/index.ts';
import {
  calibratedOptionsFrom,
  type LoadThresholds,
  type RouterArguments,
} from '../../router/commands/options.ts';
import { openRouter, type Router } from '../../router/index.ts';
import { openScorers } from '../../scorers/index.ts';
import { openWorkerHealth, type WorkerHealth, watchedScorers } from '../health/index.ts';
import { errorFields } from '../health/log.ts';
import { type Decider, deciderOf, type Governed, openWorker, type QueueWorker } from '../worker/index.ts';
import type { HealthArguments } from './health-options.ts';
import { type QueueArguments, redisOf } from './options.ts';

export interface WorkerArguments extends RouterArguments, QueueArguments, HealthArguments, AccessArguments {
  submitterKey: string[] | undefined;
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

/** How often the index is looked at, and after how many looks one that could not be opened is tried again. */
const LOOK_MS = 5_000;
const PATIENCE = 12;

/** A router over one generation of the index, and the worker that decides by it. */
interface Shift {
  router: Router;
  decider: Decider;
  worker: QueueWorker;
}

/**
 * Works until `stop`. Where another generation takes the place of the one that is open, it goes over to that: a second worker begins,
 * and the first goes on until no job of its configuration is left.
 */
async function serve(
  args: WorkerArguments,
  load: LoadThresholds,
  redis: string,
  health: WorkerHealth,
  stop: AbortSignal,
): Promise<number> {
  const rules = rulesOf(args);
  const { log } = health;
  const announce = (detail: string) => log.warn('router.says', { detail });
  const options = await calibratedOptionsFrom(args, load, announce);
  const scorers = await openScorers({ ...scorersOptionsFrom(args, announce), onBatch: health.batched });
  const watched = watchedScorers(scorers, health.scored);
  // A calibration holds for the whole index, and what was learned from all who ask could show what may not be read.
  const { thresholds: _thresholds, defaults: _defaults, ...plain } = options;
  const view: Governed['view'] = (readable) => openRouter({ ...plain, scorers: watched, readable });

  const begin = async (): Promise<Shift> => {
    const router = await openRouter({ ...options, scorers: watched });
    try {
      await health.checkRouter(router);
      const decider = deciderOf(router, { tenant: args.tenant, governed: rules && { ...rules, view } });
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
      return { router, decider, worker };
    } catch (error) {
      await router.close();
      throw error;
    }
  };
  const end = async ({ router, worker }: Shift) => {
    const { finished, handedBack, ms } = await worker.drain(args.drainTimeout * 1000, abortOf(stop));
    log.info('worker.stopped', { worker: worker.id, finished, handedBack, ms });
    await router.close();
  };

  try {
    let now = await begin();
    /** Those that work off what was submitted to them. */
    const leaving: Promise<void>[] = [];
    try {
      for (let looks = PATIENCE; !stop.aborted; looks += 1) {
        const index = await look(now.router);
        health.looked(index);
        const isOld = !PragauraError.isInstance(index) && index.generation !== 'current';
        if (isOld && looks >= PATIENCE) {
          looks = 0;
          try {
            const before = now;
            now = await begin();
            const same = now.decider.configuration === before.decider.configuration;
            const left = (same ? Promise.resolve() : before.worker.leave(stop)).then(() => end(before));
            // Whatever fails is told at the end: until then the new generation is worked for.
            left.catch(() => {});
            leaving.push(left);
            looks = PATIENCE;
          } catch (error) {
            // With its generation gone it can decide nothing, and with what is there now it may not.
            const hopeless = index.generation === 'gone' && !passes(error);
            if (hopeless) throw error;
            log.warn('index.stale', errorFields(error));
          }
        }
        await sleep(LOOK_MS, undefined, { signal: stop }).catch(() => {});
      }
    } finally {
      health.draining();
      await Promise.all([end(now), ...leaving]);
    }
    return abortOf(stop)?.aborted ? EXIT.INTERRUPTED : EXIT.OK;
  } finally {
    await scorers.close();
  }
}

/** How the index is, or why that cannot be told. */
async function look(router: Router): Promise<Awaited<ReturnType<Router['health']>> | PragauraError> {
  try {
    return await router.health();
  } catch (error) {
    if (PragauraError.isInstance(error)) return error;
    throw error;
  }
}

/** Whether what failed may go well another time. */
function passes(error: unknown): boolean {
  return PragauraError.isInstance(error) && error.exitCode === EXIT.UNAVAILABLE;
}

/** Throws USAGE for a policy without keys and for keys without one, and what reading either throws. */
function rulesOf(args: WorkerArguments): Omit<Governed, 'view'> | undefined {
  const access = accessFrom(args);
  const { submitterKey: files = [] } = args;
  if (access === null && files.length === 0) return undefined;
  if (access === null) {
    throw new PragauraError(
      'USAGE',
      '--submitter-key says who may tell who asks: say --policy-file FILE, which rules by it.',
    );
  }
  if (files.length === 0) {
    throw new PragauraError('USAGE', 'Whose word is taken for who asks? Say --submitter-key FILE.', {
      hint: '"pragaura queue key" prints the public key of those who submit.',
    });
  }
  return { access, submitters: files.map((file) => readPublicKey(file, JOBS)) };
}
