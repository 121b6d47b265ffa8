/** The gate by OpenAI's own client over real sockets, without a language model and with one. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutClocks } from '../../common/index.ts';
import {
  type FactualityThresholds,
  factualityMadeWith,
  openGenerator,
  samplerOf,
} from '../../generation/index.ts';
import { GeneratorServer } from '../../generation/testing/server.ts';
import {
  type CalibratedThresholds,
  type Decision,
  openRouter,
  provisionalThresholds,
  type Router,
} from '../../router/index.ts';
import { demoIndex } from '../../router/testing/demo-index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { openLog } from '../../workers/health/log.ts';
import { createKey } from '../keys.ts';
import type { Server, ServerOptions } from '../server.ts';
import { testServer } from '../testing/serve.ts';
import { Generated } from './contracts.ts';

const FACT = 'Up to which wind speed may technicians climb a mast?';
const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-openai-'));
const index = path.join(folder, 'index');
const upstream = new GeneratorServer();

let scorers: Scorers;
let router: Router;
let quotes: Server;
let worded: Server;
let logged = '';

async function serve(options: Partial<ServerOptions> = {}): Promise<Server> {
  return testServer({
    collections: [{ name: 'demo', index, scorers }],
    scorers,
    log: openLog({
      level: 'info',
      write: (line) => {
        logged += line;
      },
    }),
    ...options,
  });
}

const clientOf = ({ url }: Server, apiKey = 'any') =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });

/** What the documented field of an answer holds. */
const decided = (answer: object) => Generated.parse((answer as { pragaura: unknown }).pragaura);

const user = (content: string) => ({ role: 'user' as const, content });
const assistant = (content: string) => ({ role: 'assistant' as const, content });

beforeAll(async () => {
  await demoIndex(index);
  scorers = await openScorers({ threads: 2 });
  router = await openRouter({ index, scorers });
  quotes = await serve();
  const retries = { tries: 1, firstDelayMs: 1, longestDelayMs: 1 };
  worded = await serve({
    writer: {
      generator: openGenerator({
        url: await upstream.start(),
        model: 'm',
        retries,
        limits: { idleMs: 2000 },
      }),
    },
  });
});

afterAll(async () => {
  await quotes?.close(0);
  await worded?.close(0);
  await upstream.stop();
  await router?.close();
  await scorers?.close();
  rmSync(folder, { recursive: true, force: true });
});

it("answers another client than OpenAI's: the provider of the AI SDK, whole, in a stream and in problems", async () => {
  const provider = createOpenAICompatible({ name: 'pragaura', baseURL: `${quotes.url}/v1` });
  const asked = { prompt: FACT, maxRetries: 0 };
  const { text } = await generateText({ model: provider('demo'), ...asked });
  expect(text).toContain('10 metres per second');
  let streamed = '';
  for await (const piece of streamText({ model: provider('demo'), ...asked }).textStream) streamed += piece;
  expect(streamed).toBe(text);
  await expect(generateText({ model: provider('none'), ...asked })).rejects.toMatchObject({
    statusCode: 404,
  });
});

describe('without a language model', () => {
  it('an answer is the quotes, beside the decision of route, whole and in a stream', async () => {
    const client = clientOf(quotes);
    const system = { role: 'system' as const, content: 'You are a pirate.' };
    const chat = { model: 'demo', messages: [system, user(FACT)] };
    const completion = await client.chat.completions.create(chat);
    const { id, decision, generation } = decided(completion);
    expect(withoutClocks(JSON.stringify(decision))).toBe(
      withoutClocks(JSON.stringify(await router.route({ id, query: FACT, history: [] }))),
    );
    expect(generation).toBeNull();
    const [choice] = completion.choices;
    expect(choice).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant' } });
    expect(choice!.message.content!.startsWith(decision.answer!.text)).toBe(true);
    expect(completion.usage).toEqual({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 });

    const stream = await client.chat.completions.create({
      ...chat,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    const records: Generated[] = [];
    let usage = null;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      if (chunk.choices[0]?.finish_reason === 'stop') records.push(decided(chunk));
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe(choice!.message.content);
    expect(records.map((record) => record.decision.action)).toEqual(['ANSWER']);
    expect(usage).toMatchObject({ total_tokens: 0 });
  });

  it('a response is the same, whole and in a stream', async () => {
    const client = clientOf(quotes);
    const whole = await client.responses.create({
      model: 'pragaura',
      input: FACT,
      instructions: 'Be brief.',
    });
    const { decision } = decided(whole);
    expect(decision.action).toBe('ANSWER');
    expect(whole.output_text.startsWith(decision.answer!.text)).toBe(true);
    const types: string[] = [];
    const stream = client.responses.stream({ model: 'demo', input: [user(FACT)] });
    stream.on('event', ({ type }) => types.push(type));
    const final = await stream.finalResponse();
    expect(final.output_text).toBe(whole.output_text);
    expect(decided(final).decision.answer).toEqual(decision.answer);
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
  });

  it('turns are the history: what we asked back and said below an answer is known again', async () => {
    const client = clientOf(quotes);
    const query = 'Who is the king of Norway?';
    const refused = await client.chat.completions.create({ model: 'demo', messages: [user(query)] });
    const { decision } = decided(refused);
    expect(decision.action).toBe('ABSTAIN');
    const said = refused.choices[0]!.message.content!;
    expect(said.startsWith(decision.abstention!.message)).toBe(true);
    const next = 'Up to which wind speed may they climb it?';
    const messages = [user(FACT), assistant(`10 metres per second.\n\nNoted:\n- a word.`), user(next)];
    const second = decided(await client.chat.completions.create({ model: 'demo', messages })).decision;
    const history = [
      { role: 'user' as const, text: FACT },
      { role: 'assistant' as const, text: '10 metres per second.' },
    ];
    const expected = await router.route({ id: 'x', query: next, history });
    expect(second.selfContained).toEqual(expected.selfContained);
    expect(second.action).toBe(expected.action);
    const models = await client.models.list();
    expect(models.data.map(({ id }) => id)).toEqual(['demo']);
  });

  it('what is wrong is an error of the client, with our code', async () => {
    const client = clientOf(quotes);
    const chat = client.chat.completions;
    const image = { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x' } }] };
    for (const [body, status, said] of [
      [{ model: 'demo', messages: [] }, 400, /messages/],
      [{ model: 'demo', messages: [user('x'), assistant('y')] }, 400, /last turn/],
      [{ model: 'demo', messages: [image] }, 400, /only text/],
      [{ model: 'demo', messages: [user('x')], n: 2 }, 400, /one answer/],
      [{ model: 'demo', messages: [user('x')], response_format: { type: 'json_object' } }, 400, /text/],
      [{ model: 'gpt-4o', messages: [user('x')] }, 404, /no such collection.*demo/],
      [{ model: 'gpt-4o', messages: [user('x')], stream: true }, 404, /no such collection/],
    ] as const) {
      const failed = await (chat.create(body as never) as Promise<unknown>).catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(OpenAI.APIError);
      expect(failed).toMatchObject({ status, code: status === 404 ? 'NOT_FOUND' : 'INVALID_INPUT' });
      expect((failed as Error).message).toMatch(said);
    }
    await expect(
      client.responses.create({ model: 'demo', input: 'x', previous_response_id: 'resp_1' }),
    ).rejects.toMatchObject({ status: 400, message: expect.stringMatching(/nothing is kept/) });
    const keys = path.join(folder, 'keys.json');
    const wish = { name: 'x', collections: null, days: 1, scopes: ['decide'] as const };
    const { text } = await createKey(keys, { ...wish, perMinute: 1 });
    const own = await serve({ keys });
    const body = { model: 'demo', messages: [user('Thanks!')] };
    await expect(clientOf(own).chat.completions.create(body)).rejects.toMatchObject({ status: 401 });
    expect(decided(await clientOf(own, text).chat.completions.create(body)).decision.action).toBe('ABSTAIN');
    const busy = clientOf(own, text).chat.completions.create(body);
    await expect(busy).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await own.close(0);
  });
});

describe('with a language model', () => {
  // Answered with a span that is sure, which a language model may word.
  const chat = { model: 'demo', messages: [user('When was the FTP feed retired?')] };
  const SAID = 'The FTP feed was retired on 30 June 2023 [1]. The moon is made of cheese [1].';

  it('an answer is worded by it, and only what the quotes bear out is shown', async () => {
    upstream.replies = [{ text: SAID }];
    const client = clientOf(worded);
    const completion = await client.chat.completions.create(chat);
    const { generation } = decided(completion);
    const { content } = completion.choices[0]!.message;
    expect(generation).toMatchObject({ status: 'generated', model: 'm' });
    expect(content!.startsWith(`${generation!.text}\n\nQuotes:\n- [1] `)).toBe(true);
    expect(content).not.toContain('cheese');
    expect(completion.usage).toMatchObject({ prompt_tokens: 11 });
    let streamed = '';
    for await (const chunk of await client.chat.completions.create({ ...chat, stream: true })) {
      streamed += chunk.choices[0]?.delta.content ?? '';
    }
    expect(streamed).toBe(content);
  });

  it('keeps to a factuality calibration, and is refused where another model was labelled', async () => {
    const factuality: FactualityThresholds = {
      level: '0.1',
      thresholdFor: () => null,
      sentence: () => 'NOT_CALIBRATED: too few.',
      validFor: { ...factualityMadeWith(scorers.info), generators: ['m'] },
    };
    const generator = openGenerator({ url: upstream.url, model: 'm' });
    const promised = await serve({ factuality, writer: { generator } });
    try {
      upstream.replies = [{ text: SAID }];
      const answer = await clientOf(promised).chat.completions.create(chat);
      // Nothing may be kept, so that the quotes are shown.
      expect(decided(answer).generation).toMatchObject({
        status: 'quotes',
        verification: { guarantee: { status: 'NOT_CALIBRATED', level: '0.1' } },
      });
      expect(decided(answer).generation).not.toHaveProperty('generated');
      const verified = await fetch(`${promised.url}/v1/verify`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ answer: 'It is red.', passages: ['It is red.'], act: 'FACT' }),
      });
      expect(await verified.json()).toMatchObject({
        counts: { supported: 0, unsupported: 1 },
        guarantee: { act: 'FACT', threshold: null },
      });
    } finally {
      await promised.close(0);
    }
    const other = { generator: openGenerator({ url: upstream.url, model: 'another' }) };
    await expect(serve({ factuality, writer: other })).rejects.toMatchObject({
      code: 'CALIBRATION_MISMATCH',
      message: expect.stringContaining('answers of m, not of another'),
    });
  });

  it('is asked before a decision by a calibration that looks at it, without which such a one does not open', async () => {
    const generator = openGenerator({
      url: upstream.url,
      model: 'm',
      retries: { tries: 1, firstDelayMs: 1, longestDelayMs: 1 },
    });
    const { settings } = samplerOf(generator, scorers, { count: 2 });
    const input = { feature: 'sampleSupport' as const, mean: 0.5, scale: 0.5, weight: 3, missing: -3 };
    const thresholds: CalibratedThresholds = {
      status: 'CALIBRATED',
      hash: 'a1b2',
      score: { kind: 'learned', intercept: 0, inputs: [input], isotonic: null },
      limits: provisionalThresholds().limits,
      tauFor: () => 0.5,
      sentence: () => 'Promised.',
      validFor: { ...router.validFor, sampler: settings },
    };
    const collections = [{ name: 'demo', index, scorers, thresholds }];
    await expect(serve({ collections })).rejects.toMatchObject({ code: 'CALIBRATION_MISMATCH' });
    const own = await serve({ collections, writer: { generator } });
    const decide = async () => {
      const response = await fetch(`${own.url}/v1/decisions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: FACT }),
      });
      return (await response.json()) as Decision;
    };
    try {
      upstream.replies = [{ text: '10 metres per second' }];
      const same = await decide();
      expect(same.opinion).toMatchObject({ drawn: { support: 1 }, budget: { requests: { spent: 2 } } });
      expect(same.action).toBe('ANSWER');
      upstream.replies = [{ text: 'on Tuesdays' }];
      expect((await decide()).action).not.toBe('ANSWER');
      upstream.replies = [{ status: 500 }];
      const failed = await decide();
      expect(failed.action).not.toBe('ANSWER');
      expect(failed.opinion!.failure).toEqual({
        code: 'GENERATOR_UNAVAILABLE',
        message: 'The language model does not answer.',
      });
    } finally {
      await own.close(0);
    }
  });

  it('a refusal never reaches it', async () => {
    const before = upstream.asked.length;
    const completion = await clientOf(worded).chat.completions.create({
      model: 'demo',
      messages: [user('Who is the king of Norway?')],
    });
    expect(decided(completion)).toMatchObject({ decision: { action: 'ABSTAIN' }, generation: null });
    expect(upstream.asked).toHaveLength(before);
  });

  it('that hangs or fails leaves the quotes, and says so without saying where it is', async () => {
    const client = clientOf(worded);
    for (const reply of [{ hangAfter: 0 }, { status: 500 }, { text: 'The moon is made of cheese [1].' }]) {
      upstream.replies = [reply];
      const completion = await client.chat.completions.create(chat);
      const { decision, generation } = decided(completion);
      expect(generation!.status).toBe('quotes');
      expect(completion.choices[0]!.message.content!.startsWith(decision.answer!.text)).toBe(true);
      expect(JSON.stringify(generation!.failure)).not.toContain('127.0.0.1');
    }
    expect(logged).toContain('"event":"generator.failed"');
    expect(logged).not.toContain('FTP feed');
  });

  it('is left by a caller who goes away', async () => {
    upstream.replies = [{ text: SAID, pause: 100 }];
    const leaving = new AbortController();
    const before = upstream.asked.length;
    const asked = clientOf(worded).chat.completions.create(chat, { signal: leaving.signal });
    while (upstream.asked.length === before) await sleep(20);
    leaving.abort();
    await expect(asked).rejects.toThrow(/abort/i);
    const problems = async () => {
      const metrics = await (await fetch(`${worded.url}/metrics`)).text();
      return /pragaura_problems_total\{code="ABORTED"\} (\d+)/.exec(metrics)?.[1];
    };
    while ((await problems()) !== '1') await sleep(20);
  });
});
