/** The BullMQ queue of one configuration, as far as we use it. */
import { type Job, Queue, type Telemetry } from 'bullmq';
import { HEARTBEAT, QueryJob, ROUTE } from '../types.ts';
import type { RedisClient } from './connect.ts';
import { keysOf, laneName } from './names.ts';
import type { NewJob } from './store.ts';

export interface LaneOptions {
  client: RedisClient;
  queue: string;
  configuration: string;
  telemetry?: Telemetry | undefined;
}

/** Tries of a job whose failures may pass, and the waiting between them: doubled each time, half of it at random. */
export interface Tries {
  attempts: number;
  backoffMs: number;
}

export const TRIES: Tries = { attempts: 5, backoffMs: 500 };

export interface LaneCounts {
  waiting: number;
  active: number;
  delayed: number;
  dead: number;
  paused: boolean;
}

/** A job that is put in line. `name`: what kind it is, where it is no query. */
type AddedJob = Pick<NewJob, 'jobId' | 'priority'> & { data: unknown; name?: string };

/** How a job stands that was added and is not done. */
export interface JobState {
  /** Why it will not be tried again; null while it waits or is worked on. */
  failed: string | null;
  /** What its worker said of it last, as JSON. */
  said: string | null;
}

/** A job that will not be tried again. Never its query. */
export interface DeadLetter {
  jobId: string;
  tenant: string | null;
  id: string | null;
  reason: string;
  attempts: number;
  failedAt: number | null;
}

const KEEP_DEAD = { age: 30 * 24 * 3600, count: 10_000 };

/** Ids of queries begin with a "q". */
const BEAT = 'beat-';

export class Lane {
  readonly configuration: string;
  readonly #queue: Queue;
  readonly #client: RedisClient;
  readonly #waitKey: string;
  readonly #name: string;

  constructor({ client, queue, configuration, telemetry }: LaneOptions) {
    this.configuration = configuration;
    this.#client = client;
    this.#name = queue;
    this.#waitKey = `${keysOf(queue).lane(configuration)}wait`;
    this.#queue = new Queue(laneName(configuration), {
      connection: client,
      prefix: keysOf(queue).prefix,
      ...(telemetry === undefined ? {} : { telemetry }),
    });
    // Failures of commands are thrown where they were given; those of the connection mend themselves.
    this.#queue.on('error', () => {});
  }

  /** Adds jobs in one round trip. Those whose id is known are passed over. */
  async add(jobs: readonly AddedJob[], { attempts, backoffMs }: Tries = TRIES): Promise<void> {
    const all = jobs.map(({ jobId, priority, data, name = ROUTE }) => ({
      name,
      data,
      opts: {
        jobId,
        priority,
        attempts,
        backoff: { type: 'exponential', delay: backoffMs, jitter: 0.5 },
        // Its result is kept elsewhere; a job that outlived its result could not be submitted again.
        removeOnComplete: true,
        removeOnFail: KEEP_DEAD,
        // Stacks may quote what was being worked on.
        stackTraceLimit: 0,
      },
    }));
    const [first] = all;
    // A transaction around one script would cost as much again as the script.
    if (all.length === 1) await this.#queue.add(first!.name, first!.data, first!.opts);
    else await this.#queue.addBulk(all);
  }

  /** Adds a job that proves that somebody takes jobs up; at most one of a sender waits at a time. */
  async beat(sender: string, data: unknown): Promise<void> {
    await this.#queue.add(HEARTBEAT, data, {
      jobId: `${BEAT}${sender}`,
      removeOnComplete: true,
      removeOnFail: true,
    });
  }

  async counts(): Promise<LaneCounts> {
    const [counts, paused, front] = await Promise.all([
      this.#queue.getJobCounts('wait', 'prioritized', 'active', 'delayed', 'failed'),
      this.#queue.isPaused(),
      // Queries wait by priority; here are heartbeats, and what came back from a worker that is gone.
      this.#client.lrange(this.#waitKey, 0, 9_999),
    ]);
    const beats = front.filter((jobId) => jobId.startsWith(BEAT)).length;
    const of = (name: string) => counts[name] ?? 0;
    return {
      waiting: of('wait') + of('prioritized') - beats,
      active: of('active'),
      delayed: of('delayed'),
      dead: of('failed'),
      paused,
    };
  }

  async pause(): Promise<void> {
    await this.#queue.pause();
  }

  async resume(): Promise<void> {
    await this.#queue.resume();
  }

  async dead(start: number, end: number): Promise<DeadLetter[]> {
    return (await this.#queue.getFailed(start, end)).filter((job) => job !== undefined).map(letterOf);
  }

  /** How jobs stand, null for those that are done or unknown. */
  async states(jobIds: readonly string[]): Promise<(JobState | null)[]> {
    const prefix = keysOf(this.#name).lane(this.configuration);
    const found = jobIds.map((jobId) =>
      this.#client.hmget(`${prefix}${jobId}`, 'timestamp', 'finishedOn', 'failedReason', 'progress'),
    );
    return (await Promise.all(found)).map(([added, finished, reason, said]) =>
      added === null ? null : { failed: finished === null ? null : (reason ?? ''), said: said ?? null },
    );
  }

  /** A job, in whatever state. */
  async find(jobId: string): Promise<{ jobId: string; data: unknown } | null> {
    const job = await this.#job(jobId);
    return job === null ? null : { jobId, data: job.data };
  }

  /**
   * Puts a dead letter back in line, with all its tries; false where it is none. `before` is called when the job is sure
   * to be one of ours, and before any worker can take it.
   */
  async retry(jobId: string, before?: () => Promise<void>): Promise<boolean> {
    const job = await this.#job(jobId);
    if (job === null || !(await job.isFailed())) return false;
    const data = QueryJob.safeParse(job.data);
    if (data.success) {
      await job.updateData({ ...data.data, generation: data.data.generation + 1, deadlineAt: null });
      await before?.();
    }
    await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
    return true;
  }

  /** Queries that nobody works on: some of them, as many as there are or about so many. */
  async waiting(most: number): Promise<{ jobId: string; data: unknown }[]> {
    const jobs = await this.#queue.getJobs(['wait', 'prioritized', 'delayed'], 0, most - 1, true);
    const queries = jobs.filter((job) => job !== undefined && job.name !== HEARTBEAT);
    return queries.map((job) => ({ jobId: job.id!, data: job.data }));
  }

  /** False where somebody works on the job. */
  async remove(jobId: string): Promise<boolean> {
    const job = await this.#job(jobId);
    if (job === null) return true;
    try {
      await job.remove();
      return true;
    } catch (error) {
      if (await job.isActive()) return false;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#queue.close();
  }

  async #job(jobId: string): Promise<Job | null> {
    return (await this.#queue.getJob(jobId)) ?? null;
  }
}

function letterOf(job: Job): DeadLetter {
  const data = QueryJob.safeParse(job.data);
  return {
    jobId: job.id!,
    tenant: data.success ? data.data.tenant : null,
    id: data.success ? data.data.query.id : null,
    reason: job.failedReason ?? '',
    attempts: job.attemptsStarted,
    failedAt: job.finishedOn ?? null,
  };
}
