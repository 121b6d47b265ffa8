import { describe, expect, it } from 'vitest';
import { type Random, seededRandom } from '../../common/index.ts';
import {
  ACTIONS,
  type Action,
  estimatedPrior,
  fittedPrior,
  type PlannerModel,
  plan,
} from '../../router/index.ts';
import { fitAcrossSets } from './across-sets.ts';
import { fitLinear, linearDesign, linearPart } from './linear.ts';
import { fitMixed, marginalFactor } from './random-intercepts.ts';
import { type SetRow, signsOf } from './stable-signs.ts';
import { tableOf } from './table.ts';
import { NOTHING } from './testing/features.ts';

type Shares = Record<Action, number>;
const EVEN: Shares = { ANSWER: 1 / 3, ASK: 1 / 3, ABSTAIN: 1 / 3 };

/** Box and Muller. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function drawn(prior: Shares, random: Random): Action {
  const at = random();
  return at < prior.ANSWER ? 'ANSWER' : at < prior.ANSWER + prior.ASK ? 'ASK' : 'ABSTAIN';
}

/** Where an action is right, E and D are normal about these, with variance 1. */
const MEANS: Record<Action, { E: number; D: number }> = {
  ANSWER: { E: 1, D: 0 },
  ASK: { E: 0, D: 1 },
  ABSTAIN: { E: -1, D: 0 },
};

interface World {
  set: string;
  n: number;
  prior: Shares;
  /** Added to E of every query. */
  shift?: number;
  /** Whether C speaks for answers, against them, or for nothing. */
  C?: number;
}

function rowsOf({ set, n, prior, shift = 0, C = 0 }: World, random: Random): SetRow[] {
  return Array.from({ length: n }, (_, i) => {
    const action = drawn(prior, random);
    const { E, D } = MEANS[action];
    const features = {
      ...NOTHING,
      E: E + shift + normal(random),
      D: D + normal(random),
      C: C * Number(action === 'ANSWER') + normal(random),
    };
    return { set, group: `${set}-${i}`, action, features };
  });
}

/** P(a | E, D) by Bayes' rule, from the densities that the rows were drawn from. */
function posterior(E: number, D: number, prior: Shares): Shares {
  const density = (action: Action) =>
    prior[action] * Math.exp(-((E - MEANS[action].E) ** 2 + (D - MEANS[action].D) ** 2) / 2);
  const sum = ACTIONS.reduce((total, action) => total + density(action), 0);
  return { ANSWER: density('ANSWER') / sum, ASK: density('ASK') / sum, ABSTAIN: density('ABSTAIN') / sum };
}

/** Farthest that probabilities are from those that are true, where each action is due equally often. */
function farthest(model: PlannerModel): number {
  const points = [-1.5, -0.5, 0.5, 1.5].flatMap((E) => [-0.5, 0.5, 1.5].map((D) => ({ E, D })));
  const misses = points.flatMap(({ E, D }) => {
    const [said, right] = [plan(model, { ...NOTHING, E, D, C: 0 }), posterior(E, D, EVEN)];
    return ACTIONS.map((action) => Math.abs(said[action] - right[action]));
  });
  return Math.max(...misses);
}

const PRIORS: Shares[] = [
  { ANSWER: 0.8, ASK: 0.1, ABSTAIN: 0.1 },
  { ANSWER: 0.1, ASK: 0.2, ABSTAIN: 0.7 },
  { ANSWER: 0.3, ASK: 0.6, ABSTAIN: 0.1 },
  { ANSWER: 0.5, ASK: 0, ABSTAIN: 0.5 },
  { ANSWER: 0.2, ASK: 0.4, ABSTAIN: 0.4 },
];

describe('sets that differ by how often an action is right', () => {
  const random = seededRandom(3);
  const rows = PRIORS.flatMap((prior, i) => rowsOf({ set: `s${i}`, n: 600, prior }, random));
  const { model, report } = fitAcrossSets(rows);

  it("give the probabilities of Bayes' rule under an even prior", () => {
    expect(farthest(model)).toBeLessThan(0.06);
    expect(report.variance).toBeLessThan(0.05);
    expect(report.temperature).toBeCloseTo(1, 0);
    expect(fittedPrior(model)).toEqual(EVEN);
  });

  it('and what a set that was left out has most of can be estimated from its features alone', () => {
    const prior = { ANSWER: 0.15, ASK: 0.05, ABSTAIN: 0.8 };
    const stream = rowsOf({ set: 'new', n: 2_000, prior }, random);
    const found = estimatedPrior(
      stream.map(({ features }) => plan(model, features)),
      fittedPrior(model),
    );
    for (const action of ACTIONS) expect(Math.abs(found[action] - prior[action])).toBeLessThan(0.05);
  });

  it('leaves out what says nothing', () => {
    expect(report.features.sort()).toEqual(['D', 'E']);
    expect(report.signs.unclear).toEqual(['C']);
  });
});

describe('sets that lie elsewhere', () => {
  // Where E is high for every query, less is answered: pooled, E would seem to speak against answers.
  const worlds: World[] = [-4, -2, 0, 2, 4].map((shift, i) => {
    const ANSWER = 0.5 - shift / 10;
    return { set: `s${i}`, n: 400, shift, prior: { ANSWER, ASK: 0, ABSTAIN: 1 - ANSWER } };
  });
  const rows = worlds.flatMap((world) => rowsOf(world, seededRandom(world.shift! + 9)));

  it('do not turn the weight within sets round', () => {
    const weights = (model: Pick<PlannerModel, 'linear'>) => {
      const { weights: own, scale } = model.linear.find(({ feature }) => feature === 'E')!;
      return (own.ANSWER - own.ABSTAIN) / scale;
    };
    const table = tableOf(rows, []);
    const design = linearDesign(table, Int32Array.from(rows.keys()));
    expect(weights(linearPart(table, design, fitLinear(table, design, 1)))).toBeLessThan(0.5);
    const { model, report } = fitAcrossSets(rows);
    // (1 - -1) / variance 1, drawn a little to 0 by the ridge.
    expect(weights(model)).toBeGreaterThan(1.6);
    expect(weights(model)).toBeLessThan(2.2);
    expect(report.variance).toBeGreaterThan(4);
  });

  it('have intercepts of which the variance is found', () => {
    const table = tableOf(rows, []);
    const setOf = Int32Array.from(rows, ({ set }) => Number(set.slice(1)));
    const design = linearDesign(table, Int32Array.from(rows.keys()));
    const offset = new Float64Array(rows.length * 3);
    for (const [row, { set }] of rows.entries()) {
      const { ANSWER, ABSTAIN } = worlds.find((world) => world.set === set)!.prior;
      offset.set([Math.log(ANSWER), Math.log(1e-6), Math.log(ABSTAIN)], row * 3);
    }
    const { intercepts } = fitMixed(table, design, setOf, { ridge: 1, offset, variance: 1, find: true });
    // What a set adds to log p(ANSWER) / p(ABSTAIN) is -2 * shift.
    const added = worlds.map((_, s) => intercepts[s * 3]! - intercepts[s * 3 + 2]!);
    for (const [s, { shift }] of worlds.entries()) expect(Math.abs(added[s]! + 2 * shift!)).toBeLessThan(1);
  });
});

describe('features whose sign is not the same everywhere', () => {
  const random = seededRandom(5);
  const turns = [2, 2, -2, 0];
  const rows = turns.flatMap((C, i) => rowsOf({ set: `s${i}`, n: 300, prior: EVEN, C }, random));

  it('are left out and named, with the sets', () => {
    const { report } = fitAcrossSets(rows);
    expect(report.features.sort()).toEqual(['D', 'E']);
    expect(report.signs.turned).toContainEqual({
      feature: 'C',
      action: 'ANSWER',
      than: 'ASK',
      for: ['s0', 's1'],
      against: ['s2'],
    });
    expect(fitAcrossSets(rows, { stable: false }).report.features).toContain('C');
  });

  it('are clear only over groups: copies of one document prove nothing', () => {
    const one = rows
      .filter(({ set }) => set !== 's2')
      .map((row) => ({ ...row, group: `${row.set}${Number(row.group.split('-')[1]) % 2}` }));
    const { turned } = signsOf(one, tableOf(one, []));
    expect(turned).toEqual([]);
    // The same rows, each thirty times, all copies of one row in one group.
    const copied = rowsOf({ set: 'a', n: 24, prior: EVEN }, random);
    const many = ['a', 'b'].flatMap((set) =>
      copied.flatMap((row) => Array.from({ length: 30 }, () => ({ ...row, set }))),
    );
    expect(signsOf(many, tableOf(many, [])).unclear).toContain('C');
  });
});

it('marginalises what a set adds, as an integral over it does', () => {
  // Gauss-Hermite would do; sums over a fine grid need no table.
  const grid = Array.from({ length: 61 }, (_, i) => -3.9 + (7.8 * i) / 60);
  const mass = grid.map((x) => Math.exp((-x * x) / 2));
  for (const variance of [0.05, 0.5, 2, 6]) {
    const s = Math.sqrt(variance);
    for (const z of [
      [1.5, 0, -1.5],
      [3, -1, 0],
      [0.2, 0.1, 0],
    ]) {
      const exact = [0, 0, 0];
      let total = 0;
      for (const [i, a] of grid.entries()) {
        for (const [j, b] of grid.entries()) {
          for (const [k, c] of grid.entries()) {
            if ((i + j + k) % 3 !== 0) continue;
            const e = [z[0]! + s * a, z[1]! + s * b, z[2]! + s * c].map(Math.exp);
            const sum = e[0]! + e[1]! + e[2]!;
            const weight = mass[i]! * mass[j]! * mass[k]!;
            total += weight;
            for (let l = 0; l < 3; l++) exact[l]! += (weight * e[l]!) / sum;
          }
        }
      }
      const e = z.map((each) => Math.exp(each / marginalFactor(variance)));
      const sum = e.reduce((one, next) => one + next, 0);
      for (let l = 0; l < 3; l++) expect(Math.abs(e[l]! / sum - exact[l]! / total)).toBeLessThan(0.035);
    }
  }
});

it('is fitted on one set, and on nothing that tells actions apart, without a word that it cannot keep', () => {
  const one = rowsOf({ set: 'only', n: 200, prior: EVEN }, seededRandom(1));
  const { model, report } = fitAcrossSets(one);
  expect(report).toMatchObject({ logLoss: null, features: [] });
  const said = plan(model, one[0]!.features);
  for (const action of ACTIONS) expect(said[action]).toBeCloseTo(1 / 3, 1);
  const same = one.map((row) => ({ ...row, action: 'ASK' as const }));
  expect(fitAcrossSets(same).model.linear).toEqual([]);
});
