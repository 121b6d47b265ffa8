import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../common/index.ts';
import { ACTIONS } from '../../router/index.ts';
import { between, binned } from './bins.ts';
import { booster, probabilities } from './boosting.ts';
import { applyLinear, fitLinear, linearDesign } from './linear.ts';
import { leastOf } from './minimise.ts';
import { temperatureFor } from './quality.ts';
import { type Table, tableOf } from './table.ts';
import { NOTHING } from './testing/features.ts';
import { grow } from './tree.ts';

/** Rows of one or two features; `label`: place in ACTIONS. */
function table(
  rows: readonly { E?: number | null; D?: number | null; label: number; weight?: number }[],
): Table {
  return tableOf(
    rows.map(({ E = null, D = null, label, weight = 1 }, i) => ({
      features: { ...NOTHING, E, D },
      action: ACTIONS[label]!,
      group: `g${i}`,
      weight,
    })),
    [],
  );
}

const placesOf = (n: number) => Int32Array.from({ length: n }, (_, i) => i);

describe('bins', () => {
  it('are of equal mass and never part equal values', () => {
    const column = Float64Array.from([1, 1, 1, 1, 2, 3, 4, 5, Number.NaN, 6]);
    const { bin, cuts } = binned(column, placesOf(10), 3);
    expect([...bin]).toEqual([1, 1, 1, 1, 2, 2, 2, 3, 0, 3]);
    expect(cuts).toEqual([1.5, 4.5]);
  });

  it('holds every value in its own bin where there are few', () => {
    const { bin, cuts } = binned(Float64Array.from([0, 1, 0, 1, 0.5]), placesOf(5), 16);
    expect([...bin]).toEqual([1, 3, 1, 3, 2]);
    expect(cuts).toEqual([0.25, 0.75]);
  });

  it('takes the shortest number between two values', () => {
    expect(between(0.31, 0.37)).toBe(0.34);
    expect(between(2, 3)).toBe(2.5);
    // Neighbours among the numbers: only the upper one lies above the lower one.
    expect(between(0.3, 0.1 + 0.2)).toBe(0.1 + 0.2);
  });
});

describe('leastOf', () => {
  it('finds the minimum of a quadratic, preconditioned or not', () => {
    const curvature = [1, 100, 10_000];
    const objective = (x: Float64Array, gradient: Float64Array): number =>
      curvature.reduce((sum, c, j) => {
        gradient[j] = c * (x[j]! - j - 1);
        return sum + (c / 2) * (x[j]! - j - 1) ** 2;
      }, 0);
    for (const precondition of [
      (g: Float64Array) => Float64Array.from(g),
      (g: Float64Array) => g.map((each, j) => each / curvature[j]!),
    ]) {
      const x = leastOf(new Float64Array(3), objective, precondition);
      for (const [j, each] of x.entries()) expect(each).toBeCloseTo(j + 1, 5);
    }
  });
});

describe('multinomial regression', () => {
  // Of E = 0: 6, 3, 1; of E = 1: 2, 2, 6. With hardly any penalty the fit gives back these frequencies.
  const counts = [
    [6, 3, 1],
    [2, 2, 6],
  ];
  const rows = counts.flatMap((each, E) =>
    each.flatMap((n, label) => Array.from({ length: n }, () => ({ E, label }))),
  );

  it('gives back the frequencies of a saturated model', () => {
    const t = table(rows);
    const design = linearDesign(t, placesOf(rows.length));
    const beta = fitLinear(t, design, 1e-6);
    const z = new Float64Array(rows.length * 3);
    applyLinear(t, design, beta, placesOf(rows.length), z);
    for (const [i, { E }] of rows.entries()) {
      for (const [k, p] of probabilities(z, i).entries()) expect(p).toBeCloseTo(counts[E]![k]! / 10, 3);
    }
  });

  it('takes a weight for repetition, and a missing value for a case of its own', () => {
    const three = [...counts, [3, 5, 2]];
    const values = [null, 0.5, 1];
    const weighted = three.flatMap((each, cell) =>
      each.map((weight, label) => ({ E: values[cell]!, label, weight })),
    );
    const t = table(weighted);
    const all = placesOf(weighted.length);
    const design = linearDesign(t, all);
    const z = new Float64Array(weighted.length * 3);
    applyLinear(t, design, fitLinear(t, design, 1e-6), all, z);
    for (let i = 0; i < 9; i++) {
      const due = three[Math.floor(i / 3)]!;
      for (const [k, p] of probabilities(z, i).entries()) expect(p).toBeCloseTo(due[k]! / 10, 3);
    }
  });

  it('is flat at its optimum: each penalised sum of residuals is zero', () => {
    const random = seededRandom(4);
    const t = table(
      Array.from({ length: 60 }, () => ({ E: random(), D: random(), label: Math.floor(random() * 3) })),
    );
    const all = placesOf(60);
    const design = linearDesign(t, all);
    const beta = fitLinear(t, design, 2);
    const z = new Float64Array(180);
    applyLinear(t, design, beta, all, z);
    for (let j = 0; j < design.width; j++) {
      for (let k = 0; k < 3; k++) {
        let gradient = (j === 0 ? 1e-3 : 2) * beta[j * 3 + k]!;
        for (const i of all) {
          gradient +=
            design.rows[i * design.width + j]! * (probabilities(z, i)[k]! - (t.label[i] === k ? 1 : 0));
        }
        expect(gradient).toBeCloseTo(0, 4);
      }
    }
  });
});

describe('trees', () => {
  const options = { depth: 1, ridge: 1, leastRows: 1, rate: 1 };

  it('splits where the gain is largest, with Newton steps in its leaves', () => {
    // From even probabilities G = n/3 - due and H = n * 2/9 for each action.
    const rows = [0, 0, 0, 1, 1, 1].map((E) => ({ E, label: E === 0 ? 0 : 2 }));
    const t = table(rows);
    const b = booster(t, { train: placesOf(6), held: placesOf(0) }, new Float64Array(3), options);
    b.step();
    const right = Number((2 / (6 / 9 + 1)).toPrecision(6));
    const wrong = Number((-1 / (6 / 9 + 1)).toPrecision(6));
    expect(b.trees).toEqual([
      {
        feature: 'E',
        at: 0.5,
        less: { ANSWER: right, ASK: wrong, ABSTAIN: wrong },
        more: { ANSWER: wrong, ASK: wrong, ABSTAIN: right },
        // As the whole node without a split: 1 / (6 * 2/9 + 1) and -2 / (6 * 2/9 + 1).
        missing: { ANSWER: 0.428571, ASK: -0.857143, ABSTAIN: 0.428571 },
      },
    ]);
  });

  it('gives what is missing a branch of its own, even where nothing else parts', () => {
    const rows = [null, null, null, 0.3, 0.3, 0.3].map((E) => ({ E, label: E === null ? 1 : 0 }));
    const t = table(rows);
    const b = booster(t, { train: placesOf(6), held: placesOf(0) }, new Float64Array(3), options);
    b.step();
    expect(b.trees[0]).toMatchObject({ feature: 'E', at: 0.3, missing: { ASK: 1.2 }, more: { ANSWER: 1.2 } });
    expect(probabilities(b.z, 0)[1]).toBeGreaterThan(0.7);
    expect(probabilities(b.z, 3)[0]).toBeGreaterThan(0.7);
  });

  it('takes the split that brute force takes', () => {
    const random = seededRandom(6);
    const rows = Array.from({ length: 40 }, () => ({
      E: Math.floor(random() * 8),
      D: Math.floor(random() * 8),
      label: Math.floor(random() * 3),
    }));
    const t = table(rows);
    const slopes = Float64Array.from({ length: 40 * 6 }, (_, i) =>
      i % 6 < 3 ? random() - 0.5 : 0.1 + random() / 10,
    );
    const columns = t.columns.map((column) => binned(column, placesOf(40), 16));
    const tree = grow(
      { features: t.features, columns, bins: 20, options },
      slopes,
      placesOf(40),
      placesOf(0),
      () => {},
    );
    const value = (places: number[]): number =>
      [0, 1, 2].reduce((sum, k) => {
        const G = places.reduce((total, i) => total + slopes[i * 6 + k]!, 0);
        const H = places.reduce((total, i) => total + slopes[i * 6 + 3 + k]!, 0);
        return sum + G ** 2 / (H + 1);
      }, 0);
    const all = [...placesOf(40)];
    const gains = t.columns.flatMap((column, c) =>
      [1, 2, 3, 4, 5, 6, 7].map((edge) => ({
        feature: t.features[c]!,
        edge,
        gain: value(all.filter((i) => column[i]! < edge)) + value(all.filter((i) => column[i]! >= edge)),
      })),
    );
    const best = gains.reduce((a, b) => (b.gain > a.gain + 1e-12 ? b : a));
    expect(tree).toMatchObject({ feature: best.feature, at: best.edge - 0.5 });
  });
});

describe('temperature', () => {
  it('undoes what logits were multiplied by', () => {
    const random = seededRandom(12);
    const n = 400;
    const t = table(Array.from({ length: n }, () => ({ E: random(), label: Math.floor(random() * 3) })));
    const z = Float64Array.from(
      { length: 3 * n },
      (_, i) => (t.label[Math.floor(i / 3)] === i % 3 ? 0.5 : 0) + random(),
    );
    const once = temperatureFor(t, z, placesOf(n));
    expect(
      temperatureFor(
        t,
        z.map((each) => 3 * each),
        placesOf(n),
      ) / once,
    ).toBeCloseTo(3, 2);
  });

  it('is the one at which the likeliest is right as often as it says', () => {
    // Every row: logit 1 for one action, 0 for two. Right in 7 of 10: e^(1/T) / (e^(1/T) + 2) = .7.
    const n = 100;
    const t = table(Array.from({ length: n }, (_, i) => ({ E: i, label: i % 10 < 7 ? 0 : 1 + (i % 2) })));
    const z = Float64Array.from({ length: 3 * n }, (_, i) => (i % 3 === 0 ? 1 : 0));
    expect(temperatureFor(t, z, placesOf(n))).toBeCloseTo(1 / Math.log((0.7 * 2) / 0.3), 3);
  });
});
