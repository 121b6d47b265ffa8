/** What lies in Redis beside BullMQ's own keys: results, retention, turns of the tenants, announcements. */
import { createHash, randomUUID } from 'node:crypto';
import { messageOf, PragauraError } from '../../common/index.ts';
import { JobResult, type Priority, type QueryJob } from '../types.ts';
import type { RedisClient } from './connect.ts';
import { keysOf, type QueueKeys } from './names.ts';
import { ADMIT, COLLECT, EXPIRE, FINISH, FORGET, KEEP } from './scripts.ts';

/** BullMQ knows priorities to 2^21; interactive jobs have the first half. */
const CLASS_SIZE = 2 ** 20 - 1;
const OFFSETS: Record<Priority, number> = { interactive: 0, bulk: CLASS_SIZE };

export type Verdict =
  | { state: 'new'; priority: number }
  /**
   * Known: it waits or is worked on, has a result, or is a dead letter whose error is kept no more. `digest` of the query
   * that it was submitted with.
   */
  | { state: 'queued' | 'finished' | 'dead'; digest: string };

export interface Admission {
  /** Another one than before: Redis came back empty, or is another Redis. */
  epoch: string;
  /** Milliseconds since 1970 by the clock of Redis. */
  now: number;
  /** `waiting`: enough jobs wait; `full`: results that nobody has read take up the room. Then there are no verdicts. */
  room: 'ok' | 'waiting' | 'full';
  verdicts: Verdict[];
}

export interface Retention {
  /** Results that are kept; beyond it those go that were read, and nothing new is admitted when none were. */
  results: number;
  /** Milliseconds after which a result goes, read or not. */
  ms: number;
}

/** What a worker says of itself, every few seconds. */
export interface Announcement {
  worker: string;
  host: string;
  pid: number;
  configuration: string;
  /** What the configuration is the hash of, for people. */
  made: unknown;
  /** By the clock of Redis. */
  startedAt: number;
  seenAt: number;
}

export interface DoneEntry {
  entry: string;
  jobId: string;
  tenant: string;
}

export class QueueStore {
  readonly keys: QueueKeys;
  readonly #client: RedisClient;
  /** Of the clock of Redis to that of this machine, in milliseconds. */
  #ahead = 0;

  constructor(client: RedisClient, queue: string) {
    this.keys = keysOf(queue);
    this.#client = client;
  }

  /** Milliseconds since 1970 by the clock of Redis, as last compared. */
  now(): number {
    return Math.round(Date.now() + this.#ahead);
  }

  /** Compares clocks; returns by how many milliseconds that of Redis is ahead of this machine's. */
  async compareClocks(): Promise<number> {
    const before = Date.now();
    const [seconds, micros] = await this.#client.time();
    this.#ahead = Number(seconds) * 1000 + Number(micros) / 1000 - (before + Date.now()) / 2;
    return this.#ahead;
  }

  /** Looks at jobs of one class before they are added. */
  async admit(
    configuration: string,
    priority: Priority,
    jobs: readonly { jobId: string; tenant: string }[],
    mostWaiting: number,
  ): Promise<Admission> {
    const { results, collected, meta, fair, lane, configurations } = this.keys;
    const [epoch, now, room, ...verdicts] = (await this.#run(
      ADMIT,
      [results, collected, meta, fair(configuration), configurations],
      [
        ...[lane(configuration), randomUUID(), mostWaiting, OFFSETS[priority], CLASS_SIZE, priority],
        configuration,
        ...jobs.flatMap(({ jobId, tenant }) => [jobId, tenant]),
      ],
    )) as [string, number, Admission['room'], ...(number | ['queued' | 'finished' | 'dead', string])[]];
    this.#ahead = now - Date.now();
    return {
      epoch,
      now,
      room,
      verdicts: verdicts.map((verdict) =>
        typeof verdict === 'number'
          ? { state: 'new', priority: verdict }
          : { state: verdict[0], digest: verdict[1] },
      ),
    };
  }

  /** Writes a result unless the job has one, and tells it on the channel `replyTo`; true when this one was written. */
  async finish(result: JobResult, replyTo = ''): Promise<boolean> {
    const { results, done, collected, meta } = this.keys;
    const args = [result.jobId, JSON.stringify(result), result.tenant, replyTo];
    return (await this.#run(FINISH, [results, done, collected, meta], args)) === 1;
  }

  /** The results of jobs, null where there is none. Throws QUEUE_UNUSABLE for one that is no result of ours. */
  async lookUp(jobIds: readonly string[]): Promise<(JobResult | null)[]> {
    if (jobIds.length === 0) return [];
    const found = await this.#client.hmget(this.keys.results, ...jobIds);
    return found.map((value) => (value === null ? null : resultFrom(value.slice(value.indexOf(' ') + 1))));
  }

  /** Whether there are jobs with these ids in the queue of a configuration that wait or are worked on. */
  async inQueue(configuration: string, jobIds: readonly string[]): Promise<boolean[]> {
    const lane = this.keys.lane(configuration);
    const found = jobIds.map((jobId) => this.#client.hmget(`${lane}${jobId}`, 'data', 'finishedOn'));
    return (await Promise.all(found)).map(([data, finishedOn]) => data !== null && finishedOn === null);
  }

  /** Entries after one of them, oldest first; waits so many milliseconds for the first where there is none. */
  async done(after: string, most: number, waitMs: number | null): Promise<DoneEntry[]> {
    const { done } = this.keys;
    const read =
      waitMs === null
        ? await this.#client.xread('COUNT', most, 'STREAMS', done, after)
        : await this.#client.xread('COUNT', most, 'BLOCK', waitMs, 'STREAMS', done, after);
    const entries = (read as [string, [string, string[]][]][] | null)?.[0]?.[1] ?? [];
    return entries.map(([entry, fields]) => ({ entry, jobId: fields[1]!, tenant: fields[3]! }));
  }

  /** The newest entry; "0-0" where there was none yet. */
  async newest(): Promise<string> {
    const [last] = await this.#client.xrevrange(this.keys.done, '+', '-', 'COUNT', 1);
    return (last as [string, string[]] | undefined)?.[0] ?? '0-0';
  }

  async collect(jobIds: readonly string[]): Promise<void> {
    if (jobIds.length > 0) await this.#run(COLLECT, [this.keys.results, this.keys.collected], jobIds);
  }

  async forget(jobId: string): Promise<void> {
    const { results, done, collected } = this.keys;
    await this.#run(FORGET, [results, done, collected], [jobId]);
  }

  /** Removes results that are too old, read or not. */
  async expire(): Promise<void> {
    const { results, done, collected, meta } = this.keys;
    while (((await this.#run(EXPIRE, [results, done, collected, meta], [])) as number) >= 1000);
  }

  /** Makes the epoch where there is none, and returns it. Only looks where there is one: a full Redis can be read. */
  async epoch(): Promise<string> {
    const { meta } = this.keys;
    const found = await this.#client.hget(meta, 'epoch');
    if (found !== null) return found;
    await this.#client.hsetnx(meta, 'epoch', randomUUID());
    return (await this.#client.hget(meta, 'epoch'))!;
  }

  /** In a Redis that is full, results that were read make room. */
  async keep({ results, ms }: Retention): Promise<void> {
    const { results: stored, done, collected, meta } = this.keys;
    await this.#run(KEEP, [stored, done, collected, meta], [results, ms]);
  }

  async announce(announcement: Announcement): Promise<void> {
    await this.#client.hset(this.keys.workers, announcement.worker, JSON.stringify(announcement));
    await this.describe(announcement.configuration, announcement.made);
  }

  /** Says what a configuration is made of, so that its jobs are seen also where no worker has been. */
  async describe(configuration: string, made: unknown): Promise<void> {
    await this.#client.hset(this.keys.configurations, configuration, JSON.stringify(made));
  }

  async leave(worker: string): Promise<void> {
    await this.#client.hdel(this.keys.workers, worker);
  }

  /** What workers announced, whether or not they still live. */
  async announced(): Promise<Announcement[]> {
    return Object.values(await this.#client.hgetall(this.keys.workers)).map((text) => JSON.parse(text));
  }

  /** What each configuration is made of that ever had a job or a worker; null where no worker has said it. */
  async configurations(): Promise<Map<string, unknown>> {
    const found = Object.entries(await this.#client.hgetall(this.keys.configurations));
    return new Map(found.map(([configuration, made]) => [configuration, JSON.parse(made)]));
  }

  /** Stored results, how many of them were read, and how many went unread because they were too old. */
  async tally(): Promise<{ results: number; collected: number; unread: number }> {
    const { results, collected, meta } = this.keys;
    const [stored, read, unread] = await Promise.all([
      this.#client.hlen(results),
      this.#client.zcard(collected),
      this.#client.hget(meta, 'unread'),
    ]);
    return { results: stored, collected: read, unread: Number(unread ?? 0) };
  }

  async #run(script: string, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    const sha = shaOf(script);
    try {
      return await this.#client.evalsha(sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!/^NOSCRIPT/.test(messageOf(error))) throw error;
      return this.#client.eval(script, keys.length, ...keys, ...args);
    }
  }
}

const shas = new Map<string, string>();

function shaOf(script: string): string {
  const sha = shas.get(script) ?? createHash('sha1').update(script).digest('hex');
  shas.set(script, sha);
  return sha;
}

/** Throws QUEUE_UNUSABLE for what is no result of ours. */
export function resultFrom(text: string): JobResult {
  const found: unknown = JSON.parse(text);
  const parsed = JobResult.safeParse(found);
  // As it was written, byte for byte: the schema would put fields into its own order.
  if (parsed.success) return found as JobResult;
  throw new PragauraError('QUEUE_UNUSABLE', 'A result in Redis is none of this version.', {
    hint: 'Use another queue name for another version: --queue NAME.',
    cause: parsed.error,
  });
}

/** The id of a job among the results and what BullMQ is given for it. */
export type NewJob = { jobId: string; priority: number; data: QueryJob };
