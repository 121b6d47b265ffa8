import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openScorers, type Scorers } from '../scorers/index.ts';
import { openGenerator } from './generator.ts';
import { sampleAnswers, samplesOf, semanticEntropy } from './samples.ts';
import { GeneratorServer } from './testing/server.ts';

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
      server.replies = [{ text: '1932' }, { text: '1950' }, { text: 'in the year of the flood '.repeat(50) }];
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
      expect(bodies.map(({ seed, temperature }) => [seed, temperature])).toEqual([
        [1, 0.7],
        [2, 0.7],
        [3, 0.7],
      ]);
    } finally {
      await server.stop();
    }
  });
});
