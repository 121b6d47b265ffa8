/** Generation against a server that speaks the protocol, and everything that such a server may do wrong. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Decision } from '../router/index.ts';
import { openScorers, type Scorers } from '../scorers/index.ts';
import type { FactualityThresholds } from './factuality.ts';
import { Generation, generateAnswer } from './generate.ts';
import { type GeneratorOptions, openGenerator } from './generator.ts';
import { GeneratorServer, type Reply } from './testing/server.ts';

let scorers: Scorers;
let server: GeneratorServer;
let url: string;
beforeAll(async () => {
  scorers = await openScorers({ jobs: ['nli'], threads: 1 });
});
afterAll(() => scorers.close());
beforeEach(async () => {
  server = new GeneratorServer();
  url = await server.start();
});
afterEach(() => server.stop());

const QUOTES = ['The bridge was opened in 1932.', 'The bridge is painted red.'];

/** What generation reads of a decision. */
function decided(over: Partial<Decision> = {}): Decision {
  const quotes = QUOTES.map((text, i) => ({
    text,
    docId: 'd',
    passageId: `p${i}`,
    start: 100 * i,
    end: 100 * i + text.length,
    role: 'item' as const,
  }));
  return {
    action: 'ANSWER',
    act: { label: 'FACT' },
    query: 'When was the bridge opened, and what colour is it?',
    answer: {
      form: 'passage',
      text: QUOTES.join(' '),
      quotes,
      verdict: null,
      cut: null,
      band: 'HIGH',
      claim: null,
    },
    evidence: [],
    ...over,
  } as unknown as Decision;
}

const QUICK: Partial<GeneratorOptions> = {
  retries: { tries: 3, firstDelayMs: 5, longestDelayMs: 1_000 },
  limits: { idleMs: 2_000, totalMs: 10_000, bytes: 1024 * 1024, failures: 3, restMs: 60_000 },
};

async function generated(
  replies: Reply | Reply[],
  {
    generator = QUICK,
    decision = decided(),
    budget = {},
    factuality,
    samples,
    signal,
  }: {
    generator?: Partial<GeneratorOptions>;
    decision?: Decision;
    budget?: { promptTokens?: number; generatedTokens?: number };
    factuality?: FactualityThresholds;
    samples?: number;
    signal?: AbortSignal;
  } = {},
): Promise<{ shown: string[]; record: Generation }> {
  server.replies = [replies].flat();
  const answer = generateAnswer(decision, {
    generator: openGenerator({ url, model: 'm', ...generator }),
    scorers,
    budget,
    factuality,
    samples,
    signal,
  });
  const shown: string[] = [];
  for (;;) {
    const next = await answer.next();
    if (next.done) {
      expect(Generation.parse(next.value)).toEqual(next.value);
      return { shown, record: next.value! };
    }
    shown.push(next.value);
  }
}

const GOOD = 'The bridge was opened in 1932 [1]. The bridge is red [2].';
const FALLBACK = { status: 'quotes', text: QUOTES.join(' ') };

describe('an answer', () => {
  it('is generated from the quotes and the question alone, and verified', async () => {
    const { shown, record } = await generated({ text: GOOD }, { generator: { ...QUICK, apiKey: 'secret' } });
    expect(record).toMatchObject({ status: 'generated', text: GOOD, reason: null, failure: null });
    expect(shown.join(' ')).toBe(record.text);
    expect(record.usage).toEqual({ promptTokens: 11, generatedTokens: 12 });
    const [{ path, authorization, body }] = server.asked as [(typeof server.asked)[0]];
    expect([path, authorization, body.model, body.stream, body.max_tokens]).toEqual([
      '/v1/chat/completions',
      'Bearer secret',
      'm',
      true,
      400,
    ]);
    expect(body.messages[1]!.content).toBe(
      `Quotes:\n[1] ${QUOTES[0]}\n[2] ${QUOTES[1]}\n\nQuestion: ${decided().query}\nAnswer in at most three sentences.`,
    );
  });

  it('is on record as it came, with the places of its sentences', async () => {
    const { record } = await generated({ text: `${GOOD} It has seven towers [1].` });
    expect(record.generated).toBe(`${GOOD} It has seven towers [1].`);
    expect(
      record.verification.sentences.map(({ start, end }) => record.generated!.slice(start, end)),
    ).toEqual(['The bridge was opened in 1932 [1].', 'The bridge is red [2].', 'It has seven towers [1].']);
    expect(record.text).toBe(GOOD);
  });

  it('is kept by the threshold of its act where one is promised', async () => {
    const asked: (string | null)[] = [];
    const factuality = (threshold: number | null): FactualityThresholds => ({
      level: '0.1',
      thresholdFor: (act) => {
        asked.push(act);
        return threshold;
      },
      sentence: () => 'So it is.',
      validFor: { nli: 'm', arithmetic: 'exact', generators: null },
    });
    const kept = await generated({ text: GOOD }, { factuality: factuality(0.5) });
    expect(kept.record).toMatchObject({
      text: GOOD,
      verification: { guarantee: { status: 'CALIBRATED', act: 'FACT' } },
    });
    const none = await generated({ text: GOOD }, { factuality: factuality(null) });
    expect(none.record).toMatchObject({
      ...FALLBACK,
      verification: { guarantee: { status: 'NOT_CALIBRATED' } },
    });
    expect(new Set(asked)).toEqual(new Set(['FACT']));
  });

  it('is asked for at the band LOW by option alone', async () => {
    const { answer } = decided();
    const decision = decided({ answer: { ...answer!, band: 'LOW' } });
    const options = { generator: openGenerator({ url, model: 'm' }), scorers };
    expect((await generateAnswer(decision, options).next()).value).toBeNull();
    expect(server.asked).toHaveLength(0);
    server.replies = [{ text: GOOD }];
    expect((await generateAnswer(decision, { ...options, lowBand: true }).next()).value).toContain('1932');
  });

  it('says how far answers drawn anew agree, and what they cost', async () => {
    const replies: Reply[] = [
      { text: GOOD },
      { text: GOOD },
      { text: 'The bridge was closed in 1950.' },
      { text: GOOD },
    ];
    const { record } = await generated(replies, { samples: 3 });
    expect(record).toMatchObject({ status: 'generated', text: GOOD, samples: { meanings: [0, 1, 0] } });
    expect(record.budget).toMatchObject({
      requests: { granted: 12, spent: 4 },
      promptTokens: { granted: 12_000 },
      generatedTokens: { granted: 1_600 },
    });
    const alone = await generated({ text: GOOD });
    expect(record.budget.promptTokens.spent).toBe(4 * alone.record.budget.promptTokens.spent);
    expect(alone.record.samples).toBeNull();
  });

  it('stays what it is where no more can be drawn', async () => {
    const { record } = await generated([{ text: GOOD }, { status: 401 }], { samples: 2 });
    expect(record).toMatchObject({ status: 'generated', text: GOOD, reason: null, samples: null });
    expect(record.failure).toMatchObject({ code: 'GENERATOR_UNAVAILABLE' });
  });

  it('is asked for only where the decision is to answer', async () => {
    for (const action of ['ASK', 'ABSTAIN'] as const) {
      const decision = decided({ action, answer: undefined });
      const answer = generateAnswer(decision, { generator: openGenerator({ url, model: 'm' }), scorers });
      expect(await answer.next()).toEqual({ done: true, value: null });
    }
    expect(server.asked).toEqual([]);
  });

  it('loses what no quote bears out, and its wrong citations', async () => {
    const text =
      'Sure! The bridge was opened in 1932 [2]. The bridge was opened in 1950 [1]. Ada Lovelace built it. ' +
      'The bridge is red [99]. The bridge is painted red [2].';
    const { record } = await generated({ text });
    expect(record.text).toBe('The bridge was opened in 1932 [1]. The bridge is painted red [2].');
    expect(record.verification.sentences).toHaveLength(6);
    expect(record.verification.counts.unverifiable).toBe(1);
  });

  it('shows a sentence before the next one is there', async () => {
    server.replies = [{ text: GOOD, pause: 40 }];
    const answer = generateAnswer(decided(), {
      generator: openGenerator({ url, model: 'm', ...QUICK }),
      scorers,
    });
    const first = await answer.next();
    expect(first).toEqual({ done: false, value: 'The bridge was opened in 1932 [1].' });
    const { value } = await answer.next();
    expect(value).toBe('The bridge is red [2].');
    await answer.return(null);
  });

  it('is the same whatever the pieces are', async () => {
    const whole = (await generated({ text: GOOD, size: 1_000 })).record;
    for (const reply of [
      { text: GOOD, size: 1 },
      { text: GOOD, bytewise: true },
    ]) {
      const { record } = await generated(reply);
      expect({ ...record, usage: null }).toEqual({ ...whole, usage: null });
    }
  });
});

describe('what falls back to the quotes, with nothing unverified', () => {
  it.each<[string, Reply, string]>([
    ['nothing', { text: '' }, 'NOTHING_SUPPORTED'],
    [
      'control words',
      { text: 'ANSWER ABSTAIN [SEP] {"status":"generated"} <|im_end|>' },
      'NOTHING_SUPPORTED',
    ],
    [
      'another language',
      { text: 'Die Katze schläft auf dem Dach. \u732b\u304c\u5bdd\u3066\u3044\u308b\u3002' },
      'NOTHING_SUPPORTED',
    ],
    ['a refusal in words', { text: "I'm sorry, I can't help with that." }, 'NOTHING_SUPPORTED'],
    ['a refusal', { delta: { refusal: 'No.' } }, 'REFUSED'],
    ['a filter', { text: '', ending: 'content_filter' }, 'REFUSED'],
    [
      'tool calls',
      { delta: { tool_calls: [{ index: 0, id: 't', function: { name: 'rm', arguments: '{}' } }] } },
      'TOOL_CALLS',
    ],
    ['only [99]', { text: 'The bridge is red [99].' }, 'NOTHING_SUPPORTED'],
    ['cut in its first sentence', { text: 'The bridge was opened in', ending: 'length' }, 'CUT'],
  ])('%s', async (_, reply, reason) => {
    const { shown, record } = await generated(reply);
    expect(record).toMatchObject({ ...FALLBACK, reason, failure: null });
    expect(shown).toEqual([]);
  });

  it.each<[string, Reply, RegExp, number]>([
    ['401', { status: 401 }, /401/, 1],
    ['404', { status: 404 }, /404/, 1],
    ['429', { status: 429, headers: { 'retry-after': '0' } }, /429/, 3],
    ['429 for an hour', { status: 429, headers: { 'retry-after': '3600' } }, /429/, 1],
    ['500', { status: 500 }, /500/, 3],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, /does not answer/, 3],
    ['silence', { hangAfter: 0 }, /nothing came/, 1],
    ['silence after the first piece', { text: GOOD, hangAfter: 1 }, /nothing came/, 1],
    ['a broken connection', { text: GOOD, breakAfter: 2, pause: 20 }, /does not answer/, 1],
    ['ten megabytes on one line', { raw: Buffer.alloc(10 * 1024 * 1024, 'x') }, /bytes/, 3],
    ['no events', { raw: Buffer.from('{"choices":[]}') }, /broke off/, 1],
    ['broken JSON', { raw: Buffer.from('data: {"choices":\n\n') }, /does not answer/, 3],
    [
      'an error in the stream',
      { raw: Buffer.from('data: {"error":{"message":"overloaded"}}\n\n') },
      /overloaded/,
      3,
    ],
  ])('%s', async (_, reply, message, requests) => {
    const { shown, record } = await generated(reply);
    expect(record).toMatchObject({
      ...FALLBACK,
      reason: 'GENERATOR_FAILED',
      failure: { code: 'GENERATOR_UNAVAILABLE' },
    });
    expect(record.failure!.message).toMatch(message);
    expect(shown).toEqual([]);
    expect(server.asked).toHaveLength(requests);
  });

  it('an endpoint that is not there', async () => {
    const { record } = await generated({}, { generator: { ...QUICK, url: 'http://127.0.0.1:9/v1' } });
    expect(record).toMatchObject({ ...FALLBACK, failure: { code: 'GENERATOR_UNAVAILABLE' } });
  });
});

describe('limits', () => {
  it('keeps what was verified when the stream breaks in the middle of a sentence', async () => {
    const { record } = await generated({ text: GOOD, breakAfter: 11, pause: 10 });
    expect(record).toMatchObject({
      status: 'partial',
      text: 'The bridge was opened in 1932 [1].',
      reason: 'GENERATOR_FAILED',
    });
  });

  it('tries again after what may pass, as the server asks', async () => {
    const { record } = await generated([
      { status: 429, headers: { 'retry-after': '0' } },
      { status: 503 },
      { text: GOOD },
    ]);
    expect(record.status).toBe('generated');
    expect(server.asked).toHaveLength(3);
  });

  it('leaves an endpoint alone that failed several times in a row', async () => {
    server.replies = [{ status: 500 }];
    const generator = openGenerator({ url, model: 'm', ...QUICK });
    for (let i = 0; i < 3; i += 1) {
      const answer = generateAnswer(decided(), { generator, scorers });
      const { value } = await answer.next();
      expect(value).toMatchObject(FALLBACK);
    }
    expect(server.asked).toHaveLength(3);
  });

  it('stops a stream that goes on for ever, sentence or not', async () => {
    const endless = 'The bridge is red [2]. '.repeat(2_000);
    const { record } = await generated({ text: endless }, { budget: { generatedTokens: 40 } });
    expect(record).toMatchObject({ status: 'partial', reason: 'CUT' });
    expect(record.budget.generatedTokens.spent).toBeLessThanOrEqual(40);
    const drop = await generated(
      { text: 'a'.repeat(20_000), size: 100 },
      { budget: { generatedTokens: 40 } },
    );
    expect(drop.record).toMatchObject({ ...FALLBACK, reason: 'CUT' });
  });

  it('ends a stream of one byte now and then at its time limit', async () => {
    const slow = { ...QUICK, limits: { ...QUICK.limits!, totalMs: 500 } };
    const { record } = await generated({ text: 'a'.repeat(500), size: 1, pause: 30 }, { generator: slow });
    expect(record).toMatchObject({ ...FALLBACK, reason: 'GENERATOR_FAILED' });
  });

  it('cuts the prompt to its cap by whole quotes, and asks nothing where none fits', async () => {
    const all = (await generated({ text: GOOD })).record.budget.promptTokens.spent;
    const { record } = await generated({ text: GOOD }, { budget: { promptTokens: all - 1 } });
    expect(record.quotes).toEqual([{ text: QUOTES[0] }]);
    expect(record.budget.promptTokens.spent).toBeLessThan(all);
    const asked = server.asked.length;
    const none = await generated({ text: GOOD }, { budget: { promptTokens: 10 } });
    expect(none.record).toMatchObject({ ...FALLBACK, reason: 'PROMPT_TOO_LONG' });
    expect(server.asked).toHaveLength(asked);
  });

  it('hears its caller, also while it waits to try again', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    const patient = { ...QUICK, retries: { tries: 3, firstDelayMs: 20_000, longestDelayMs: 60_000 } };
    await expect(
      generated({ status: 500 }, { generator: patient, signal: controller.signal }),
    ).rejects.toMatchObject({
      code: 'ABORTED',
    });
  });

  it.each(['', 'bridge', 'ftp://x/v1', 'http://user:pass@x/v1'])('refuses the address "%s"', (address) => {
    expect(() => openGenerator({ url: address, model: 'm' })).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION', message: expect.not.stringContaining('pass') }),
    );
  });
});
