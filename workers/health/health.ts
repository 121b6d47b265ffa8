/** The health of one worker: what it tells is turned into liveness, readiness, metrics and log lines. */
import { PragauraError } from '../../common/index.ts';
import type { Router } from '../../router/index.ts';
import type { Batch } from '../../scorers/index.ts';
import type { Observer } from '../types.ts';
import { Liveness, type LivenessProbe, startHeartbeats } from './liveness.ts';
import { errorFields, type Log } from './log.ts';
import { Metrics, type QueueCounts, type ScoringJob } from './metrics.ts';
import { type Handler, json, startHealthServer } from './server.ts';

/** Where the dashboard is, under the health server. */
export const DASHBOARD_PATH = '/dashboard';
const HEARTBEAT_MS = 5000;
const SILENCE_MS = 60_000;

type IndexHealth = Awaited<ReturnType<Router['health']>>;

export interface HealthOptions {
  log: Log;
  /** Without it there is no server. `port` 0: any free one. `dashboard`: whether there will be one. */
  server?: { host: string; port: number; dashboard: boolean } | undefined;
  /** Without a job for so long, and jobs to be had, a worker is not alive; default 60 s. */
  silenceMs?: number;
}

/** The queue that a worker takes jobs from; known when its models are loaded. */
export interface WatchedQueue {
  counts: QueueCounts;
  probe: LivenessProbe;
  /** Jobs that the worker works on now. */
  active: () => number;
  /** Adds a heartbeat job. */
  beat: () => Promise<unknown>;
  /** On average, from one heartbeat to the next; default 5 s. */
  heartbeatMs?: number;
  dashboard?: Handler;
}

export interface Health {
  /** For the worker: each method is quick and throws nothing. */
  readonly observer: Required<Observer>;
  readonly readiness: Readiness;
  /** For `watchedScorers`. */
  readonly scored: (job: ScoringJob, items: number, pending: number) => void;
  /** For `openScorers`. */
  readonly batched: (batch: Batch) => void;
  /** Of the server; null where none was asked for. */
  readonly url: string | null;
  /** The worker takes jobs of this queue and no longer of another: heartbeats are added, and their absence counts. */
  taking(queue: WatchedQueue): void;
  /** What was seen of the index: how it is, or why that could not be told. */
  looked(index: IndexHealth | PragauraError): void;
  /** The worker takes no more jobs: it is not ready any more, and not dead either. */
  draining(): void;
  close(): Promise<void>;
}

/** Starts the server at once, so that a worker that is still loading is seen as alive and not ready. */
export async function openHealth(options: HealthOptions): Promise<Health> {
  const { log } = options;
  let queue: WatchedQueue | null = null;
  let watched = false;
  let leaving = false;
  let heartbeats: { stop(): void } | null = null;
  const readiness = new Readiness();
  const liveness = new Liveness({
    probe: { ask: async () => queue!.probe.ask() },
    silenceMs: options.silenceMs ?? SILENCE_MS,
  });
  const metrics = new Metrics({
    conditions: { ready: () => readiness.report().ready, inFlight: () => queue?.active() ?? 0 },
    counts: async () => (queue === null ? null : queue.counts()),
  });

  const healthz = async () => {
    // A worker that loads, or drains, takes no jobs and is none the worse for it.
    const report = watched ? await liveness.report() : { alive: true, silentMs: 0, state: 'idle' as const };
    return json(report.alive ? 200 : 503, report);
  };
  const readyz = async () => {
    const report = readiness.report();
    return json(report.ready ? 200 : 503, report);
  };
  const server =
    options.server &&
    (await startHealthServer({
      host: options.server.host,
      port: options.server.port,
      failed: (error) => log.error('health.failed', errorFields(error)),
      routes: {
        '/healthz': healthz,
        '/readyz': readyz,
        '/metrics': async () => ({
          status: 200,
          type: metrics.registry.contentType,
          body: await metrics.registry.metrics(),
        }),
      },
      dashboard: options.server.dashboard
        ? { path: DASHBOARD_PATH, handler: () => queue?.dashboard ?? null }
        : undefined,
    }).catch((error: unknown) => {
      metrics.close();
      throw error;
    }));

  return {
    observer: observerOf(log, metrics, liveness, readiness, () => leaving),
    readiness,
    scored: (job, items, pending) => metrics.scored(job, items, pending),
    batched: (batch) => metrics.batched(batch),
    url: server?.url ?? null,
    taking(given) {
      heartbeats?.stop();
      queue = given;
      watched = true;
      liveness.sign();
      readiness.set('taking', true);
      heartbeats = startHeartbeats({
        add: given.beat,
        everyMs: given.heartbeatMs ?? HEARTBEAT_MS,
        failed: (error) => log.warn('heartbeat.failed', errorFields(error)),
      });
    },
    looked: indexWatch(log, readiness),
    draining() {
      watched = false;
      leaving = true;
      readiness.set('taking', false);
      heartbeats?.stop();
    },
    async close() {
      heartbeats?.stop();
      await server?.close();
      metrics.close();
    },
  };
}

/** What changed is logged: the same again would drown the rest. */
function indexWatch(log: Log, readiness: Readiness): Health['looked'] {
  let before = 'ok';
  return (index) => {
    const failed = PragauraError.isInstance(index);
    const state = failed ? 'unavailable' : index.generation === 'gone' ? 'gone' : index.state;
    readiness.set('index', state === 'ok' || state === 'degraded');
    if (state === before) return;
    before = state;
    const fields = failed ? errorFields(index) : { detail: index.detail };
    if (state === 'ok') log.info('index.ok', fields);
    else log.warn(`index.${state}`, fields);
  };
}

function observerOf(
  log: Log,
  metrics: Metrics,
  liveness: Liveness,
  readiness: Readiness,
  isLeaving: () => boolean,
): Required<Observer> {
  return {
    started(job) {
      liveness.sign();
      metrics.started(job);
      log.debug('job.started', { job: job.jobId, priority: job.priority, attempt: job.attempt });
    },
    finished(job, decision, timings) {
      liveness.sign();
      metrics.finished(job, decision, timings);
      log.debug('job.decided', {
        job: job.jobId,
        action: decision.action,
        act: decision.act.label,
        reason: decision.clarification?.reason ?? decision.abstention?.reason,
        attempt: job.attempt,
        waitedMs: timings.waited,
        routedMs: timings.routed,
        storedMs: timings.stored,
      });
    },
    failed(job, error, final) {
      liveness.sign();
      metrics.failed(error, final);
      // The message may quote the query; it stands in the job's result.
      log.warn('job.failed', { job: job.jobId, code: error.code, attempt: job.attempt, final });
    },
    heartbeat() {
      liveness.sign();
      metrics.heartbeat();
    },
    stalled(jobId) {
      metrics.stalled();
      log.warn('job.stalled', { job: jobId });
    },
    redis(event, error) {
      // An error alone does not end a connection.
      if (event !== 'error') readiness.set('redis', event === 'ready');
      // A worker that leaves closes its connections itself.
      if (event === 'lost' && isLeaving()) return;
      if (event !== 'ready') metrics.redisError();
      if (event === 'ready') log.info('redis.ready');
      else log.warn(`redis.${event}`, { message: error?.message });
    },
  };
}

/** Whether a worker should be given work: models loaded, canaries passed, Redis and the index there, not on its way out. */
const CONDITIONS = ['models', 'canaries', 'redis', 'index', 'taking'] as const;
type Condition = (typeof CONDITIONS)[number];

class Readiness {
  readonly #met = new Map<Condition, boolean>(CONDITIONS.map((condition) => [condition, false]));

  set(condition: Condition, met: boolean): void {
    this.#met.set(condition, met);
  }

  report(): { ready: boolean; conditions: Record<Condition, boolean> } {
    const conditions = Object.fromEntries(this.#met) as Record<Condition, boolean>;
    return { ready: Object.values(conditions).every(Boolean), conditions };
  }
}
