/** Everything that a worker process has for its health, in the order in which the process comes up. */

import { isDeepStrictEqual } from 'node:util';
import { Queue, type Telemetry } from 'bullmq';
import { PragauraError } from '../../common/index.ts';
import { Decision, type Router } from '../../router/index.ts';
import type { HealthArguments } from '../commands/health-options.ts';
import {
  connectRedis,
  disconnectRedis,
  keysOf,
  Lane,
  laneName,
  type Patience,
  parseTarget,
  QueueStore,
  type RedisClient,
  retrying,
  START_PATIENCE_MS,
} from '../queue/index.ts';
import type { Decider, QueueWorker } from '../worker/index.ts';
import { loadDashboard } from './dashboard.ts';
import { requireFitRedis } from './fitness.ts';
import { DASHBOARD_PATH, type Health, openHealth } from './health.ts';
import { type Log, openLog } from './log.ts';
import { queueCounts, queueProbe } from './queue-watch.ts';
import { disagreements } from './roster.ts';
import { openTracing } from './tracing.ts';

/** What decides, and the hash of it. */
type Made = Pick<Decider, 'configuration' | 'made'>;

export interface WorkerHealth
  extends Pick<Health, 'observer' | 'scored' | 'batched' | 'url' | 'looked' | 'draining'> {
  readonly log: Log;
  /** With a Redis that has answered once: it is waited for until the worker is told to stop. */
  readonly patience: Required<Pick<Patience, 'signal' | 'say'>>;
  /** For BullMQ, where `--tracing` asked for it. */
  readonly telemetry: Telemetry | undefined;
  /** Asks Redis whether it can hold a queue; throws QUEUE_UNUSABLE, QUEUE_UNAVAILABLE. */
  checkRedis(): Promise<void>;
  /** The models are loaded: runs the canaries; throws MODEL_UNUSABLE. */
  checkRouter(router: Pick<Router, 'route'>): Promise<void>;
  /** The worker takes jobs of this configuration, and of no other any more. Warns of workers with others. */
  taking(worker: Pick<QueueWorker, 'id' | 'active' | 'beat'>, decider: Made): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the health server at once, before models are loaded. Throws CONFIGURATION when the port is taken or an
 * optional package is missing, QUEUE_UNAVAILABLE without a Redis. `write`: where log lines go; `signal`: no longer waits
 * for a Redis that is away, ABORTED.
 */
export async function openWorkerHealth(
  args: HealthArguments,
  where: { redis: string; queue: string; write: (line: string) => void; signal: AbortSignal },
): Promise<WorkerHealth> {
  const { redis, queue, signal } = where;
  const log = openLog({ write: where.write, level: args.logLevel, always: { queue } });
  const telemetry = args.tracing ? await openTracing() : undefined;
  const board = args.dashboard ? await loadDashboard(DASHBOARD_PATH) : null;
  const server =
    args.healthPort === undefined
      ? undefined
      : { host: args.healthHost, port: args.healthPort, dashboard: args.dashboard };
  const health = await openHealth({ log, server });
  if (health.url !== null) log.info('health.listening', { url: health.url });
  const patience = { signal, say: (detail: string) => log.warn('worker.waiting', { detail }) };
  let client: RedisClient;
  try {
    // One that fails at once: a scrape must not wait for a Redis that is away.
    client = await connectRedis(redis, 'producer', { ms: START_PATIENCE_MS, ...patience });
  } catch (error) {
    await health.close();
    throw error;
  }
  const ends: (() => Promise<void>)[] = [];
  /** Workers that this process has had: one that leaves differs from the one that follows it. */
  const own = new Set<string>();

  return {
    log,
    patience,
    telemetry,
    observer: health.observer,
    scored: health.scored,
    batched: health.batched,
    url: health.url,
    looked: (index) => health.looked(index),
    draining: () => health.draining(),
    async checkRedis() {
      const { shown } = parseTarget(redis);
      const check = { where: shown, allowVolatile: args.allowVolatile, side: 'worker', log } as const;
      await retrying(() => requireFitRedis(client, check), patience);
      health.readiness.set('redis', true);
    },
    async checkRouter(router) {
      health.readiness.set('models', true);
      await runCanaries(router);
      health.readiness.set('canaries', true);
      health.readiness.set('index', true);
    },
    async taking(worker, { configuration, made }) {
      const lane = new Lane({ client, queue, configuration });
      ends.push(() => lane.close());
      const store = new QueueStore(client, queue);
      const announced = await retrying(async () => {
        await store.compareClocks();
        return store.announced();
      }, patience);
      own.add(worker.id);
      const others = announced.filter((one) => !own.has(one.worker));
      for (const detail of disagreements({ configuration, made }, others, store.now())) {
        log.warn('configurations.differ', { detail });
      }
      const keys = keysOf(queue);
      const shown = () => {
        const jobs = new Queue(laneName(configuration), { connection: client, prefix: keys.prefix });
        jobs.on('error', () => {});
        ends.push(() => jobs.close());
        return { dashboard: board!([jobs]) };
      };
      health.taking({
        counts: queueCounts(lane, store),
        probe: queueProbe(keys.lane(configuration), () => connectRedis(redis, 'producer')),
        active: () => worker.active,
        beat: () => worker.beat({ worker: worker.id }),
        ...(board === null ? {} : shown()),
      });
    },
    async close() {
      await health.close();
      for (const end of ends) await end().catch(() => {});
      await disconnectRedis(client);
    },
  };
}

/** Queries that a worker decides before it takes any job. Loading a model has checked its known pairs already. */
const QUESTIONS = ['What is this collection about?', 'How many documents are there?'];

/** What must not depend on when or beside what a query was decided. */
function repeatable({ timings: _, receipt, ...decision }: Decision) {
  return {
    ...decision,
    receipt: {
      budget: receipt.budget,
      spent: { ...receipt.spent, ms: 0 },
      stages: receipt.stages.map((stage) => ({ ...stage, ms: 0 })),
    },
  };
}

/**
 * Decides an empty query, which must be refused as such, and two questions, each twice at once, which must come out
 * the same and fit the schema. Which decision it is depends on the index and is not judged. Throws MODEL_UNUSABLE.
 */
async function runCanaries(router: Pick<Router, 'route'>): Promise<void> {
  const empty = await router.route({ id: 'canary-empty', query: '' });
  if (empty.action !== 'ABSTAIN' || empty.abstention?.reason !== 'EMPTY_QUERY') {
    throw failed('an empty query was not refused');
  }
  await Promise.all(
    QUESTIONS.map(async (query, i) => {
      const asked = { id: `canary-${i}`, query };
      const [first, second] = await Promise.all([router.route(asked), router.route(asked)]);
      if (!Decision.safeParse(first).success) throw failed('a decision does not fit its schema');
      if (!isDeepStrictEqual(repeatable(first), repeatable(second))) {
        throw failed('one question got two different decisions');
      }
    }),
  );
}

function failed(what: string): PragauraError {
  return new PragauraError('MODEL_UNUSABLE', `A canary failed: ${what}.`, {
    hint: '"pragaura doctor" looks at models, providers and index one by one.',
  });
}
