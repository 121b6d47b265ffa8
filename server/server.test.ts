/** The server over real sockets: the demo collection, the shipped models, and everything that callers do wrong. */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutClocks } from '../common/index.ts';
import { verifyLog } from '../governance/index.ts';
import { Decision, indexDocuments, openRouter, type Router, StageReport } from '../router/index.ts';
import { demoIndex } from '../router/testing/demo-index.ts';
import { openScorers, type Scorers } from '../scorers/index.ts';
import { openLog } from '../workers/health/log.ts';
import { createKey, revokeKey } from './keys.ts';
import type { Server, ServerOptions } from './server.ts';
import { testServer } from './testing/serve.ts';

const DEMO = path.join(import.meta.dirname, '../router/demo');
const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-server-'));
const index = path.join(folder, 'index');
const lines = readFileSync(path.join(DEMO, 'queries.ndjson'), 'utf8').trimEnd().split('\n');
const JSON_TYPE = { 'content-type': 'application/json' };
const NDJSON_TYPE = { 'content-type': 'application/x-ndjson' };

let scorers: Scorers;
let router: Router;
let server: Server;
/** What all servers of this file logged. */
let logged = '';

async function serve(options: Partial<ServerOptions> = {}): Promise<Server> {
  return testServer({
    collections: [{ name: 'demo', index, scorers }],
    scorers,
    log: openLog({
      level: 'debug',
      write: (line) => {
        logged += line;
      },
    }),
    ...options,
  });
}

/** A server for the time of `use`. */
async function serving<T>(options: Partial<ServerOptions>, use: (url: string) => Promise<T>): Promise<T> {
  const own = await serve(options);
  try {
    return await use(own.url);
  } finally {
    await own.close(0);
  }
}

/** A collection whose queries, once `hold` is called, are in work until `letGo` is, or they are given up: what waits for them does wait. */
function holding() {
  let free = Promise.resolve();
  let letGo = () => {};
  const hold = () => {
    free = new Promise<void>((done) => {
      letGo = done;
    });
  };
  const held: Scorers = {
    ...scorers,
    embed: async (texts, options) => {
      const { signal } = options ?? {};
      await Promise.race([free, ...(signal ? [once(signal, 'abort')] : [])]);
      return scorers.embed(texts, options);
    },
  };
  return { collections: [{ name: 'demo', index, scorers: held }], hold, letGo: () => letGo() };
}

beforeAll(async () => {
  await demoIndex(index);
  scorers = await openScorers({ threads: 2 });
  router = await openRouter({ index, scorers });
  server = await serve();
});

afterAll(async () => {
  await server?.close(0);
  await router?.close();
  await scorers?.close();
  rmSync(folder, { recursive: true, force: true });
});

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
  });

const decide = (url: string, body: unknown, headers?: Record<string, string>) =>
  post(`${url}/v1/decisions`, body, headers);

async function problem(response: Response): Promise<Record<string, unknown>> {
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  const said = (await response.json()) as Record<string, unknown>;
  expect(said.status).toBe(response.status);
  expect(said.instance).toBe(`urn:uuid:${response.headers.get('x-request-id')}`);
  return said;
}

/** A number of the metrics, summed over its series that have this label. */
async function metric(url: string, name: string, label = ''): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const rows = text.split('\n').filter((row) => row.startsWith(name) && row.includes(label));
  return rows.reduce((sum, row) => sum + Number(row.split(' ').at(-1)), 0);
}

async function until(wanted: () => Promise<boolean>): Promise<void> {
  while (!(await wanted())) await sleep(20);
}

/** A stream that is open: lines are sent and read one by one. */
async function openStream(url: string, headers: Record<string, string> = {}) {
  const sent = httpRequest(`${url}/v1/decisions:stream`, {
    method: 'POST',
    headers: { ...NDJSON_TYPE, ...headers },
  });
  sent.flushHeaders();
  const [received] = (await once(sent, 'response')) as [IncomingMessage];
  received.setEncoding('utf8');
  let rest = '';
  const chunks = received[Symbol.asyncIterator]();
  const next = async (): Promise<Record<string, unknown> | null> => {
    for (;;) {
      const at = rest.indexOf('\n');
      if (at !== -1) {
        const line = rest.slice(0, at);
        rest = rest.slice(at + 1);
        return JSON.parse(line);
      }
      const { done, value } = await chunks.next();
      if (done) return null;
      rest += value;
    }
  };
  return { sent, received, next };
}

describe('a decision', () => {
  it('is that of route, byte for byte, one by one and in a stream', async () => {
    const expected = await Promise.all(
      lines.map(async (line) => `${JSON.stringify(await router.route(JSON.parse(line)))}\n`),
    );
    const single = await Promise.all(
      lines.map(async (line) => {
        const response = await decide(server.url, line);
        expect(response.status).toBe(200);
        return response.text();
      }),
    );
    expect(single.map(withoutClocks)).toEqual(expected.map(withoutClocks));
    const streamed = await fetch(`${server.url}/v1/decisions:stream`, {
      method: 'POST',
      headers: NDJSON_TYPE,
      body: `${lines.join('\n')}\n`,
    });
    expect((await streamed.text()).trimEnd().split('\n').map(withoutClocks)).toEqual(
      expected.map(withoutClocks),
    );
    const actions = expected.map((line) => Decision.parse(JSON.parse(line)).action);
    expect(new Set(actions)).toEqual(new Set(['ANSWER', 'ASK', 'ABSTAIN']));
  });

  it('without an id is called after its request; a number is an id too', async () => {
    const response = await decide(server.url, { query: 'Who leads the platform team?' });
    expect(await response.json()).toMatchObject({ id: response.headers.get('x-request-id') });
    const numbered = await decide(server.url, { id: 7, query: 'Who leads the platform team?' });
    expect(await numbered.json()).toMatchObject({ id: '7' });
  });

  it('in a stream comes while the next line is not yet written', async () => {
    const { sent, next } = await openStream(server.url);
    for (const line of lines.slice(0, 3)) {
      sent.write(`${line}\n`);
      expect(await next()).toMatchObject({ id: JSON.parse(line).id });
    }
    sent.end('{"id":"bad"}\nno json');
    expect(await next()).toMatchObject({ schema: 'pragaura.error/1', id: 'bad', line: 4 });
    expect(await next()).toMatchObject({ error: { code: 'INVALID_INPUT' }, line: 5 });
    expect(await next()).toBeNull();
  });

  it('is not made for a reader that does not read: the input is held back', async () => {
    const { sent, received, next } = await openStream(server.url);
    const before = await metric(server.url, 'pragaura_decisions_total');
    received.pause();
    // Far more than sockets and buffers of both sides hold: a decision has ten thousand bytes.
    const many = 4000;
    let held = false;
    for (let i = 0; i < many && !held; i += 1) {
      held = !sent.write(`${JSON.stringify({ id: `s${i}`, query: `${' '.repeat(8000)}Thanks!` })}\n`);
      if (held) held = !(await Promise.race([once(sent, 'drain'), sleep(5000).then(() => null)]));
    }
    expect(held).toBe(true);
    const decided = (await metric(server.url, 'pragaura_decisions_total')) - before;
    expect(decided).toBeLessThan(many);
    received.resume();
    expect(await next()).toMatchObject({ id: 's0' });
    sent.destroy();
    await until(async () => (await metric(server.url, 'pragaura_streams_open')) === 0);
  });
});

/** The same models, but that one of them answers nobody: what was begun goes on until it is given up. */
function hanging(): Scorers {
  return Object.create(scorers, {
    nli: {
      value: (_: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
        ),
    },
  });
}

describe('the stages of a decision', () => {
  const EVENTS = { accept: 'text/event-stream' };
  const fact = { id: 'f', query: 'How long are raw observations kept?' };

  /** Events of a response, one by one. */
  async function* eventsOf(
    response: Response,
  ): AsyncGenerator<{ event: string; data: Record<string, never> }> {
    let rest = '';
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block)!;
        yield { event: event!, data: JSON.parse(data!) };
      }
    }
    expect(rest).toBe('');
  }

  async function allOf(response: Response) {
    const events = [];
    for await (const event of eventsOf(response)) events.push(event);
    return events;
  }

  it('come as they finish, and last the decision of route', async () => {
    const response = await decide(server.url, fact, EVENTS);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const events = await allOf(response);
    expect(events.map(({ event }) => event)).toEqual(['act', 'retrieval', 'signals', 'decision']);
    const decision = await router.route(fact);
    expect(withoutClocks(JSON.stringify(events.at(-1)!.data))).toBe(withoutClocks(JSON.stringify(decision)));
    const [act, retrieval, signals] = events.map(({ data }) => data as Record<string, unknown>);
    expect(StageReport.parse(act)).toEqual({ stage: 'act', query: fact.query, act: decision.act });
    expect(StageReport.parse(signals)).toMatchObject({ signals: decision.signals });
    const { evidence, found } = StageReport.parse(retrieval) as StageReport & { stage: 'retrieval' };
    expect(found).toBeGreaterThanOrEqual(evidence.length);
    expect(evidence[0]!.scores).toMatchObject({ relevance: null, entailment: null });
  });

  it('are no more than were reached, and each question of several has its own', async () => {
    const stagesOf = async (query: string) =>
      (await allOf(await decide(server.url, { query }, EVENTS))).map(({ event }) => event);
    expect(await stagesOf('Thanks!')).toEqual(['act', 'decision']);
    const both = await stagesOf('Who leads the platform team? How long are raw observations kept?');
    const one = ['act', 'retrieval', 'signals'];
    expect(both).toEqual([...one, ...one, 'decision']);
  });

  it('are for those who ask for nothing else', async () => {
    const response = await decide(server.url, fact, { accept: 'application/json, text/event-stream' });
    expect(await response.json()).toMatchObject({ id: 'f' });
  });

  it('before the first, what is wrong has its status; after it, it is an event', async () => {
    expect((await decide(server.url, { query: 7 }, EVENTS)).status).toBe(400);
    const missing = await post(`${server.url}/v1/decisions?collection=none`, fact, EVENTS);
    expect(await problem(missing)).toMatchObject({ code: 'NOT_FOUND' });
    const own = await serve({ collections: [{ name: 'demo', index, scorers: hanging() }] });
    const events = eventsOf(await decide(own.url, fact, EVENTS));
    for (const stage of ['act', 'retrieval']) expect((await events.next()).value.event).toBe(stage);
    const closed = own.close(0);
    expect((await events.next()).value).toMatchObject({
      event: 'error',
      data: { status: 503, code: 'ABORTED', instance: expect.stringMatching(/^urn:uuid:/) },
    });
    expect(await events.next()).toMatchObject({ done: true });
    await closed;
  });

  it('end, and the work with them, when the caller goes away', async () => {
    await serving(
      { collections: [{ name: 'demo', index, scorers: hanging() }], concurrency: 1 },
      async (url) => {
        const leaving = new AbortController();
        const response = await fetch(`${url}/v1/decisions`, {
          method: 'POST',
          headers: { ...JSON_TYPE, ...EVENTS },
          body: JSON.stringify(fact),
          signal: leaving.signal,
        });
        const events = eventsOf(response);
        for (const stage of ['act', 'retrieval']) expect((await events.next()).value.event).toBe(stage);
        expect(await metric(url, 'pragaura_queries_in_work')).toBe(1);
        leaving.abort();
        await expect(events.next()).rejects.toThrow();
        await until(async () => (await metric(url, 'pragaura_queries_in_work')) === 0);
        expect(await metric(url, 'pragaura_problems_total', 'ABORTED')).toBe(1);
      },
    );
  });
});

describe('the parts of decisions', () => {
  const query = 'How long are raw observations kept?';

  it('passages are those of the router, with their words', async () => {
    const response = await post(`${server.url}/v1/retrieve`, { id: 'r', query, k: 3, stage: 'fused' });
    const { hits, ...rest } = (await response.json()) as { hits: { text: string }[] };
    expect(rest).toEqual({ schema: 'pragaura.ranking/1', id: 'r', query, stage: 'fused' });
    expect(hits).toEqual(await router.rank('fused', { query }, 3));
    expect(hits).toHaveLength(3);
    expect(hits.some(({ text }) => text.includes('90 days'))).toBe(true);
  });

  it('speech acts, scores and verification are those of the commands', async () => {
    const at = async (where: string, body: object) => (await post(server.url + where, body)).json();
    expect(await at('/v1/classify', { id: '1', query })).toEqual({
      schema: 'pragaura.act/1',
      id: '1',
      query,
      ...(await router.classify(query)),
    });
    const nli = { premise: 'Ada sleeps.', hypothesis: 'Ada is awake.' };
    const [scored] = await scorers.nli([nli]);
    expect(await at('/v1/score/nli', { id: '1', ...nli })).toEqual({
      schema: 'pragaura.nli/1',
      id: '1',
      ...scored,
    });
    const pair = { query: 'Who sleeps?', passage: 'Ada sleeps.' };
    const [relevance] = await scorers.rerank([pair]);
    expect(await at('/v1/score/rerank', { id: '1', ...pair })).toMatchObject({ logit: relevance!.logit });
    expect(await at('/v1/score/read', { id: '1', ...pair })).toMatchObject({ answer: 'Ada', start: 0 });
    const answer = 'It opened in 1932 [1]. It is made of cheese.';
    const passages = ['The bridge was opened in 1932.', { text: 'It is made of steel.', title: 'Steel' }];
    expect(await at('/v1/verify', { answer, passages })).toMatchObject({
      schema: 'pragaura.verification/2',
      counts: { supported: 1 },
    });
  });
});

describe('the contract', () => {
  it('is OpenAPI 3.1, with every path, the records by name and the problem of each', async () => {
    const document = await (await fetch(`${server.url}/openapi.json`)).json();
    const { valid, errors } = await new Validator().validate(document as Record<string, unknown>);
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
    const { openapi, paths, components } = document as {
      openapi: string;
      paths: Record<string, Record<string, { responses: Record<string, unknown>; requestBody?: unknown }>>;
      components: { schemas: Record<string, unknown> };
    };
    expect(openapi).toBe('3.1.0');
    expect(Object.keys(paths).sort()).toEqual([
      '/healthz',
      '/metrics',
      '/readyz',
      '/v1/chat/completions',
      '/v1/classify',
      '/v1/collections',
      '/v1/collections/{collection}/activity',
      '/v1/collections/{collection}/approvals',
      '/v1/collections/{collection}/calibration',
      '/v1/collections/{collection}/defaults',
      '/v1/collections/{collection}/defaults/{id}',
      '/v1/collections/{collection}/documents',
      '/v1/collections/{collection}/documents/{document}',
      '/v1/collections/{collection}/documents:batch',
      '/v1/collections/{collection}/labels',
      '/v1/collections/{collection}/monitor',
      '/v1/collections/{collection}/monitor/labels',
      '/v1/collections/{collection}/tickets',
      '/v1/collections/{collection}/tickets/{ticket}',
      '/v1/collections/{collection}/tickets/{ticket}/apply',
      '/v1/collections/{collection}/tickets/{ticket}/diff',
      '/v1/collections/{collection}/tickets/{ticket}/proof/{sha256}',
      '/v1/collections/{collection}/tickets/{ticket}/review',
      '/v1/collections/{collection}/tickets/{ticket}/rollback',
      '/v1/collections/{collection}/tickets/{ticket}/schedule',
      '/v1/collections/{collection}/tickets/{ticket}/submit',
      '/v1/collections/{collection}/tickets/{ticket}/triage',
      '/v1/collections/{collection}/tickets/{ticket}/withdraw',
      '/v1/collections/{collection}/tickets:due',
      '/v1/decisions',
      '/v1/decisions:stream',
      '/v1/jobs/{job}',
      '/v1/memory',
      '/v1/memory/entries',
      '/v1/memory/entries/{id}',
      '/v1/models',
      '/v1/queries',
      '/v1/responses',
      '/v1/retrieve',
      '/v1/score/nli',
      '/v1/score/read',
      '/v1/score/rerank',
      '/v1/verify',
    ]);
    expect(paths['/v1/decisions']!.post!.responses['200']).toMatchObject({
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/Decision' } },
        'text/event-stream': { schema: { type: 'string' } },
      },
    });
    expect(Object.keys(components.schemas)).toEqual(
      expect.arrayContaining(['Decision', 'Problem', 'StageReport']),
    );
  });
});

describe('a request that does not fit', () => {
  const at = (where: string) => `${server.url}${where}`;
  it.each<[string, () => Promise<Response>, number, string, RegExp]>([
    ['no query', () => decide(server.url, {}), 400, 'INVALID_INPUT', /^query: /],
    [
      'a field that is none',
      () => decide(server.url, { query: 'x', nonsense: 1 }),
      400,
      'INVALID_INPUT',
      /nonsense/,
    ],
    ['no JSON', () => decide(server.url, '{"query":'), 400, 'INVALID_INPUT', /not JSON/],
    ['a list', () => decide(server.url, []), 400, 'INVALID_INPUT', /expected object/],
    ['nothing', () => decide(server.url, ''), 400, 'INVALID_INPUT', /JSON/],
    [
      'invalid UTF-8',
      () => decide(server.url, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])),
      400,
      'INVALID_INPUT',
      /UTF-8/,
    ],
    [
      'a depth that is none',
      () => decide(server.url, `{"query":"x","metadata":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
      400,
      'INVALID_INPUT',
      /deeper/,
    ],
    [
      'a body that is too large',
      () => decide(server.url, { query: 'x'.repeat(1024 * 1024) }),
      413,
      'INVALID_INPUT',
      /larger/,
    ],
    [
      'another type of content',
      () => decide(server.url, 'query=x', { 'content-type': 'application/x-www-form-urlencoded' }),
      415,
      'INVALID_INPUT',
      /type/,
    ],
    ['lines for one', () => decide(server.url, '{}', NDJSON_TYPE), 415, 'INVALID_INPUT', /type/],
    ['one for a stream', () => post(at('/v1/decisions:stream'), '{}'), 415, 'INVALID_INPUT', /type/],
    [
      'a path for a collection',
      () => post(at('/v1/decisions?collection=..%2F..%2Fetc'), { query: 'x' }),
      404,
      'NOT_FOUND',
      /collection/,
    ],
    [
      'a word of the language for a collection',
      () => post(at('/v1/decisions?collection=__proto__'), { query: 'x' }),
      404,
      'NOT_FOUND',
      /collection/,
    ],
    ['another address', () => fetch(at('/v1/..%2f..%2fetc/passwd')), 404, 'NOT_FOUND', /address/],
    ['a broken address', () => fetch(at('/v1/%ff')), 400, 'INVALID_INPUT', /./],
    ['another method', () => fetch(at('/v1/decisions')), 404, 'NOT_FOUND', /address/],
    [
      'no branch',
      () => post(at('/v1/retrieve'), { query: 'x', stage: 'all' }),
      400,
      'INVALID_INPUT',
      /stage/,
    ],
    ['no passages', () => post(at('/v1/verify'), { answer: 'x' }), 400, 'INVALID_INPUT', /passages/],
  ])('%s: a problem that says so', async (_, ask, status, code, detail) => {
    const response = await ask();
    expect(response.status).toBe(status);
    expect(await problem(response)).toMatchObject({ code, detail: expect.stringMatching(detail) });
  });

  /** What comes back for bytes that are no request that a client would write. */
  async function raw(bytes: string): Promise<string> {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(bytes);
    let said = '';
    for await (const chunk of socket) said += chunk;
    return said;
  }

  it('headers without end and what is no HTTP are refused, and the server lives', async () => {
    expect(
      await raw(`GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`),
    ).toMatch(/^HTTP\/1\.1 431 [\s\S]*problem\+json[\s\S]*INVALID_INPUT/);
    expect(await raw('HELO there\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [\s\S]*INVALID_INPUT/);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  it('by a name that leads here from elsewhere is refused: it is a page of somebody else', async () => {
    const sent = httpRequest(`${server.url}/v1/collections`, { headers: { host: 'evil.example' } }).end();
    const [received] = (await once(sent, 'response')) as [IncomingMessage];
    expect(received.statusCode).toBe(403);
    received.resume();
    const preflight = await fetch(`${server.url}/v1/decisions`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(404);
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('pages of other origins', () => {
  const WIKI = 'https://wiki.example';
  const from = (origin: string) => ({ origin });
  const allowed = ({ headers }: Response) => headers.get('access-control-allow-origin');

  it('that are named may ask and read, streams and problems too; others may not', async () => {
    const keys = path.join(folder, 'cors.json');
    const { text: key } = await createKey(keys, {
      ...{ name: 'x', scopes: ['decide'], collections: null, days: 1, perMinute: null },
    });
    await serving({ corsOrigins: [WIKI], keys }, async (url) => {
      const preflight = (origin: string) =>
        fetch(`${url}/v1/decisions`, {
          method: 'OPTIONS',
          headers: {
            ...from(origin),
            'access-control-request-method': 'POST',
            'access-control-request-headers': 'authorization,content-type',
          },
        });
      const asked = await preflight(WIKI);
      expect([asked.status, allowed(asked)]).toEqual([204, WIKI]);
      expect(asked.headers.get('access-control-allow-headers')).toContain('authorization');
      expect(asked.headers.get('access-control-allow-credentials')).toBeNull();
      expect(allowed(await preflight('https://evil.example'))).not.toBe('https://evil.example');
      const post = (path: string, body: string, type: object, headers: object) =>
        fetch(`${url}${path}`, { method: 'POST', body, headers: { ...type, ...headers } as HeadersInit });
      const mine = { ...from(WIKI), authorization: `Bearer ${key}` };
      const one = await post('/v1/decisions', lines[0]!, JSON_TYPE, mine);
      expect([one.status, allowed(one)]).toEqual([200, WIKI]);
      expect(one.headers.get('access-control-expose-headers')).toContain('x-request-id');
      await one.text();
      const stream = await post('/v1/decisions:stream', `${lines[0]}\n`, NDJSON_TYPE, mine);
      expect([stream.status, allowed(stream)]).toEqual([200, WIKI]);
      await stream.text();
      const events = await post('/v1/decisions', lines[0]!, JSON_TYPE, {
        ...mine,
        accept: 'text/event-stream',
      });
      expect([events.status, allowed(events)]).toEqual([200, WIKI]);
      await events.text();
      const refused = await post('/v1/decisions', lines[0]!, JSON_TYPE, from(WIKI));
      expect([refused.status, allowed(refused)]).toEqual([401, WIKI]);
      const evil = await post('/v1/decisions', lines[0]!, JSON_TYPE, {
        ...mine,
        ...from('https://evil.example'),
      });
      expect(allowed(evil)).not.toBe('https://evil.example');
    });
  });

  it('that are named need no key where nobody does, and are named as origins are', async () => {
    await serving({ corsOrigins: [WIKI] }, async (url) => {
      const as = (origin: string) => fetch(`${url}/v1/collections`, { headers: from(origin) });
      expect((await as(WIKI)).status).toBe(200);
      expect((await as('https://evil.example')).status).toBe(403);
    });
    for (const wrong of ['*', 'wiki.example', `${WIKI}/`, 'null']) {
      await expect(serve({ corsOrigins: [wrong] })).rejects.toMatchObject({ code: 'USAGE' });
    }
  });
});

it('writes on the audit log which passages and documents were given out, and to whom, without words', async () => {
  const audit = { file: path.join(folder, 'reads.audit'), key: path.join(folder, 'reads.key') };
  const words = 'technicians climb a mast';
  await serving({ audit }, async (url) => {
    const ranking = await fetch(`${url}/v1/retrieve`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ query: words, k: 3 }),
    });
    const { hits } = await ranking.json();
    const id = encodeURIComponent(hits[0].docId);
    expect((await fetch(`${url}/v1/collections/demo/documents/${id}`)).status).toBe(200);
    const entries = readFileSync(audit.file, 'utf8')
      .trimEnd()
      .split('\n')
      .flatMap((line) => JSON.parse(line).event ?? [])
      .filter(({ kind }: { kind: string }) => kind !== 'log.began');
    expect(entries).toMatchObject([
      {
        kind: 'passages.retrieved',
        about: 'demo',
        detail: { passages: hits.map(({ passageId }: { passageId: string }) => passageId) },
      },
      { kind: 'document.read', about: hits[0].docId, detail: { collection: 'demo' } },
    ]);
  });
  expect(await verifyLog(audit.file)).toMatchObject({ verdict: 'whole' });
  expect(readFileSync(audit.file, 'utf8')).not.toContain(words);
});

describe('too much at once', () => {
  const query = (i: number) => ({ id: `q${i}`, query: 'How long are raw observations kept?' });

  it('is told to come back, and what was taken is answered', async () => {
    await serving({ concurrency: 1, waiting: 2 }, async (url) => {
      const responses = await Promise.all(Array.from({ length: 12 }, (_, i) => decide(url, query(i))));
      const refused = responses.filter(({ status }) => status === 429);
      expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(3);
      expect(refused.length).toBeGreaterThan(0);
      for (const response of refused) {
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
        expect(await problem(response)).toMatchObject({ code: 'TOO_BUSY' });
      }
    });
  });

  it('of one caller in a minute, by the key before the server', async () => {
    const keys = path.join(folder, 'rates.json');
    const wish = { scopes: ['decide'] as const, collections: null, days: 1 };
    const slow = await createKey(keys, { ...wish, name: 'slow', perMinute: 2 });
    const other = await createKey(keys, { ...wish, name: 'other', perMinute: null });
    await serving({ keys, perMinute: 3 }, async (url) => {
      const statuses = async ({ text }: { text: string }) => {
        const got: number[] = [];
        for (let i = 0; i < 4; i += 1) {
          const { status } = await decide(url, query(i), { authorization: `Bearer ${text}` });
          got.push(status);
        }
        return got;
      };
      expect(await statuses(slow)).toEqual([200, 200, 429, 429]);
      expect(await statuses(other)).toEqual([200, 200, 200, 429]);
    });
  });

  it('takes longer than it may: 504', async () => {
    await serving({ timeoutMs: 1 }, async (url) => {
      const response = await decide(url, query(1));
      expect(response.status).toBe(504);
      expect(await problem(response)).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
      const [line] = (
        await (
          await fetch(`${url}/v1/decisions:stream`, { method: 'POST', headers: NDJSON_TYPE, body: lines[0]! })
        ).text()
      ).split('\n');
      expect(JSON.parse(line!)).toMatchObject({ error: { code: 'DEADLINE_EXCEEDED' } });
    });
  });
});

describe('a caller that goes away', () => {
  it('leaves no work behind, waiting or begun', async () => {
    const { collections, hold, letGo } = holding();
    await serving({ concurrency: 1, collections }, async (url) => {
      hold();
      const leaving = new AbortController();
      const body = JSON.stringify({ query: 'How long are raw observations kept?' });
      const asked = Array.from({ length: 8 }, () =>
        fetch(`${url}/v1/decisions`, { method: 'POST', headers: JSON_TYPE, body, signal: leaving.signal }),
      );
      await until(async () => (await metric(url, 'pragaura_queries_waiting')) === 7);
      leaving.abort();
      await Promise.allSettled(asked);
      await until(async () => (await metric(url, 'pragaura_problems_total', 'ABORTED')) === 8);
      expect(await metric(url, 'pragaura_decisions_total')).toBe(0);
      expect(await metric(url, 'pragaura_queries_waiting')).toBe(0);
      letGo();
      expect((await decide(url, body)).status).toBe(200);
    });
  });

  it('in the middle of a body or of a stream harms nobody', async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(
      'POST /v1/decisions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"query"',
    );
    await once(socket, 'connect');
    socket.destroy();
    const { sent, next } = await openStream(server.url);
    sent.write(`${lines[0]}\n{"id":"cut`);
    expect(await next()).toMatchObject({ id: 'd01' });
    sent.destroy();
    await until(async () => (await metric(server.url, 'pragaura_streams_open')) === 0);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });
});

describe('who is asking', () => {
  const keys = path.join(folder, 'keys.json');
  const all = { collections: null, perMinute: null, days: 30 };
  const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
  let reader: string;
  let readerId: string;
  let scraper: string;

  beforeAll(async () => {
    const made = await createKey(keys, { ...all, name: 'reader', scopes: ['decide'] });
    reader = made.text;
    readerId = made.key.id;
    scraper = (await createKey(keys, { ...all, name: 'scraper', scopes: ['metrics'] })).text;
  });

  it('nobody listens for others without keys', async () => {
    const none = path.join(folder, 'none.json');
    await expect(serve({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'CONFIGURATION' });
    await expect(serve({ host: '0.0.0.0', keys: none })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    writeFileSync(none, '{"schema":"pragaura.keys/1","keys":[]}');
    await expect(serve({ host: '0.0.0.0', keys: none })).rejects.toMatchObject({ code: 'CONFIGURATION' });
    const lasting = await createKey(none, { ...all, name: 'x', scopes: ['decide'] });
    await revokeKey(none, lasting.key.id);
    await expect(serve({ host: '0.0.0.0', keys: none })).rejects.toMatchObject({ code: 'CONFIGURATION' });
    await serving({ host: '0.0.0.0', keys }, async (url) => {
      expect((await decide(url, lines[0], bearer(reader))).status).toBe(200);
    });
  });

  it('a key opens what it is for, and nothing without one', async () => {
    await serving({ keys }, async (url) => {
      const health = await fetch(`${url}/healthz`);
      expect(health.status).toBe(200);
      const nobody = await decide(url, lines[0]);
      expect(nobody.status).toBe(401);
      expect(nobody.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(await problem(nobody)).toMatchObject({ code: 'TOKEN_REFUSED' });
      const forged = `${reader.slice(0, -1)}${reader.endsWith('A') ? 'B' : 'A'}`;
      for (const wrong of [
        bearer(forged),
        bearer('x'),
        bearer(`pragaura_${'0'.repeat(12)}_${'a'.repeat(43)}`),
      ]) {
        expect((await decide(url, lines[0], wrong)).status).toBe(401);
      }
      expect((await decide(url, lines[0], { authorization: `Basic ${reader}` })).status).toBe(401);
      expect((await decide(url, lines[0], bearer(reader))).status).toBe(200);
      const scored = await post(`${url}/v1/classify`, { query: 'x' }, bearer(reader));
      expect(await problem(scored)).toMatchObject({ status: 403, code: 'NOT_PERMITTED' });
      expect((await fetch(`${url}/metrics`, { headers: bearer(reader) })).status).toBe(403);
      const metrics = await fetch(`${url}/metrics`, { headers: bearer(scraper) });
      expect(metrics.status).toBe(200);
      const text = (await metrics.text()) + logged;
      for (const secret of [reader, scraper, forged]) expect(text).not.toContain(secret.slice(-43));
      expect(text).not.toContain('raw observations');
      expect(text).toContain(`key:${readerId}`);
    });
  });

  it('a key that was revoked is refused from the next request on, and ends its stream', async () => {
    const { key, text } = await createKey(keys, { ...all, name: 'leaked', scopes: ['decide'] });
    await serving({ keys }, async (url) => {
      const { sent, next } = await openStream(url, bearer(text));
      sent.write(`${lines[0]}\n`);
      expect(await next()).toMatchObject({ id: 'd01' });
      await revokeKey(keys, key.id);
      expect((await decide(url, lines[0], bearer(text))).status).toBe(401);
      sent.write(`${lines[1]}\n`);
      expect(await next()).toMatchObject({ id: 'd02', error: { code: 'TOKEN_REFUSED' } });
      expect(await next()).toMatchObject({ line: null, error: { code: 'TOKEN_REFUSED' } });
      expect(await next()).toBeNull();
      expect((await decide(url, lines[0], bearer(reader))).status).toBe(200);
    });
  });

  it('keys that cannot be read any more let nobody in', async () => {
    const file = path.join(folder, 'gone.json');
    const { text } = await createKey(file, { ...all, name: 'x', scopes: ['decide'] });
    await serving({ keys: file }, async (url) => {
      expect((await decide(url, lines[0], bearer(text))).status).toBe(200);
      writeFileSync(file, '{');
      expect((await decide(url, lines[0], bearer(text))).status).toBe(500);
      rmSync(file);
      expect(await problem(await decide(url, lines[0], bearer(text)))).toMatchObject({
        status: 500,
        code: 'CONFIGURATION',
        detail: expect.not.stringContaining('gone.json'),
      });
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    });
  });

  it('a bearer token says who one is, in the audit log too', async () => {
    const { SignJWT } = await import('jose');
    const secret = Buffer.alloc(32, 7);
    const jwks = { keys: [{ kty: 'oct', k: secret.toString('base64url') }] };
    writeFileSync(path.join(folder, 'jwks.json'), JSON.stringify(jwks));
    const principals = path.join(folder, 'principals.json');
    const settings = { issuer: 'https://login.example', audience: 'pragaura', keys: 'jwks.json' };
    writeFileSync(principals, JSON.stringify(settings));
    const token = (roles: string[]) =>
      new SignJWT({ roles })
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer(settings.issuer)
        .setAudience(settings.audience)
        .setSubject('ann')
        .setExpirationTime('5m')
        .sign(secret);
    const audit = { file: path.join(folder, 'audit.log'), key: path.join(folder, 'audit.key') };
    await serving({ principals, audit }, async (url) => {
      const staff = bearer(await token(['staff']));
      expect((await decide(url, lines[0], staff)).status).toBe(200);
      expect((await fetch(`${url}/metrics`, { headers: staff })).status).toBe(403);
      const administrator = bearer(await token(['administrator']));
      expect((await fetch(`${url}/metrics`, { headers: administrator })).status).toBe(200);
      const forged = await new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.alloc(32, 8));
      expect((await decide(url, lines[0], bearer(forged))).status).toBe(401);
    });
    expect(await verifyLog(audit.file)).toMatchObject({ verdict: 'whole' });
    const events = readFileSync(audit.file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).event);
    expect(events.find((event) => event?.kind === 'decision.made')).toMatchObject({
      by: { id: 'ann', roles: ['public', 'staff'], via: 'token' },
      about: 'd01',
    });
  });
});

describe('collections', () => {
  const small = path.join(folder, 'small');
  const documents = path.join(folder, 'documents');
  const put = (name: string, text: string) => writeFileSync(path.join(documents, name), text);

  beforeAll(async () => {
    mkdirSync(documents);
    put('harbour.md', '# Harbour\n\nThe harbour opens at 6 in the morning.\n');
    await indexDocuments([documents], { out: small });
  });

  const both = () => [
    { name: 'demo', index, scorers },
    { name: 'small', index: small, scorers },
  ];
  const when = { query: 'When does the harbour open?' };

  it('are asked by name, and by those only who may', async () => {
    const keys = path.join(folder, 'collections.json');
    const wish = { name: 'x', scopes: ['decide', 'retrieve'] as const, perMinute: null, days: 1 };
    const { text } = await createKey(keys, { ...wish, collections: ['small'] });
    await serving({ collections: both() }, async (url) => {
      const unnamed = await problem(await decide(url, when));
      expect(unnamed).toMatchObject({ status: 400, hint: 'There is demo, small.' });
      const named = await post(`${url}/v1/decisions?collection=small`, when);
      expect(await named.json()).toMatchObject({ evidence: [{ docId: 'documents/harbour.md' }] });
    });
    await serving({ collections: both(), keys }, async (url) => {
      const authorization = `Bearer ${text}`;
      expect((await decide(url, when, { authorization })).status).toBe(200);
      const other = await post(`${url}/v1/retrieve?collection=demo`, when, { authorization });
      // That there is one is not told either.
      expect(await problem(other)).toMatchObject({ status: 404, hint: 'There is small.' });
      const list = await (await fetch(`${url}/v1/collections`, { headers: { authorization } })).json();
      expect(list).toMatchObject({ collections: [{ name: 'small', pending: 0, calibrated: false }] });
      expect((list as { collections: unknown[] }).collections).toHaveLength(1);
    });
  });

  it('take up a new generation while they serve, and keep what they have where it is gone', async () => {
    await serving({ collections: both() }, async (url) => {
      const where = `${url}/v1/decisions?collection=small`;
      const state = async () => {
        const { collections } = (await (await fetch(`${url}/v1/collections`)).json()) as {
          collections: { name: string; index: string; stale: boolean }[];
        };
        return collections.find(({ name }) => name === 'small')!;
      };
      const before = await state();
      const asking = Array.from({ length: 5 }, () => post(where, when));
      put('ferry.md', '# Ferry\n\nThe ferry to Texel leaves at 7 in the morning.\n');
      await indexDocuments([documents], { out: small });
      expect((await Promise.all(asking)).map(({ status }) => status)).toEqual(Array(5).fill(200));
      await until(async () => (await state()).index !== before.index);
      const ferry = await post(where, { query: 'When does the ferry to Texel leave?' });
      expect(await ferry.json()).toMatchObject({
        evidence: [{ docId: 'documents/ferry.md' }, {}],
        versions: { index: (await state()).index },
      });
      rmSync(small, { recursive: true });
      await until(async () => (await state()).stale);
      expect((await post(where, when)).status).toBe(200);
      await indexDocuments([documents], { out: small });
      await until(async () => !(await state()).stale);
    });
  });
});

describe('the end', () => {
  it('comes after what was taken up, and streams say what they left', async () => {
    const { collections, hold, letGo } = holding();
    const own = await serve({ concurrency: 2, collections });
    const { sent, next } = await openStream(own.url);
    sent.write(`${lines[0]}\n`);
    expect(await next()).toMatchObject({ id: 'd01' });
    hold();
    const asked = lines.slice(0, 8).map((line) => decide(own.url, line));
    await until(async () => (await metric(own.url, 'pragaura_queries_waiting')) === 6);
    const closed = own.close(600_000);
    letGo();
    const responses = await Promise.all(asked);
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
    for (const response of responses) Decision.parse(await response.json());
    expect(await next()).toMatchObject({ id: null, line: null, error: { code: 'ABORTED' } });
    expect(await next()).toBeNull();
    sent.end(`${lines[1]}\n`);
    await closed;
    await expect(fetch(`${own.url}/healthz`)).rejects.toThrow();
  });

  it('comes at its deadline with a word for those who wait', async () => {
    const { collections, hold } = holding();
    const own = await serve({ concurrency: 1, collections });
    hold();
    const asked = lines.slice(0, 8).map((line) => decide(own.url, line));
    await until(async () => (await metric(own.url, 'pragaura_queries_waiting')) === 7);
    await own.close(0);
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(8).fill(503));
  });
});
