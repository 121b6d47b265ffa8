import { describe, expect, it } from 'vitest';
import { seededRandom, shuffled } from '../../common/index.ts';
import { type Features, scoreOf, tempered } from '../../router/index.ts';
import { augrc } from '../metrics/selective.ts';
import { type FitItem, ranked } from './items.ts';
import { fitTemperatures, fitTempered } from './temperatures.ts';
import { features } from './testing/items.ts';

type Source = NonNullable<FitItem['sources']>[number];

const logit = (p: number) => Math.log(p / (1 - p));

function item(source: Partial<Source>, wrong: boolean, i: number, given: Partial<Features> = {}): FitItem {
  const own = { q: 1, entailment: 1, contradiction: 0, chosen: true, ...source };
  const E = own.q * own.entailment;
  const all = features({ D: 0, C: 0, E, answerScore: own.q, ...given });
  return { group: `g${i % 10}`, act: 'FACT', features: all, sources: [own], wrong };
}

/** `right` of ten are right where `likely` is claimed, and as many wrong where its complement is. */
function world(name: 'q' | 'entailment', claimed: number, right: number): FitItem[] {
  return Array.from({ length: 200 }, (_, i) => {
    const high = i < 100;
    const source = { [name]: high ? claimed : 1 - claimed };
    return item(source, high ? i % 10 >= right : i % 10 < right, Math.floor(i / 10));
  });
}

describe('temperatures', () => {
  // The likelihood of r right of n at log odds z / T is greatest where z / T = logit(r / n).
  it.each([
    ['q', 'answer', 0.95, 7],
    ['q', 'answer', 0.6, 9],
    ['entailment', 'entailment', 0.99, 8],
    ['entailment', 'entailment', 0.7, 9],
  ] as const)('of %s alone are logit(claimed) / logit(right): %s', (name, temperature, claimed, right) => {
    const found = fitTemperatures(world(name, claimed, right))[temperature];
    expect(found).toBeCloseTo(logit(claimed) / logit(right / 10), 2);
  });

  it('of scores that are right as often as they say are 1, and change nothing', () => {
    expect(fitTemperatures(world('q', 0.8, 8)).answer).toBeCloseTo(1, 2);
    const source = { q: 0.7, entailment: 0.6, contradiction: 0.3, chosen: true };
    const same = tempered({ D: 0.2, answerScore: 0.7 }, [source], { answer: 1, entailment: 1 });
    expect(same).toEqual({ D: 0.2, C: 0, E: 0.7 * 0.6 });
  });

  it('do not depend on the order of the examples', () => {
    const items = [...world('q', 0.9, 6), ...world('entailment', 0.8, 7)];
    expect(fitTemperatures(shuffled(items, seededRandom(3)))).toEqual(fitTemperatures(items));
  });

  it('keep certainties and what contradicts as they were', () => {
    const sources = [
      { q: 1, entailment: 1, contradiction: 0, chosen: true },
      { q: 0.5, entailment: 0.2, contradiction: 0.7, chosen: false },
    ];
    for (const T of [0.1, 0.9, 5]) {
      const { C, E } = tempered({ D: 0, answerScore: 1 }, sources, { answer: T, entailment: T });
      expect(E).toBe(1);
      expect(C! >= 0 && C! <= 0.5).toBe(true);
    }
  });
});

describe('a formula with temperatures', () => {
  /** Right by D and by an answer score whose log odds are ten times too large, so that E is all but 0 or 1. */
  function loud(n: number, loudness: number): FitItem[] {
    const random = seededRandom(5);
    return Array.from({ length: n }, (_, i) => {
      const [z, D] = [4 * random() - 2, random()];
      const right = random() < 1 / (1 + Math.exp(-(z + 2 - 4 * D)));
      return item({ q: 1 / (1 + Math.exp(-loudness * z)) }, !right, i, { D });
    });
  }

  it('takes them where they rank better on groups left out, and U is made with them', () => {
    const items = loud(600, 10);
    const { score, temperatures, augrc: area } = fitTempered(items);
    expect(temperatures).toMatchObject({ used: true });
    expect(temperatures!.answer).toBeGreaterThan(5);
    expect(temperatures!.augrc.with).toBeLessThan(temperatures!.augrc.without);
    expect(temperatures!.logLoss.with).toBeLessThan(temperatures!.logLoss.without);
    expect(score.temperatures).toEqual({
      answer: temperatures!.answer,
      entailment: temperatures!.entailment,
    });
    expect(augrc(ranked(items, score))).toBeCloseTo(area, 12);
    const [first] = items;
    expect(scoreOf(score, first!.features!)).toBeNull();
    expect(scoreOf(score, first!.features!, { sources: first!.sources })).toBeGreaterThan(0);
  });

  it('is off where they change no order', () => {
    // E alone says anything, and a temperature keeps its order.
    const random = seededRandom(2);
    const items = Array.from({ length: 300 }, (_, i) => {
      const q = random();
      return item({ q }, random() > q ** 3, i, { D: 0.5 });
    });
    const { score, temperatures } = fitTempered(items);
    expect(temperatures).toMatchObject({ used: false });
    expect(temperatures!.logLoss.with).toBeLessThan(temperatures!.logLoss.without);
    expect(score).not.toHaveProperty('temperatures');
  });

  it('is plain where nothing could be left out or told apart', () => {
    const one = world('q', 0.8, 8).map((each) => ({ ...each, group: 'g' }));
    expect(fitTempered(one).temperatures).toBeNull();
    expect(
      fitTempered(world('q', 0.8, 8).map((each) => ({ ...each, wrong: false }))).temperatures,
    ).toBeNull();
    const without = world('q', 0.8, 8).map((each) => ({ ...each, sources: null }));
    expect(fitTempered(without)).toMatchObject({ temperatures: null, score: { kind: 'formula' } });
  });
});
