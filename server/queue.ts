/** Decisions by way of the queue: workers make them, here or on other machines, and a server only asks. */
import { createHash, randomUUID } from 'node:crypto';
import { PragauraError } from '../common/index.ts';
import type { Access, SigningKey } from '../governance/index.ts';
import type { Query, RouteOptions, Router } from '../router/index.ts';
import { fitRedis } from '../workers/commands/fit-redis.ts';
import type { Log } from '../workers/health/log.ts';
import {
  configurationOf,
  connectRedis,
  disconnectRedis,
  Lane,
  liveWorkers,
  QueueStore,
  type RedisClient,
  retrying,
  START_PATIENCE_MS,
} from '../workers/queue/index.ts';
import { Answers, type Asker, Submitter } from '../workers/submit/index.ts';
import { type Caller, principalOf } from './callers.ts';
import type { Lease } from './collections.ts';

export interface QueueOptions {
  /** URL of a Redis. */
  redis: string;
  /** Its name there. */
  queue: string;
  /** Jobs of a configuration that wait in line at most, of all who submit. */
  mostWaiting: number;
  /** Whether a Redis will do that keeps nothing on disk. */
  allowVolatile: boolean;
  /** Where a policy rules: the key that vouches for who asks. */
  key?: SigningKey | undefined;
}

/** So long a worker is believed to be there since it was last looked for. */
const SEEN_MS = 2000;
/** A Redis that is away for longer is told to the caller. */
const PATIENCE_MS = 5000;

export class DecisionQueue {
  readonly #options: QueueOptions;
  readonly #client: RedisClient;
  readonly #store: QueueStore;
  readonly #answers: Answers;
  readonly #log: Log;
  readonly #lanes = new Map<string, Lane>();
  /** Of a configuration and a caller, who take turns with those of other servers. */
  readonly #submitters = new Map<string, Submitter>();
  /** Configurations that workers serve, and when that was seen. */
  #served: { configurations: ReadonlySet<string>; at: number } = { configurations: new Set(), at: -Infinity };

  private constructor(
    options: QueueOptions,
    log: Log,
    parts: { client: RedisClient; store: QueueStore; answers: Answers },
  ) {
    this.#options = options;
    this.#log = log;
    this.#client = parts.client;
    this.#store = parts.store;
    this.#answers = parts.answers;
  }

  /** Throws QUEUE_UNAVAILABLE, and QUEUE_UNUSABLE for a Redis that is not fit for a queue. */
  static async open(options: QueueOptions, log: Log): Promise<DecisionQueue> {
    const { redis, queue, allowVolatile } = options;
    const say = (detail: string) => log.warn('queue.says', { detail });
    const patience = { ms: START_PATIENCE_MS };
    const client = await connectRedis(redis, 'producer', patience);
    try {
      await fitRedis(redis, allowVolatile, say)(client);
      const store = new QueueStore(client, queue);
      const answers = await Answers.open({ redis, queue, store, patience, resubmit: true, say });
      return new DecisionQueue(options, log, { client, store, answers });
    } catch (error) {
      await disconnectRedis(client);
      throw error;
    }
  }

  /**
   * What asks workers that decide as the whole of a collection does, of which a caller may read `router`'s documents: by the
   * policy where there is one, and who asks goes signed with each query. Throws NO_WORKER where there is none, QUEUE_UNAVAILABLE where Redis
   * stays away, ABORTED by the signal (the job is taken out of line then), JOB_FAILED where a worker decided over other documents,
   * and what the worker's router throws. Nothing is told of stages, and explanations are made here.
   */
  decider(
    { router, whole }: Pick<Lease, 'router' | 'whole'>,
    caller: Caller,
    policy: Access['policy'] | undefined,
  ): Pick<Router, 'route' | 'explain'> {
    const { key } = this.#options;
    const asker = policy && key && { principal: principalOf(caller), key };
    const submitter = this.#submitter(configurationOf(whole, policy), tenantOf(caller.id), asker);
    return {
      route: async (query, options) => {
        const decision = await this.#decide(query, submitter, options);
        if (decision.versions.index === router.versions.index) return decision;
        throw new PragauraError(
          'JOB_FAILED',
          'A worker decided over other documents than are for this caller.',
          {
            hint: 'Give workers and servers the same --document-labels; after a change of the index, ask again.',
          },
        );
      },
      explain: (query, options) => router.explain(query, options),
    };
  }

  async #decide(query: Query, submitter: Submitter, { signal }: RouteOptions = {}) {
    const ended = signal ?? new AbortController().signal;
    await this.#mustBeServed(submitter.configuration, ended);
    // The ids of callers are their own: two queries may have the same.
    const own = { ...query, id: randomUUID() };
    try {
      const decision = await this.#answers.to(own, submitter, ended);
      return { ...decision, id: query.id };
    } catch (error) {
      if (ended.aborted) this.#takeOut(submitter.configuration, submitter.idOf(own.id));
      throw error;
    }
  }

  /** Nobody waits for it any more; one that is worked on is finished in vain. */
  #takeOut(configuration: string, jobId: string): void {
    this.#lane(configuration)
      .remove(jobId)
      .catch(() => {});
  }

  async #mustBeServed(configuration: string, signal: AbortSignal): Promise<void> {
    const isServed = () => this.#served.configurations.has(configuration);
    if (performance.now() - this.#served.at > SEEN_MS || !isServed()) {
      const live = await retrying(() => liveWorkers(this.#store), { ms: PATIENCE_MS, signal });
      const configurations = new Set(live.map((worker) => worker.configuration));
      this.#served = { configurations, at: performance.now() };
    }
    if (isServed()) return;
    this.#log.warn('queue.unserved', { detail: configuration });
    throw new PragauraError(
      'NO_WORKER',
      `No worker decides as this server does (${configuration.slice(0, 16)}).`,
      {
        hint: 'Start "pragaura worker" with the same --index, --calibration and settings, on the same --redis and --queue.',
      },
    );
  }

  #lane(configuration: string): Lane {
    const { queue } = this.#options;
    const known = this.#lanes.get(configuration) ?? new Lane({ client: this.#client, queue, configuration });
    this.#lanes.set(configuration, known);
    return known;
  }

  #submitter(configuration: string, tenant: string, asker: Asker | undefined): Submitter {
    const key = JSON.stringify([configuration, tenant, asker?.principal]);
    const { mostWaiting } = this.#options;
    const known =
      this.#submitters.get(key) ??
      new Submitter({
        ...{ store: this.#store, lane: this.#lane(configuration), tenant, priority: 'interactive', asker },
        ...{ mostWaiting, patienceMs: PATIENCE_MS, replyTo: this.#answers.replyTo },
        say: (detail) => this.#log.warn('queue.says', { detail }),
      });
    this.#submitters.set(key, known);
    return known;
  }

  async close(): Promise<void> {
    await this.#answers.close();
    for (const lane of this.#lanes.values()) await lane.close();
    await disconnectRedis(this.#client);
  }
}

/** Whose turn it is goes by callers; names of tenants are shorter than ids of callers may be. */
function tenantOf(caller: string): string {
  return caller.length <= 128 ? caller : createHash('sha256').update(caller).digest('hex');
}
