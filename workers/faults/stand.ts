/** Everything that a fault strikes: a Redis, a bad wire before it, worker processes, a submitter and a reader. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectRedis, disconnectRedis, keysOf, QueueStore, type RedisClient } from '../queue/index.ts';
import { type RedisServer, startRedis } from '../testing/redis.ts';
import { type BadWire, startBadWire } from './bad-wire.ts';
import type { Fleet } from './fleet.ts';
import type { LightWorkerSettings } from './light-worker.ts';
import { kill, type WorkerProcess } from './worker-process.ts';

export interface StandOptions {
  workers: number;
  concurrency: number;
  fleet: Fleet;
  lockMs: number;
  /** Jobs that may wait in line while strikes go on. */
  ahead: number;
}

const QUEUE = 'faults';
const TENANT = 'fault-tests';

export class Stand {
  readonly queue = QUEUE;
  readonly tenant = TENANT;
  readonly redis: RedisServer;
  readonly wire: BadWire;
  /** On a connection of its own, past the wire. */
  readonly store: QueueStore;
  readonly folder: string;
  readonly workers: WorkerProcess[] = [];
  readonly #options: StandOptions;
  readonly #client: RedisClient;

  private constructor(
    redis: RedisServer,
    wire: BadWire,
    client: RedisClient,
    folder: string,
    options: StandOptions,
  ) {
    this.redis = redis;
    this.wire = wire;
    this.#client = client;
    this.store = new QueueStore(client, QUEUE);
    this.folder = folder;
    this.#options = options;
  }

  static async open(options: StandOptions): Promise<Stand> {
    // Flushed before it answers: otherwise a kill may lose what was answered in the last two seconds.
    const redis = await startRedis({ aof: 'always' });
    const wire = await startBadWire(redis.port);
    const folder = mkdtempSync(join(tmpdir(), 'pragaura-faults-'));
    const stand = new Stand(redis, wire, await connectRedis(redis.url, 'worker'), folder, options);
    await Promise.all(Array.from({ length: options.workers }, () => stand.addWorker()));
    return stand;
  }

  get lockMs(): number {
    return this.#options.lockMs;
  }

  /** Redis as workers, submitters and readers see it: through the wire. */
  get url(): string {
    return `redis://127.0.0.1:${this.wire.port}`;
  }

  get ahead(): number {
    return this.#options.ahead;
  }

  get fleet(): Fleet {
    return this.#options.fleet;
  }

  /** One more worker; `light`: for one that is unlike the others. */
  async addWorker(light: Partial<LightWorkerSettings> = {}): Promise<WorkerProcess> {
    const { concurrency, lockMs, fleet } = this.#options;
    const worker = await fleet.start({ redis: this.url, queue: QUEUE, concurrency, lockMs }, light);
    this.workers.push(worker);
    return worker;
  }

  /** Ids of the jobs that workers have in hand now. */
  async inHand(configuration = this.fleet.configuration): Promise<string[]> {
    return this.#client.lrange(`${keysOf(QUEUE).lane(configuration)}active`, 0, -1);
  }

  /** Entries of the stream of finished jobs: one for each result that was written. */
  async written(): Promise<number> {
    return this.#client.xlen(keysOf(QUEUE).done);
  }

  /** Until it is restarted, Redis answers before its append-only file is flushed, as it does by default. */
  async flushEachSecond(): Promise<void> {
    await this.#client.config('SET', 'appendfsync', 'everysec');
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map(kill));
    await disconnectRedis(this.#client);
    await this.wire.close();
    await this.redis.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
