/**
 * How much of a Redis a queue takes: `node dist/workers/deploy/memory.js --redis URL --decisions FILE [--jobs N]`.
 * FILE is what `pragaura route` wrote; its queries are submitted, under new ids, until there are N jobs, and its
 * decisions come back as their results. Wants a Redis that holds nothing else, and empties it afterwards.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { EXIT, say } from '../../common/index.ts';
import { Decision } from '../../router/index.ts';
import { connectRedis, disconnectRedis, Lane, type RedisClient } from '../queue/index.ts';
import { runSubmit } from '../submit/index.ts';
import { openWorker } from '../worker/index.ts';

const QUEUE = 'memory';
const CONFIGURATION = '0'.repeat(64);
const HOUR_MS = 3_600_000;

const { values } = parseArgs({
  options: {
    redis: { type: 'string' },
    decisions: { type: 'string' },
    jobs: { type: 'string', default: '100000' },
  },
});
const jobs = Number(values.jobs);
if (values.redis === undefined || values.decisions === undefined || !(Number.isInteger(jobs) && jobs > 0)) {
  refuse('Say --redis URL --decisions FILE [--jobs N].');
}
const { redis } = values;
const recorded = await decisionsIn(values.decisions);
const client = await connectRedis(redis, 'worker');
const keys = Number(await client.call('DBSIZE'));
if (keys > 0) {
  refuse(`That Redis holds ${keys} keys: this must be measured on an empty one.`);
}

const lane = new Lane({ client, queue: QUEUE, configuration: CONFIGURATION });
// Scripts and buffers are there before the first measurement.
await submit(1000);
await decideAll();
await client.call('FLUSHALL');
const empty = await usedBytes(client);

await submit(jobs);
const waiting = await usedBytes(client);
await decideAll();
const results = await usedBytes(client);

const lengths = [...recorded.values()].map((decision) => Buffer.byteLength(JSON.stringify(decision)));
const line = {
  jobs,
  decisionBytes: Math.round(lengths.reduce((sum, length) => sum + length, 0) / lengths.length),
  waitingBytesPerJob: Math.round((waiting - empty) / jobs),
  resultBytesPerJob: Math.round((results - empty) / jobs),
};
process.stdout.write(`${JSON.stringify(line)}\n`);
await client.call('FLUSHALL');
await lane.close();
await disconnectRedis(client);

function refuse(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(EXIT.USAGE);
}

async function decisionsIn(file: string): Promise<Map<number, Decision>> {
  const found = new Map<number, Decision>();
  for await (const text of createInterface({ input: createReadStream(file) })) {
    found.set(found.size, Decision.parse(JSON.parse(text)));
  }
  return found;
}

async function submit(count: number): Promise<void> {
  async function* lines() {
    for (let i = 0; i < count; i += 1) {
      const { query } = recorded.get(i % recorded.size)!;
      yield Buffer.from(`${JSON.stringify({ id: `query-${String(i).padStart(9, '0')}`, query })}\n`);
    }
  }
  await runSubmit({
    redis,
    queue: QUEUE,
    configuration: CONFIGURATION,
    tenant: 'default',
    priority: 'bulk',
    mostWaiting: count + 1,
    wait: false,
    resubmit: false,
    window: 2000,
    ordered: false,
    input: Readable.from(lines()),
    output: new Writable({ write: (_chunk, _encoding, done) => done() }),
    say,
    signal: new AbortController().signal,
  });
}

/** A worker that answers with what was recorded, until nothing waits. */
async function decideAll(): Promise<void> {
  const worker = await openWorker({
    redis,
    queue: QUEUE,
    concurrency: 64,
    retention: { results: 10 * jobs, ms: HOUR_MS },
    decider: {
      configuration: CONFIGURATION,
      made: {},
      budgetMs: null,
      expired: () => recorded.get(0)!,
      route: async ({ id }) => ({ ...recorded.get(Number(id.slice('query-'.length)) % recorded.size)!, id }),
    },
  });
  for (;;) {
    const { waiting, active } = await lane.counts();
    if (waiting + active === 0) break;
    await sleep(100);
  }
  await worker.drain(5000);
}

async function usedBytes(of: RedisClient): Promise<number> {
  await of.call('MEMORY', 'PURGE');
  const info = await of.info('memory');
  return Number(/^used_memory:(\d+)/m.exec(info)![1]);
}
