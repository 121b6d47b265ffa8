import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openScorers, type Scorers } from '../scorers/index.ts';
import { openGenerator } from './generator.ts';
import {
  SAMPLER_SETTINGS,
  sampleAnswers,
  samplerFor,
  samplerOf,
  samplesOf,
  semanticEntropy,
} from './samples.ts';
import { type Asked, GeneratorServer } from './testing/server.ts';

/** Several are asked for at once, in no order. */
const bySeed =
  (texts: readonly string[]) =>
  ({ body }: Asked) => ({ text: texts[(body as unknown as { seed: number }).seed - 1]! });

describe('semantic entropy', () => {
  it('is 0 for one meaning, 1 for as many as answers, and in closed form between', () => {
    expect(semanticEntropy([0, 0, 0, 0])).toBe(0);
    expect(semanticEntropy([0, 1, 2, 3])).toBe(1);
    // Halves: log 2 over log 4.
    expect(semanticEntropy([0, 1, 1, 0])).toBeCloseTo(0.5);
    expect(semanticEntropy([0, 0, 0, 1])).toBeCloseTo(
      -(0.75 * Math.log(0.75) + 0.25 * Math.log(0.25)) / Math.log(4),
    );
    expect([semanticEntropy([]), semanticEntropy([0])]).toEqual([null, null]);
  });
});

describe('answers drawn anew', () => {
  let scorers: Scorers;
  beforeAll(async () => {
    scorers = await openScorers({ jobs: ['nli'], threads: 1 });
  });
  afterAll(() => scorers.close());
  const question = 'When was the bridge opened?';

  it('are grouped by what they mean, not by their words', async () => {
    const answers = [
      '1932',
      'In 1932.',
      'The bridge was opened in 1932.',
      'It was opened in 1950.',
      '1950',
      '1932',
    ];
    const { meanings, agreement, semanticEntropy: entropy } = await samplesOf(answers, { scorers, question });
    expect(meanings).toEqual([0, 0, 0, 1, 1, 0]);
    expect(agreement).toBeCloseTo(4 / 6);
    expect(entropy).toBeGreaterThan(0);
  });

  it('are nothing where there are none, and one where there is one', async () => {
    expect(await samplesOf([], { scorers, question })).toMatchObject({
      semanticEntropy: null,
      agreement: null,
    });
    expect(await samplesOf(['', ''], { scorers, question })).toMatchObject({ agreement: 1, nliPairs: 0 });
  });

  it('come by seeds at a temperature, and never with more than they may have', async () => {
    const server = new GeneratorServer();
    const url = await server.start();
    try {
      server.replyTo = bySeed(['1932', '1950', 'in the year of the flood '.repeat(50)]);
      const generator = openGenerator({ url, model: 'm' });
      let requests = 0;
      const drawn = await sampleAnswers([{ role: 'user', content: question }], {
        generator,
        scorers,
        question,
        count: 3,
        maxTokens: 12,
        onRequest: () => requests++,
      });
      expect(requests).toBe(3);
      expect(drawn.answers.slice(0, 2)).toEqual(['1932', '1950']);
      expect(scorers.countTokens(drawn.answers[2]!)).toBeLessThanOrEqual(12);
      const bodies = server.asked.map(({ body }) => body as unknown as { seed: number; temperature: number });
      expect(bodies.map(({ seed, temperature }) => [seed, temperature]).sort()).toEqual([
        [1, 0.7],
        [2, 0.7],
        [3, 0.7],
      ]);
    } finally {
      await server.stop();
    }
  });
});

describe('a sampler', () => {
  let scorers: Scorers;
  const server = new GeneratorServer();
  beforeAll(async () => {
    scorers = await openScorers({ jobs: ['nli'], threads: 1 });
    await server.start();
  });
  afterAll(async () => {
    await server.stop();
    await scorers.close();
  });
  const question = 'When was the bridge opened?';
  const passages = [
    { text: 'The bridge was opened in 1932.', title: 'Bridge' },
    { text: 'It is of steel.', title: 'Bridge' },
  ];
  const samplerAt = (chosen = {}) => {
    const retries = { tries: 2, firstDelayMs: 1, longestDelayMs: 1 };
    return samplerOf(openGenerator({ url: server.url, model: 'm', retries }), scorers, chosen);
  };
  const draw = (more: object = {}, chosen = {}) =>
    samplerAt(chosen).draw({ question, passages, candidate: 'in 1932', ...more });

  it('says how much answers agree among themselves and with the candidate, and what that took', async () => {
    server.replyTo = bySeed(['1932', 'In 1932.', '1950', '1932', '1950']);
    const { drawn, failure, budget } = await draw();
    expect(failure).toBeNull();
    server.replyTo = null;
    expect(drawn).toMatchObject({ meanings: [0, 0, 1, 0, 1], agreement: 3 / 5, support: 3 / 5 });
    expect(drawn!.semanticEntropy).toBeCloseTo(-(0.6 * Math.log(0.6) + 0.4 * Math.log(0.4)) / Math.log(5));
    expect(budget.requests).toEqual({ granted: 10, spent: 5 });
    const prompt = server.asked.at(-1)!.body.messages;
    const tokens = prompt.reduce((sum, { content }) => sum + scorers.countTokens(content), 0);
    expect(budget.promptTokens).toEqual({ granted: 5 * SAMPLER_SETTINGS.promptTokens, spent: 5 * tokens });
    for (const { granted, spent } of Object.values(budget)) expect(spent).toBeLessThanOrEqual(granted);
    expect(budget.samplePairs.spent).toBeGreaterThan(0);
  });

  it('finds a candidate that nobody says', async () => {
    server.replies = [{ text: '1950' }];
    const { drawn } = await draw();
    expect(drawn).toMatchObject({ semanticEntropy: 0, agreement: 1, support: 0 });
  });

  it('hands over as many passages as a prompt may have, and none where none fits', async () => {
    server.replies = [{ text: '1932' }];
    const before = server.asked.length;
    await draw({}, { count: 2, passages: 1 });
    expect(server.asked.at(-1)!.body.messages.at(-1)!.content).not.toContain('steel');
    expect(server.asked.length).toBe(before + 2);
    const long = await draw({ question: 'when '.repeat(2_000) });
    expect(long).toMatchObject({ drawn: null, failure: { code: 'INVALID_INPUT' } });
    expect(long.budget.requests.spent).toBe(0);
    expect(server.asked.length).toBe(before + 2);
  });

  it('says what failed at the model, and is interrupted', async () => {
    server.replies = [{ status: 500 }];
    const failed = await draw();
    expect(failed).toMatchObject({ drawn: null, failure: { code: 'GENERATOR_UNAVAILABLE' } });
    // Five at once, each of which may be tried twice.
    expect(failed.budget.requests.spent).toBeGreaterThanOrEqual(5);
    expect(failed.budget.requests.spent).toBeLessThanOrEqual(10);
    server.replies = [{ hangAfter: 0 }];
    const stopped = draw({ signal: AbortSignal.timeout(50) });
    await expect(stopped).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('is made as a calibration demands, with that model alone', () => {
    const { settings } = samplerAt({ count: 3 });
    const demanding = (sampler: typeof settings | null) => ({ validFor: { sampler } }) as never;
    const generator = openGenerator({ url: server.url, model: 'm' });
    expect(samplerFor(demanding(settings), generator, scorers)!.settings).toEqual(settings);
    expect(samplerFor(demanding(null), generator, scorers)).toBeUndefined();
    expect(samplerFor(undefined, generator, scorers)).toBeUndefined();
    const other = openGenerator({ url: server.url, model: 'another' });
    expect(() => samplerFor(demanding(settings), other, scorers)).toThrow('and here is another');
    expect(() => samplerFor(demanding(settings), undefined, scorers)).toThrow(/no language model is at hand/);
  });
});
