import { describe, expect, it } from 'vitest';
import { ACTS, type Act, type ActDistribution } from '../../profiles/index.ts';
import { labelNoise } from './noise.ts';

function distribution(label: Act, rest = 0.04): ActDistribution {
  const probabilities = Object.fromEntries(ACTS.map((act) => [act, act === label ? 1 - 8 * rest : rest]));
  return { label, probabilities: probabilities as Record<Act, number>, confident: true };
}

const QUERIES = Array.from({ length: 4_000 }, (_, i) => `What is number ${i}?`);
const fact = distribution('FACT');

describe('label noise', () => {
  const relabel = labelNoise(0.15, 15);
  const labels = QUERIES.map((query) => relabel(query, fact).label);

  it('changes the share that it says, to each other act alike and never to no question', () => {
    const changed = labels.filter((label) => label !== 'FACT');
    const standardError = Math.sqrt((0.15 * 0.85) / QUERIES.length);
    expect(Math.abs(changed.length / QUERIES.length - 0.15)).toBeLessThan(4 * standardError);
    const others = ACTS.filter((act) => act !== 'FACT' && act !== 'NOT_A_QUESTION');
    for (const act of others) {
      const share = changed.filter((label) => label === act).length / changed.length;
      const expected = 1 / others.length;
      const spread = Math.sqrt((expected * (1 - expected)) / changed.length);
      expect(Math.abs(share - expected)).toBeLessThan(4 * spread);
    }
    expect(changed).not.toContain('NOT_A_QUESTION');
  });

  it('lets the two acts change places, so that blending sees the mistake', () => {
    const at = labels.indexOf('QUANTITY');
    const noisy = relabel(QUERIES[at]!, fact);
    expect(noisy.probabilities.QUANTITY).toBe(fact.probabilities.FACT);
    expect(noisy.probabilities.FACT).toBe(fact.probabilities.QUANTITY);
    expect(Object.values(noisy.probabilities).reduce((a, b) => a + b)).toBeCloseTo(1, 12);
    expect(noisy.confident).toBe(true);
  });

  it('depends on the words and the seed alone', () => {
    expect([...QUERIES].reverse().map((query) => relabel(query, fact).label)).toEqual([...labels].reverse());
    const other = labelNoise(0.15, 16);
    expect(QUERIES.map((query) => other(query, fact).label)).not.toEqual(labels);
    expect(QUERIES.map((query) => labelNoise(0, 15)(query, fact))).toEqual(QUERIES.map(() => fact));
  });

  it('leaves what is no question alone', () => {
    const none = distribution('NOT_A_QUESTION');
    const always = labelNoise(1, 15);
    for (const query of QUERIES.slice(0, 50)) {
      expect(always(query, none)).toBe(none);
      expect(always(query, fact).label).not.toBe('FACT');
    }
  });
});
