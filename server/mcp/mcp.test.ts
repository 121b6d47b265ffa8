/** The protocol by its own client: over real sockets, and over the standard input of a real process. */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN, runCli } from '../../cli/testing/cli.ts';
import { type Decision, indexDocuments, openRouter, type Router } from '../../router/index.ts';
import { demoIndex } from '../../router/testing/demo-index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { openLog } from '../../workers/health/log.ts';
import { createKey, revokeKey } from '../keys.ts';
import type { Server, ServerOptions } from '../server.ts';
import { testServer } from '../testing/serve.ts';

const DEMO = path.join(import.meta.dirname, '../../router/demo');
const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-mcp-'));
const index = path.join(folder, 'demo.index');
const small = path.join(folder, 'small.index');
const FACT = 'Up to which wind speed may technicians climb a mast?';

let scorers: Scorers;
let router: Router;
let server: Server;
let asked: Decision;

async function serve(options: Partial<ServerOptions> = {}): Promise<Server> {
  return testServer({
    collections: [{ name: 'demo', index, scorers }],
    scorers,
    log: openLog({ level: 'silent', write: () => {} }),
    ...options,
  });
}

interface Connecting {
  key?: string;
  elicited?: (message: string, schema: unknown) => Promise<ElicitResult>;
}

async function connected(transport: Transport, { elicited }: Connecting = {}): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: elicited === undefined ? {} : { elicitation: { form: {} } } },
  );
  if (elicited !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) =>
      elicited(params.message, (params as { requestedSchema: unknown }).requestedSchema),
    );
  }
  await client.connect(transport);
  return client;
}

function overHttp(url: string, options: Connecting = {}): Promise<Client> {
  const headers = options.key === undefined ? {} : { authorization: `Bearer ${options.key}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
  return connected(transport as Transport, options);
}

const call = (client: Client, name: string, args: Record<string, unknown>) =>
  client.callTool({ name, arguments: args }) as Promise<{
    isError?: boolean;
    structuredContent: Record<string, never>;
    content: { type: string; text?: string; uri?: string }[];
  }>;

/** A query of the demo that is asked back, with what may be chosen. */
async function askedBack(): Promise<Decision> {
  const lines = readFileSync(path.join(DEMO, 'queries.ndjson'), 'utf8').trimEnd().split('\n');
  for (const line of lines) {
    const decision = await router.route(JSON.parse(line));
    if (decision.clarification?.question?.options.length && JSON.parse(line).history === undefined)
      return decision;
  }
  throw new Error('the demo asks nothing back');
}

beforeAll(async () => {
  await demoIndex(index);
  const documents = path.join(folder, 'documents');
  mkdirSync(documents);
  for (let i = 0; i < 150; i += 1) {
    writeFileSync(path.join(documents, `hall ${i}.md`), `# Hall ${i}\n\nThe lamp in hall ${i} is lit.\n`);
  }
  await indexDocuments([documents], { out: small });
  scorers = await openScorers({ threads: 2 });
  router = await openRouter({ index, scorers });
  server = await serve();
  asked = await askedBack();
});

afterAll(async () => {
  await server?.close(0);
  await router?.close();
  await scorers?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('over HTTP', () => {
  it('tools say briefly what they are for, with schemas of both sides', async () => {
    const client = await overHttp(server.url);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['ask', 'search', 'verify']);
    for (const { description, inputSchema, outputSchema, annotations } of tools) {
      expect(description!.length).toBeLessThan(160);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: 'object' });
      expect(annotations).toMatchObject({ readOnlyHint: true });
    }
    await client.close();
  });

  it('ask gives the decision of route, with links to what it quotes', async () => {
    const client = await overHttp(server.url);
    const { structuredContent, content } = await call(client, 'ask', { question: FACT });
    const decision = await router.route({ id: 'x', query: FACT });
    expect(structuredContent).toMatchObject({ action: 'ANSWER', answer: decision.answer });
    const { sources } = structuredContent as unknown as { sources: { uri: string; docId: string }[] };
    expect(sources[0]!.docId).toBe(decision.answer!.quotes[0]!.docId);
    expect(content[0]!.text).toContain(decision.answer!.text);
    expect(content[1]).toMatchObject({ type: 'resource_link', uri: sources[0]!.uri });
    const { contents } = await client.readResource({ uri: sources[0]!.uri });
    expect((contents[0] as { text: string }).text).toContain(decision.answer!.quotes[0]!.text);
    const unknown = await call(client, 'ask', { question: 'Who is the king of Norway?' });
    expect(unknown.structuredContent).toMatchObject({
      action: 'ABSTAIN',
      abstention: { message: expect.any(String) },
    });
    expect(unknown.isError).toBeUndefined();
    await client.close();
  });

  it('search and verify give what retrieve and verify give', async () => {
    const client = await overHttp(server.url);
    const { structuredContent } = await call(client, 'search', { query: FACT, k: 2 });
    const { hits } = structuredContent as unknown as { hits: { passageId: string; score: number }[] };
    const ranked = await router.rank('reranked', { query: FACT }, 2);
    expect(hits.map(({ passageId, score }) => ({ passageId, score }))).toEqual(
      ranked.map(({ passageId, score }) => ({ passageId, score })),
    );
    const verified = await call(client, 'verify', {
      answer: 'It opened in 1932 [1]. It is made of cheese.',
      passages: ['The bridge was opened in 1932.', { text: 'It is made of steel.', title: 'Steel' }],
    });
    expect(verified.structuredContent).toMatchObject({ counts: { supported: 1 } });
    await client.close();
  });

  it('a question back is put to the user where the client can, and to the model where not', async () => {
    const [option] = asked.clarification!.question!.options;
    const plain = await overHttp(server.url);
    const told = await call(plain, 'ask', { question: asked.query });
    expect(told.structuredContent).toMatchObject({ action: 'ASK', clarification: asked.clarification });
    await plain.close();

    const messages: string[] = [];
    const accepting = await overHttp(server.url, {
      elicited: async (message, schema) => {
        messages.push(message);
        expect(schema).toMatchObject({
          properties: { choice: { enum: expect.arrayContaining([option!.value]) } },
        });
        return { action: 'accept', content: { choice: option!.value } };
      },
    });
    const { structuredContent } = await call(accepting, 'ask', { question: asked.query });
    expect(messages[0]).toBe(asked.clarification!.message);
    const replied = await router.route({
      id: 'x',
      query: option!.value,
      history: [
        { role: 'user', text: asked.query },
        { role: 'assistant', text: asked.clarification!.message },
      ],
    });
    expect(replied.action).not.toBe('ASK');
    expect(structuredContent).toMatchObject({ action: replied.action });
    await accepting.close();

    const declining = await overHttp(server.url, { elicited: async () => ({ action: 'decline' }) });
    expect((await call(declining, 'ask', { question: asked.query })).structuredContent).toMatchObject({
      action: 'ASK',
    });
    await declining.close();
  });

  it('documents are listed page by page and read by their addresses, and nothing else is', async () => {
    const own = await serve({
      collections: [
        { name: 'demo', index, scorers },
        { name: 'small', index: small, scorers },
      ],
    });
    const client = await overHttp(own.url);
    const uris: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.listResources(cursor === undefined ? {} : { cursor });
      uris.push(...page.resources.map(({ uri }) => uri));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(uris).toHaveLength(150 + router.documents.length);
    expect(new Set(uris).size).toBe(uris.length);
    const hall = 'pragaura://small/documents/hall%207.md';
    expect(uris).toContain(hall);
    const { contents } = await client.readResource({ uri: hall });
    expect(contents).toMatchObject([
      { uri: hall, text: expect.stringContaining('The lamp in hall 7 is lit.') },
    ]);
    for (const uri of [
      'pragaura://none/documents/hall%207.md',
      'pragaura://small/../../etc/passwd',
      'pragaura://small/%E0%A4%A',
      'file:///etc/passwd',
      'pragaura://__proto__/x',
    ]) {
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32002 });
    }
    await expect(client.listResources({ cursor: 'demo:x' })).rejects.toMatchObject({ code: -32602 });
    const unnamed = await call(client, 'ask', { question: FACT });
    expect(unnamed).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^INVALID_INPUT.*demo, small/) }],
    });
    expect(
      (await call(client, 'ask', { question: FACT, collection: 'demo' })).structuredContent,
    ).toMatchObject({
      action: 'ANSWER',
    });
    await client.close();
    await own.close(0);
  });

  it('input that does not fit is told to the model, which can mend it', async () => {
    const client = await overHttp(server.url);
    for (const [name, args] of [
      ['ask', {}],
      ['ask', { question: 'x', nonsense: 1 }],
      ['search', { query: 'x', k: 1000 }],
      ['verify', { answer: 'x' }],
      ['delete', {}],
    ] as const) {
      expect(await call(client, name, args)).toMatchObject({ isError: true });
    }
    await client.close();
  });

  it('has keys, scopes, collections and limits as all paths have', async () => {
    const keys = path.join(folder, 'keys.json');
    const wish = { collections: null, perMinute: null, days: 1 };
    const asker = await createKey(keys, { ...wish, name: 'asker', scopes: ['decide'], perMinute: 1 });
    const reader = await createKey(keys, {
      ...wish,
      name: 'reader',
      scopes: ['retrieve'],
      collections: ['none'],
    });
    const own = await serve({ keys });
    await expect(overHttp(own.url)).rejects.toThrow();
    const client = await overHttp(own.url, { key: asker.text });
    expect(await call(client, 'search', { query: FACT })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^NOT_PERMITTED/) }],
    });
    await expect(client.listResources()).rejects.toMatchObject({ data: { code: 'NOT_PERMITTED' } });
    expect((await call(client, 'ask', { question: FACT })).isError).toBeUndefined();
    expect(await call(client, 'ask', { question: FACT })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^TOO_BUSY.*Try again in/) }],
    });
    const other = await overHttp(own.url, { key: reader.text });
    expect(await other.listResources()).toEqual({ resources: [] });
    // A session is of its caller: to another one there is none.
    const { sessionId } = client.transport as StreamableHTTPClientTransport;
    const stolen = await fetch(`${own.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${reader.text}`,
        'mcp-session-id': sessionId!,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(stolen.status).toBe(404);
    await revokeKey(keys, asker.key.id);
    await expect(client.listTools()).rejects.toThrow(/401|TOKEN_REFUSED/);
    await own.close(0);
  });

  it('is not for pages of others, and says what is no request of it', async () => {
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    };
    const send = async (body: unknown, headers: Record<string, string> = {}) => {
      const sent = httpRequest(`${server.url}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      });
      sent.end(typeof body === 'string' ? body : JSON.stringify(body));
      const [received] = (await once(sent, 'response')) as [IncomingMessage];
      received.resume();
      return received.statusCode;
    };
    expect(await send(initialize)).toBe(200);
    expect(await send(initialize, { origin: 'http://localhost:3000' })).toBe(200);
    expect(await send(initialize, { origin: 'https://evil.example' })).toBe(403);
    expect(await send(initialize, { origin: 'null' })).toBe(403);
    expect(await send(initialize, { host: 'evil.example' })).toBe(403);
    expect(await send(initialize, { accept: 'application/json' })).toBe(406);
    expect(await send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).toBe(400);
    expect(await send(initialize, { 'mcp-session-id': 'none' })).toBe(404);
    expect(await send('{')).toBe(400);
    expect(await send([initialize, initialize])).toBe(400);
  });

  it('ends with the server: what was asked is answered, and nobody waits for a user any more', async () => {
    const own = await serve();
    let isAsked: () => void;
    const reached = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const client = await overHttp(own.url, {
      elicited: () => {
        isAsked();
        return new Promise(() => {});
      },
    });
    const answer = call(client, 'ask', { question: asked.query });
    await reached;
    const closed = own.close(600_000);
    expect((await answer).structuredContent).toMatchObject({ action: 'ASK' });
    await closed;
    await client.close();
  });

  it('a caller who cancels, or goes away, leaves no work behind', async () => {
    const hanging = Object.create(scorers, {
      nli: {
        value: (_: unknown, { signal }: { signal: AbortSignal }) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
          ),
      },
    }) as Scorers;
    const own = await serve({ collections: [{ name: 'demo', index, scorers: hanging }] });
    const inWork = async () =>
      /pragaura_queries_in_work (\d+)/.exec(await (await fetch(`${own.url}/metrics`)).text())![1];
    const cancelling = new AbortController();
    const client = await overHttp(own.url);
    const options = { signal: cancelling.signal };
    const cancelled = client.callTool({ name: 'ask', arguments: { question: FACT } }, undefined, options);
    const leaver = await overHttp(own.url);
    const left = call(leaver, 'ask', { question: FACT });
    while ((await inWork()) !== '2') await sleep(20);
    cancelling.abort('changed my mind');
    await expect(cancelled).rejects.toThrow(/changed my mind/);
    while ((await inWork()) !== '1') await sleep(20);
    await Promise.all([expect(left).rejects.toThrow(), leaver.close()]);
    while ((await inWork()) !== '0') await sleep(20);
    await client.close();
    await own.close(0);
  });
});

describe('over standard input and output', () => {
  const command = [MAIN, 'mcp', '--index', index, '--threads', '1'];

  it('does what it does over HTTP, and says nothing else', async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: command,
      env: getDefaultEnvironment(),
      stderr: 'pipe',
    });
    const client = await connected(transport, {
      elicited: async () => ({ action: 'accept', content: { reply: 'never mind' } }),
    });
    const problems: Error[] = [];
    client.onerror = (error) => problems.push(error);
    expect(client.getServerVersion()).toMatchObject({ name: 'pragaura' });
    const { structuredContent } = await call(client, 'ask', { question: FACT });
    const { answer } = await router.route({ id: 'x', query: FACT });
    expect(structuredContent).toMatchObject({ action: 'ANSWER', answer });
    const reply = await call(client, 'ask', { question: asked.query });
    expect(reply.structuredContent).toMatchObject({ action: expect.stringMatching(/ASK|ABSTAIN/) });
    expect((await client.listResources()).resources[0]!.uri).toMatch(/^pragaura:\/\/demo\//);
    await client.close();
    expect(problems).toEqual([]);
  });

  it('answers all that was asked before its input ends, and survives what is no message', async () => {
    const message = (id: number, method: string, params: object) =>
      JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const initialize = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    const { code, stdout, stderr } = await runCli(command.slice(1), {
      input: [
        message(1, 'initialize', initialize),
        JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
        'no json',
        '{"jsonrpc":"2.0"}',
        message(2, 'tools/call', { name: 'ask', arguments: { question: FACT } }),
        message(3, 'none', {}),
        '',
      ].join('\n'),
    });
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
    expect(lines.find(({ id }) => id === 2)).toMatchObject({
      result: { structuredContent: { action: 'ANSWER' } },
    });
    expect(lines.find(({ id }) => id === 3)).toMatchObject({ error: { code: -32601 } });
    for (const line of stderr.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('event');
    expect(stderr).not.toContain('no json');
    expect(code).toBe(0);
  });

  it('shows what a policy lets whoever started it read', async () => {
    const file = (name: string, text: string) => {
      writeFileSync(path.join(folder, name), text);
      return path.join(folder, name);
    };
    const policy = file(
      'policy.cedar',
      `permit (principal, action == Action::"read", resource is Document) when { resource.tags.contains("open") };
       permit (principal in Role::"administrator", action == Action::"read", resource is Document);`,
    );
    const documents = { 'documents/handbook/': { tags: ['open'] } };
    const labels = file('labels.json', JSON.stringify({ schema: 'pragaura.labels/1', documents }));
    const seen = async (...more: string[]) => {
      const args = [...command, '--policy-file', policy, '--document-labels', labels, ...more];
      const transport = new StdioClientTransport({
        ...{ command: process.execPath, args, env: getDefaultEnvironment(), stderr: 'pipe' },
      });
      const client = await connected(transport, {});
      const { resources } = await client.listResources();
      await client.close();
      return resources.map(({ uri }) => decodeURIComponent(uri.replace('pragaura://demo/', '')));
    };
    const handbook = router.documents.flatMap(({ docId }) => (docId.includes('/handbook/') ? [docId] : []));
    expect(await seen()).toEqual(handbook);
    expect((await seen('--trust-local')).length).toBeGreaterThan(handbook.length);
  });

  it('that cannot begin says why, on standard error', async () => {
    const { code, stdout, stderr } = await runCli(['mcp', '--index', folder]);
    expect({ code, stdout }).toEqual({ code: 66, stdout: '' });
    expect(stderr).toMatch(/not an index/);
  });
});
