/**
 * What Prometheus may read. Every label has a fixed set of values (acts, stages, actions, reasons, error codes,
 * states), so that no query, tenant or id can make a new series; text from a job is never a label.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { ERROR_CODES } from '../../common/index.ts';
import type { Decision } from '../../router/index.ts';
import type { Batch } from '../../scorers/index.ts';
import { type JobError, type JobSight, type JobTimings, PRIORITIES } from '../types.ts';
import { actLabel, decisionCounter, gauge, known } from './decision-metrics.ts';

const STAGES: readonly string[] = ['embed', 'act', 'retrieve', 'judge', 'nli', 'decide', 'total'];
const CODES: readonly string[] = Object.keys(ERROR_CODES);
const JOBS = ['embed', 'rerank', 'read', 'nli'] as const;
export type ScoringJob = (typeof JOBS)[number];

/** Seconds, from a millisecond to ten seconds. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Seconds that a job may wait in a queue: up to an hour. */
const WAITS = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600];
const DELAYS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5];
const SHARES = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const ITEMS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

const QUEUE_STATES = ['waiting', 'active', 'delayed', 'dead', 'uncollected', 'collected'] as const;

/**
 * Jobs by state (`dead`: given up), results that nobody has read and those that are kept though read; null when Redis
 * did not answer in time.
 */
export type QueueCounts = () => Promise<
  (Record<(typeof QUEUE_STATES)[number], number> & { paused: boolean }) | null
>;

export interface Conditions {
  ready: () => boolean;
  inFlight: () => number;
}

/** The metrics of one worker, in a registry of their own. */
export class Metrics {
  readonly registry = new Registry();
  readonly #stages: Histogram<'stage' | 'act'>;
  readonly #waits: Histogram<'priority'>;
  readonly #services: Histogram<'priority'>;
  readonly #stores: Histogram;
  readonly #decided: (decision: Decision) => void;
  readonly #failures: Counter<'code' | 'final'>;
  readonly #attempts: Counter;
  readonly #stalls: Counter;
  readonly #heartbeats: Counter;
  readonly #redisErrors: Counter;
  readonly #scoring: Histogram<'job'>;
  readonly #pending: Histogram<'job'>;
  readonly #sequences: Histogram<'model'>;
  readonly #fill: Histogram<'model'>;
  readonly #loop: { stop(): void };

  constructor(options: { conditions: Conditions; counts: QueueCounts }) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Counter<L>({ name, help, labelNames, registers });
    const histogram = <L extends string>(
      name: string,
      help: string,
      buckets: number[],
      labelNames: readonly L[] = [],
    ) => new Histogram<L>({ name, help, buckets, labelNames, registers });

    this.#stages = histogram(
      'pragaura_stage_seconds',
      'Time of each stage of a decision, by speech act',
      SECONDS,
      ['stage', 'act'],
    );
    this.#waits = histogram('pragaura_wait_seconds', 'From submission to being taken up', WAITS, [
      'priority',
    ]);
    this.#services = histogram('pragaura_service_seconds', 'In the router', SECONDS, ['priority']);
    this.#stores = histogram('pragaura_store_seconds', 'Until the result was stored in Redis', SECONDS);
    this.#decided = decisionCounter(registers);
    this.#failures = counter(
      'pragaura_job_failures_total',
      'Attempts that failed, by error; final: the last one',
      ['code', 'final'],
    );
    this.#attempts = counter('pragaura_jobs_started_total', 'Jobs taken up, retries among them');
    this.#stalls = counter('pragaura_jobs_stalled_total', 'Jobs whose lock ran out');
    this.#heartbeats = counter('pragaura_heartbeats_total', 'Heartbeat jobs processed');
    this.#redisErrors = counter('pragaura_redis_errors_total', 'Connections to Redis lost or failing');
    this.#scoring = histogram(
      'pragaura_scoring_items',
      'Texts or pairs handed to the scorers in one call',
      ITEMS,
      ['job'],
    );
    this.#pending = histogram(
      'pragaura_scoring_pending_items',
      'Texts or pairs of all queries from which the micro-batcher fills its batches, at each call',
      ITEMS,
      ['job'],
    );
    this.#sequences = histogram(
      'pragaura_batch_sequences',
      'Sequences in one batch of the micro-batcher',
      ITEMS,
      ['model'],
    );
    this.#fill = histogram(
      'pragaura_batch_fill',
      'Word pieces of a batch as a share of the most that it may have',
      SHARES,
      ['model'],
    );
    const loop = histogram(
      'pragaura_event_loop_delay_seconds',
      'How late the event loop of the Redis thread comes round',
      DELAYS,
    );
    this.#loop = sampleLoopDelay((seconds) => loop.observe(seconds));
    this.#gauges(options.conditions, options.counts);
  }

  #gauges({ ready, inFlight }: Conditions, counts: QueueCounts): void {
    const registers = [this.registry];
    gauge(registers, 'pragaura_ready', '1 when models are loaded, canaries passed and Redis answers', () =>
      Number(ready()),
    );
    gauge(registers, 'pragaura_jobs_in_flight', 'Jobs that this worker works on', inFlight);
    // Each asks for itself: metrics are collected side by side, and `counts` asks Redis only once for all.
    gauge(registers, 'pragaura_redis_up', '1 when Redis answered this scrape', async () =>
      Number((await counts()) !== null),
    );
    gauge(registers, 'pragaura_queue_paused', '1 while the queue is paused', async () =>
      Number((await counts())?.paused ?? false),
    );
    new Gauge({
      name: 'pragaura_queue_jobs',
      help: 'Jobs and results of the queue by state; each worker tells the same: take the max, not the sum',
      labelNames: ['state'],
      registers,
      async collect() {
        const found = await counts();
        // No number rather than an old one.
        this.reset();
        if (found !== null) for (const state of QUEUE_STATES) this.set({ state }, found[state]);
      },
    });
  }

  started(job: JobSight): void {
    this.#attempts.inc();
    this.#waits.observe({ priority: known(PRIORITIES, job.priority) }, Math.max(0, job.waitedMs) / 1000);
  }

  finished(job: JobSight, decision: Decision, timings: JobTimings): void {
    const act = actLabel(decision);
    for (const [stage, ms] of Object.entries(decision.timings)) {
      this.#stages.observe({ stage: known(STAGES, stage), act }, ms / 1000);
    }
    this.#decided(decision);
    this.#services.observe({ priority: known(PRIORITIES, job.priority) }, timings.routed / 1000);
    this.#stores.observe(timings.stored / 1000);
  }

  failed(error: JobError, final: boolean): void {
    this.#failures.inc({ code: known(CODES, error.code), final: String(final) });
  }

  heartbeat(): void {
    this.#heartbeats.inc();
  }

  stalled(): void {
    this.#stalls.inc();
  }

  redisError(): void {
    this.#redisErrors.inc();
  }

  /** A call to the scorers: how many items, and how many of all calls wait or run with it. */
  batched({ model, sequences, fill }: Batch): void {
    this.#sequences.observe({ model }, sequences);
    this.#fill.observe({ model }, fill);
  }

  scored(job: ScoringJob, items: number, pending: number): void {
    this.#scoring.observe({ job }, items);
    this.#pending.observe({ job }, pending);
  }

  close(): void {
    this.#loop.stop();
    this.registry.clear();
  }
}

/** How late the event loop comes round, as a stream of samples. */
const TICK_MS = 20;
/** A stop longer than this many ticks is counted as so many: a laptop that slept is no measurement. */
const MOST_TICKS = 3000;

/**
 * Calls `record` with the lateness, in seconds, of a timer that should fire every 20 ms. A loop that stood still for
 * a second has missed fifty ticks, and all of them are recorded (980 ms late, 960, …): otherwise the worst moments
 * would be those with the fewest samples.
 */
function sampleLoopDelay(record: (seconds: number) => void): { stop(): void } {
  let due = performance.now() + TICK_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    const late = Math.max(0, now - due);
    const missed = Math.min(MOST_TICKS, Math.floor(late / TICK_MS));
    for (let i = 0; i <= missed; i += 1) record((late - i * TICK_MS) / 1000);
    // Node's interval starts anew from when it fired.
    due = now + TICK_MS;
  }, TICK_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
