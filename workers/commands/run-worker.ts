/** A worker process from its start to its end. */
import { once } from 'node:events';
import { scorersOptionsFrom } from '../../cli/index.ts';
import { abortOf, EXIT, installSignals, PragauraError } from '../../common/index.ts';
import { type AccessArguments, accessFrom } from '../../governance/commands/policy-files.ts';
import { JOBS, readPublicKey } from '../../governance/index.ts';
import {
  calibratedOptionsFrom,
  type LoadThresholds,
  type RouterArguments,
} from '../../router/commands/options.ts';
import { openRouter } from '../../router/index.ts';
import { openScorers } from '../../scorers/index.ts';
import { openWorkerHealth, type WorkerHealth, watchedScorers } from '../health/index.ts';
import { deciderOf, type Governed, openWorker } from '../worker/index.ts';
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
  try {
    const watched = watchedScorers(scorers, health.scored);
    const router = await openRouter({ ...options, scorers: watched });
    // A calibration holds for the whole index, and what was learned from all who ask could show what may not be read.
    const { thresholds: _thresholds, defaults: _defaults, ...plain } = options;
    await health.checkRouter(router);
    const view: Governed['view'] = (readable) => openRouter({ ...plain, scorers: watched, readable });
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
    if (!stop.aborted) await once(stop, 'abort');
    health.draining();
    const { finished, handedBack, ms } = await worker.drain(args.drainTimeout * 1000, abortOf(stop));
    log.info('worker.stopped', { worker: worker.id, finished, handedBack, ms });
    return abortOf(stop)?.aborted ? EXIT.INTERRUPTED : EXIT.OK;
  } finally {
    await scorers.close();
  }
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
  if (args.backend !== undefined) {
    throw new PragauraError(
      'USAGE',
      'What somebody may not read cannot be left out of an index in an engine.',
      {
        hint: 'Leave out --backend, or --policy-file.',
      },
    );
  }
  if (files.length === 0) {
    throw new PragauraError('USAGE', 'Whose word is taken for who asks? Say --submitter-key FILE.', {
      hint: '"pragaura queue key" prints the public key of those who submit.',
    });
  }
  return { access, submitters: files.map((file) => readPublicKey(file, JOBS)) };
}
