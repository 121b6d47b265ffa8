/** Both adapters by their libraries' own calls, over real models and real sockets. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { RunnableLambda } from '@langchain/core/runnables';
import { APICallError, generateText, stepCountIs, streamText, wrapLanguageModel } from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withoutClocks } from '../common/index.ts';
import { GeneratorServer } from '../generation/testing/server.ts';
import { Decision, openRouter, type Router } from '../router/index.ts';
import { demoIndex } from '../router/testing/demo-index.ts';
import { openScorers, type Scorers } from '../scorers/index.ts';
import { createKey } from '../server/keys.ts';
import { testServer } from '../server/testing/serve.ts';
import { openLog } from '../workers/health/log.ts';
import { askTool, gate } from './ai.ts';
import { decider, PragauraRetriever } from './langchain.ts';

const FACT = 'Up to which wind speed may technicians climb a mast?';
/** Answered with a span that is sure, which a language model may word. */
const SURE = 'When was the FTP feed retired?';
const UNKNOWN = 'Who won the football world cup in 1998?';
const OPEN = 'How often is it calibrated?';
const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-adapters-'));
const index = path.join(folder, 'index');
const upstream = new GeneratorServer();

let scorers: Scorers;
let router: Router;
let provider: ReturnType<typeof createOpenAICompatible>;

beforeAll(async () => {
  await demoIndex(index);
  scorers = await openScorers({ threads: 2 });
  router = await openRouter({ index, scorers });
  provider = createOpenAICompatible({ name: 'test', baseURL: await upstream.start() });
});
afterAll(async () => {
  await upstream.stop();
  await router.close();
  await scorers.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  upstream.asked.length = 0;
});

const routed = (query: string) => router.route({ id: 'q', query });
const told = (decision: unknown) => withoutClocks(JSON.stringify({ ...Decision.parse(decision), id: 'q' }));
const same = (decision: unknown, other: Decision) => expect(told(decision)).toBe(told(other));

describe('LangChain.js', () => {
  it('retrieves the passages that the router ranks first', async () => {
    const found = await new PragauraRetriever({ router, k: 3 }).invoke(FACT);
    const ranked = await router.rank('reranked', { query: FACT }, 3);
    expect(found.map(({ id, pageContent, metadata }) => [id, pageContent, metadata.score])).toEqual(
      ranked.map(({ passageId, text, score }) => [passageId, text, score]),
    );
    expect(found[0]!.pageContent).toContain('wind');
  });

  it('retrieves only what filters let through', async () => {
    const [first] = await new PragauraRetriever({ router }).invoke(FACT);
    const { docId } = first!.metadata;
    const filters = { docId: [docId] };
    const found = await new PragauraRetriever({ router, filters, k: 20 }).invoke(FACT);
    expect(new Set(found.map(({ metadata }) => metadata.docId))).toEqual(new Set([docId]));
    const none = new PragauraRetriever({ router, filters: { docId: ['none'] } });
    expect(await none.invoke(FACT)).toEqual([]);
  });

  it('decides in a chain, as route does', async () => {
    const chain = decider(router).pipe(RunnableLambda.from((decision: Decision) => decision));
    same(await chain.invoke(FACT), await routed(FACT));
    same(await chain.invoke({ id: 'q', query: UNKNOWN }), await routed(UNKNOWN));
  });

  it('is cancelled by its caller', async () => {
    const signal = AbortSignal.abort();
    await expect(decider(router).invoke(FACT, { signal })).rejects.toThrow();
  });
});

describe('a gate of the Vercel AI SDK', () => {
  const gated = () => wrapLanguageModel({ model: provider('m'), middleware: gate({ router, scorers }) });
  const recordOf = (metadata: unknown) => (metadata as { pragaura: Record<string, unknown> }).pragaura;

  it.each([UNKNOWN, OPEN])('asks the model nothing for what is not answered: %s', async (prompt) => {
    const { text, providerMetadata } = await generateText({ model: gated(), prompt });
    const decision = await routed(prompt);
    expect(text).toContain((decision.clarification ?? decision.abstention)!.message);
    same(recordOf(providerMetadata).decision, decision);
    expect(upstream.asked).toEqual([]);
  });

  it('shows what the model says and the quotes bear out, and nothing else', async () => {
    const said = (await routed(SURE)).answer!.quotes.at(-1)!.text;
    upstream.replies = [{ text: `${said} [1] The moon is made of green cheese. [1]` }];
    const stream = streamText({ model: gated(), prompt: SURE });
    let text = '';
    for await (const piece of stream.textStream) text += piece;
    expect(text).not.toContain('cheese');
    expect(recordOf(await stream.providerMetadata)).toMatchObject({
      decision: { action: 'ANSWER' },
      generation: { model: 'm' },
    });
    expect(upstream.asked).toHaveLength(1);
    expect(JSON.stringify(upstream.asked[0]!.body.messages)).toContain(SURE);
  });

  it.each([{ status: 500 }, { breakAfter: 2, text: 'Up to twelve' }])(
    'shows the quotes where the model fails: %o',
    async (reply) => {
      upstream.replies = [reply];
      const { text, providerMetadata } = await generateText({ model: gated(), prompt: SURE });
      expect(text).toContain((await routed(SURE)).answer!.text);
      expect(recordOf(providerMetadata)).toMatchObject({
        generation: { status: 'quotes', failure: { code: 'GENERATOR_UNAVAILABLE' } },
      });
    },
  );

  it('leaves the model when nobody reads the turn any more', async () => {
    const said = (await routed(SURE)).answer!.quotes.at(-1)!.text;
    const before = upstream.left;
    upstream.replies = [{ text: `${said} [1] ${'And so on. '.repeat(1000)}`, pause: 10 }];
    const { stream } = await gated().doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: SURE }] }],
    });
    const reader = stream.getReader();
    let type = '';
    while (type !== 'text-delta') type = (await reader.read()).value!.type;
    expect(upstream.left).toBe(before);
    await reader.cancel();
    await expect.poll(() => upstream.left).toBe(before + 1);
  });

  it('takes earlier turns as history', async () => {
    const question = (await routed(OPEN)).clarification!.message;
    const messages = [
      { role: 'user' as const, content: OPEN },
      { role: 'assistant' as const, content: question },
      { role: 'user' as const, content: 'Who leads the platform team?' },
    ];
    upstream.replies = [{ status: 500 }];
    const { providerMetadata } = await generateText({ model: gated(), messages });
    const history = messages.slice(0, 2).map(({ role, content }) => ({ role, text: content }));
    same(
      recordOf(providerMetadata).decision,
      await router.route({ id: 'q', query: messages[2]!.content, history }),
    );
  });

  it('refuses what is no question in words', async () => {
    const image = { type: 'image' as const, image: Buffer.from('x'), mediaType: 'image/png' };
    for (const messages of [
      [{ role: 'user' as const, content: [image] }],
      [{ role: 'assistant' as const, content: 'Hello.' }],
    ]) {
      await expect(generateText({ model: gated(), messages, maxRetries: 0 })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
    }
  });
});

describe('a tool of the Vercel AI SDK', () => {
  it('answers in quotes when a model calls it', async () => {
    const call = {
      index: 0,
      id: 'c1',
      type: 'function',
      function: { name: 'ask', arguments: JSON.stringify({ question: FACT }) },
    };
    upstream.replies = [{ delta: { tool_calls: [call] }, ending: 'tool_calls' }, { text: 'Done.' }];
    const stream = streamText({
      model: provider('m'),
      prompt: 'Climb?',
      tools: { ask: askTool(router) },
      stopWhen: stepCountIs(2),
    });
    await stream.consumeStream();
    const [result] = (await stream.steps)[0]!.toolResults;
    const decision = await routed(FACT);
    expect(result!.output).toMatchObject({ action: 'ANSWER', answer: { text: decision.answer!.text } });
    expect(await stream.text).toBe('Done.');
  });
});

it('the AI SDK is a client of the server, keys and all', async () => {
  const keys = path.join(folder, 'keys.json');
  const { text: key } = await createKey(keys, {
    name: 'sdk',
    scopes: ['decide'],
    collections: null,
    days: 1,
    perMinute: null,
  });
  const log = openLog({ level: 'silent', write: () => {} });
  const server = await testServer({ collections: [{ name: 'demo', index, scorers }], scorers, log, keys });
  try {
    const client = (apiKey: string) =>
      createOpenAICompatible({ name: 'pragaura', baseURL: `${server.url}/v1`, apiKey })('demo');
    const { text } = await generateText({ model: client(key), prompt: FACT });
    expect(text).toContain((await routed(FACT)).answer!.text);
    const refused = await generateText({ model: client('none'), prompt: FACT, maxRetries: 0 }).catch(
      (error) => error,
    );
    expect(APICallError.isInstance(refused)).toBe(true);
    expect(refused).toMatchObject({ statusCode: 401 });
  } finally {
    await server.close(0);
  }
});
