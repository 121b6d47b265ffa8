import { createServer, type Server } from 'node:http';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { Queue, UnrecoverableError, Worker } from 'bullmq';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PragauraError } from '../../common/index.ts';
import { fakeDecider } from '../testing/fake-decider.ts';
import { submitted } from '../testing/queue.ts';
import { type RedisServer, startRedis } from '../testing/redis.ts';
import { openWorker } from '../worker/index.ts';
import { loadDashboard } from './dashboard.ts';
import { loadPeer } from './optional-peer.ts';
import { openTracing } from './tracing.ts';

const SECRET = 'what is the password of the boss';
let redis: RedisServer;
let connection: { host: string; port: number };
beforeAll(async () => {
  redis = await startRedis();
  connection = { host: '127.0.0.1', port: redis.port };
});
afterAll(() => redis.close());

// The name is built, so that nothing resolves it before it is imported.
const missing = () => import(['pragaura', 'no', 'such', 'package'].join('-'));

test.each([
  ['--tracing', () => openTracing(missing), /bullmq-otel/],
  ['--dashboard', () => loadDashboard('/dashboard', missing), /@bull-board\/api @bull-board\/express/],
] as const)('%s without its package says what to install', async (option, open, hint) => {
  const error = await open().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PragauraError);
  expect(error).toMatchObject({ code: 'CONFIGURATION', message: expect.stringContaining(option) });
  expect((error as PragauraError).hint).toMatch(hint);
});

test('a package that is there and broken is another matter', async () => {
  const broken = async () => {
    throw new SyntaxError('broken');
  };
  await expect(loadPeer('--tracing', ['bullmq-otel'], broken)).rejects.toThrow(SyntaxError);
});

/** An SDK in this process, until it is told to stop; gives the spans. */
function tracing() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return () => {
    trace.disable();
    propagation.disable();
    context.disable();
    return exporter.getFinishedSpans();
  };
}

test('a query is one trace from submit to its stored result', async () => {
  const stop = tracing();
  const telemetry = await openTracing();
  const queue = 'one-trace';
  const decider = fakeDecider();
  const worker = await openWorker({ redis: redis.url, queue, decider, telemetry });
  const { records } = await submitted([{ id: 'q1', query: SECRET }], {
    redis: redis.url,
    queue,
    telemetry,
    wait: true,
    configuration: decider.configuration,
  });
  expect(records).toMatchObject([{ id: 'q1', action: 'ABSTAIN' }]);
  await worker.drain(5000);
  const spans = stop();
  const submitSpan = spans.find(({ name }) => name.startsWith('add '))!;
  const workerSpan = spans.find(({ name }) => name.startsWith('process '))!;
  expect(workerSpan.spanContext().traceId).toBe(submitSpan.spanContext().traceId);
  expect(JSON.stringify(spans.map(({ attributes, events }) => [attributes, events]))).not.toContain(SECRET);
});

test('submitting and processing are one trace, without what was asked and answered', async () => {
  const stop = tracing();
  const telemetry = await openTracing();

  const queue = new Queue('traced', { connection, telemetry });
  const ended: string[] = [];
  const worker = new Worker(
    'traced',
    async (job) => {
      if (job.data.fail) throw new UnrecoverableError(`cannot decide "${SECRET}"`);
      return { answer: SECRET };
    },
    { connection, telemetry },
  );
  worker.on('completed', (job) => ended.push(job.id!));
  worker.on('failed', (job) => ended.push(job!.id!));
  await queue.add('route', { query: SECRET }, { jobId: 'good' });
  await queue.add('route', { query: SECRET, fail: true }, { jobId: 'bad' });
  while (ended.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  await worker.close();
  await queue.close();
  const spans = stop();
  for (const id of ['good', 'bad']) {
    const added = spans.find((s) => s.name.startsWith('add ') && s.attributes['bullmq.job.id'] === id)!;
    const processed = spans.find(
      (s) => s.name.startsWith('process ') && s.attributes['bullmq.job.id'] === id,
    )!;
    expect(processed.spanContext().traceId).toBe(added.spanContext().traceId);
    expect(processed.spanContext().spanId).not.toBe(added.spanContext().spanId);
  }
  const told = spans.map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
  expect(JSON.stringify(told)).not.toContain(SECRET);
  // The failure itself is told.
  expect(told.flatMap(({ events }) => events).map(({ name }) => name)).toContain('job failed');
});

test('the dashboard shows the queue, none of its payloads, and changes nothing', async () => {
  const queue = new Queue('boarded', { connection });
  await queue.add('route', {
    schema: 'pragaura.job/1',
    tenant: SECRET,
    query: { id: SECRET, query: SECRET },
  });
  const open = await loadDashboard('/dashboard');
  const handler = open([queue]);
  const server: Server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as { port: number }).port}/dashboard`;
  try {
    const page = await fetch(base);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('pragaura');
    const jobs = await (await fetch(`${base}/api/queues?activeQueue=boarded&status=latest`)).text();
    expect(jobs).toContain('boarded');
    expect(jobs).toContain('pragaura.job/1');
    expect(jobs).not.toContain(SECRET);
    const emptied = await fetch(`${base}/api/queues/boarded/empty`, { method: 'PUT' });
    expect(emptied.status).toBe(405);
    expect(await queue.getWaitingCount()).toBe(1);
  } finally {
    await new Promise((resolve) => server.close(resolve));
    await queue.close();
  }
});
