import { describe, expect, it } from 'vitest';
import { seededRandom, shuffled } from '../../common/index.ts';
import { augrc } from '../metrics/selective.ts';
import { fitFormula } from './formula.ts';
import { type FitItem, ranked } from './items.ts';
import { features, world } from './testing/items.ts';

const draw = (random: () => number) => ({ D: random(), C: random(), E: random() });

function item(D: number, C: number, E: number, wrong: boolean): FitItem {
  return { group: 'g', act: 'FACT', features: features({ D, C, E }), wrong };
}

describe('the weights of the formula', () => {
  it('fall on the one signal that tells right from wrong', () => {
    // Perfect by E, and D and C say the opposite: any weight on them costs.
    const items = [item(1, 1, 0.9, false), item(0.9, 0.9, 0.8, false), item(0.1, 0.1, 0.2, true)];
    const { score, augrc: area } = fitFormula(items);
    expect(score.weights).toEqual({ alpha: 0.2, beta: 0.2, gamma: 0.6 });
    // One wrong answer in three, given last: (0 + 0 + 1 - 1/2) / 9.
    expect(area).toBeCloseTo(0.5 / 9, 12);
    const opposed = fitFormula([...items, item(1, 1, 0.3, false), item(0, 0, 0.25, true)]);
    expect(opposed.score.weights.gamma).toBe(1);
  });

  it('have the least area of all divisions into twentieths, and tell every one of them', () => {
    const items = world(400, draw, ({ D, C, E }) => 3 * E! - 2 * D! - C!);
    const { surface, augrc: least, score } = fitFormula(items);
    expect(surface).toHaveLength((21 * 22) / 2);
    expect(least).toBe(Math.min(...surface.map((point) => point.augrc)));
    for (const { alpha, beta, gamma, augrc: own } of [surface[17]!, surface[100]!, surface.at(-1)!]) {
      const area = augrc(ranked(items, { kind: 'formula', weights: { alpha, beta, gamma } }))!;
      expect(own).toBeCloseTo(area, 12);
    }
    expect(score.weights.gamma).toBeGreaterThan(score.weights.beta);
    expect(score.weights.alpha).toBeGreaterThan(score.weights.beta);
  });

  it('are the most even ones when the data cannot tell', () => {
    const right = Array.from({ length: 30 }, (_, i) => item(i / 30, 1 - i / 30, 0.5, false));
    const { score, tied } = fitFormula(right);
    expect(tied).toBe(231);
    expect(score.weights).toEqual({ alpha: 0.3, beta: 0.35, gamma: 0.35 });
  });

  it('do not depend on the order of the items', () => {
    const items = world(300, draw, ({ E, D }) => 2 * E! - D!);
    for (const seed of [1, 2, 3])
      expect(fitFormula(shuffled(items, seededRandom(seed)))).toEqual(fitFormula(items));
  });

  it('keep a barred signal at 0', () => {
    const items = world(300, draw, ({ C }) => 2 - 4 * C!);
    expect(fitFormula(items).score.weights.beta).toBeGreaterThan(0.7);
    const { score, surface } = fitFormula(items, { without: ['C'] });
    expect(score.weights.beta).toBe(0);
    expect(surface).toHaveLength(21);
    expect(() => fitFormula(items, { without: ['D', 'C', 'E'] })).toThrow('nothing is left');
  });

  it('count what is never answered last, whatever its signals', () => {
    const open = [item(0, 0, 0.9, false), item(0, 0, 0.2, true)];
    const closed: FitItem = { group: 'g', act: 'FACT', features: null, wrong: true };
    // Order right, wrong, closed and wrong: (0 + 1 + 2 - 2/2) / 9.
    expect(fitFormula([closed, ...open]).augrc).toBeCloseTo(2 / 9, 12);
  });

  it('need an item', () => {
    expect(() => fitFormula([])).toThrow('no labelled example');
  });
});
