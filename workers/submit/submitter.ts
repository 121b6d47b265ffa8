/** Puts queries in line: many in one round trip, never more than fit, each of them once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PragauraError } from '../../common/index.ts';
import { asserted, type Principal, type SigningKey } from '../../governance/index.ts';
import type { Query } from '../../router/index.ts';
import { digestOf, jobIdOf, type Lane, type QueueStore, retrying, type Tries } from '../queue/index.ts';
import type { Priority, QueryJob } from '../types.ts';
import type { Ledger } from './ledger.ts';

export interface SubmitterOptions {
  store: Pick<QueueStore, 'admit'>;
  lane: Pick<Lane, 'add' | 'configuration' | 'retry'>;
  tenant: string;
  priority: Priority;
  /** Jobs that may wait in line; beyond it the submitter waits. */
  mostWaiting: number;
  /** On whose behalf, and the key that vouches for it; left out where workers rule by no policy. */
  asker?: Asker | undefined;
  /** Where results are told as well, see `Answers`. */
  replyTo?: string | undefined;
  ledger?: Ledger | undefined;
  tries?: Tries;
  /** How long Redis may be away before a query counts as not submitted. Default 60,000. */
  patienceMs?: number;
  signal?: AbortSignal;
  say: (message: string) => void;
}

/** Who asks, and the key of whoever says so. */
export interface Asker {
  principal: Principal;
  key: SigningKey;
}

export interface Submission {
  jobId: string;
  digest: string;
  /** `queued`: put in line now; `known`: somebody had submitted it, it waits or is worked on; `finished`: it has a result. */
  status: 'queued' | 'known' | 'finished';
}

const MOST_IN_BATCH = 500;
const MOST_CHARS_IN_BATCH = 4_000_000;
const NO_ROOM_MS = 200;
/** How long Redis may be away where nothing else is said. */
export const PATIENCE_MS = 60_000;

interface Pending {
  jobId: string;
  digest: string;
  query: Query;
  resolve(submission: Submission): void;
  reject(error: unknown): void;
}

export class Submitter {
  readonly #options: SubmitterOptions;
  #queue: Pending[] = [];
  #flushing = false;
  #saidNoRoom = false;
  /** Of the Redis that was last heard of; null before the first submission. */
  #epoch: string | null = null;

  constructor(options: SubmitterOptions) {
    this.#options = options;
  }

  get configuration(): string {
    return this.#options.lane.configuration;
  }

  idOf(queryId: string): string {
    const { tenant, lane, asker } = this.#options;
    const who = asker && { principal: asker.principal, key: asker.key.fingerprint };
    return jobIdOf(tenant, queryId, lane.configuration, who);
  }

  /**
   * Resolves when the query is in line, in the order in which queries were handed over. Throws INVALID_INPUT when
   * another query was submitted under its id, QUEUE_UNAVAILABLE when Redis stays away, WRITE_FAILED by the ledger.
   */
  submit(query: Query): Promise<Submission> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ jobId: this.idOf(query.id), digest: digestOf(query), query, resolve, reject });
      if (!this.#flushing) void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    this.#flushing = true;
    // Whoever hands over many does so in one turn.
    await new Promise(setImmediate);
    while (this.#queue.length > 0) {
      const batch = this.#take();
      await this.#send(batch).catch((error) => {
        for (const { reject } of batch) reject(error);
      });
    }
    this.#flushing = false;
  }

  #take(): Pending[] {
    let chars = 0;
    let count = 0;
    for (const { query } of this.#queue) {
      chars += query.query.length;
      if (count >= MOST_IN_BATCH || (count > 0 && chars > MOST_CHARS_IN_BATCH)) break;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  async #send(batch: readonly Pending[]): Promise<void> {
    const { lane, tenant, priority, replyTo, ledger, tries, asker } = this.#options;
    const distinct = [
      ...new Map([...batch].reverse().map((pending) => [pending.jobId, pending])).values(),
    ].reverse();
    const { now, epoch, verdicts } = await this.#admitted(distinct);
    if (this.#epoch !== null && this.#epoch !== epoch) {
      this.#options.say(
        'Redis came back empty: what was submitted before and has no result is lost. With a ledger, --resubmit submits it again.',
      );
    }
    this.#epoch = epoch;
    const known = new Map<string, Submission>();
    const dead: string[] = [];
    const added: { jobId: string; priority: number; data: QueryJob }[] = [];
    for (const [i, { jobId, digest, query }] of distinct.entries()) {
      const verdict = verdicts[i]!;
      if (verdict.state === 'new') {
        known.set(jobId, { jobId, digest, status: 'queued' });
        const deadlineAt = query.deadlineMs === undefined ? null : now + query.deadlineMs;
        const data: QueryJob = {
          schema: 'pragaura.job/1',
          digest,
          configuration: lane.configuration,
          generation: 0,
          tenant,
          priority,
          submittedAt: now,
          deadlineAt,
          ...(replyTo !== undefined && { replyTo }),
          ...(asker !== undefined && {
            asker: asserted(asker.principal, { jobId, digest }, now, asker.key),
          }),
          query,
        };
        added.push({ jobId, priority: verdict.priority, data });
      } else {
        if (verdict.state === 'dead' && verdict.digest === digest) dead.push(jobId);
        const status =
          verdict.state === 'queued' ? 'known' : verdict.state === 'dead' ? 'queued' : 'finished';
        known.set(jobId, { jobId, digest: verdict.digest, status });
      }
    }
    const ours = distinct.filter(({ jobId, digest }) => known.get(jobId)!.digest === digest);
    // First the book, then the queue: what is in line and not in the book could be lost without anybody knowing.
    await ledger?.append(ours);
    if (added.length > 0) await this.#patiently(() => lane.add(added, tries));
    for (const jobId of dead) await this.#patiently(() => lane.retry(jobId));
    for (const { jobId, digest, query, resolve, reject } of batch) {
      const submission = known.get(jobId)!;
      if (submission.digest === digest) resolve(submission);
      else reject(conflict(query.id));
    }
  }

  async #admitted(jobs: readonly { jobId: string }[]) {
    const { store, lane, tenant, priority, mostWaiting, signal, say } = this.#options;
    const asked = jobs.map(({ jobId }) => ({ jobId, tenant }));
    for (;;) {
      const admission = await this.#patiently(() =>
        store.admit(lane.configuration, priority, asked, mostWaiting),
      );
      if (admission.room === 'ok') {
        this.#saidNoRoom = false;
        return admission;
      }
      if (admission.room === 'full' && !this.#saidNoRoom) {
        say(
          'The queue holds as many results as it may and nobody has read them: waiting. "pragaura results" reads them.',
        );
        this.#saidNoRoom = true;
      }
      await sleep(NO_ROOM_MS, undefined, signal && { signal }).catch(() => {});
      if (signal?.aborted) throw new PragauraError('ABORTED', 'Stopped before there was room in the queue.');
    }
  }

  #patiently<T>(run: () => Promise<T>): Promise<T> {
    const { patienceMs = PATIENCE_MS, signal, say } = this.#options;
    return retrying(run, { ms: patienceMs, signal, say });
  }
}

/** Somebody submitted another query under this id. */
export function conflict(id: string): PragauraError {
  return new PragauraError(
    'INVALID_INPUT',
    `Another query was submitted under the id "${id.slice(0, 80)}".`,
    {
      hint: 'Ids name queries: give this one an id of its own, or submit under another --tenant.',
    },
  );
}
