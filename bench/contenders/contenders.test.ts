import { describe, expect, it } from 'vitest';
import { type Observation, parseLevel, type SplitName, type SplitReport } from '../../calibration/index.ts';
import { seededRandom } from '../../common/index.ts';
import { loadProfiles } from '../../profiles/index.ts';
import { BUDGET, world } from '../parity/testing/observations.ts';
import { loadMatrices, shippedMatrices } from '../repro/matrix.ts';
import { figureAt } from '../repro/verdict.ts';
import { contenderArms, NOISE } from './arms.ts';
import { type Aims, nearestTau, thresholdOf } from './bars.ts';
import { contenderFigures } from './draw.ts';
import type { Item } from './items.ts';
import { judge, less } from './judged.ts';
import type { Attempted } from './measure.ts';
import { spending } from './pipelines/reading.ts';
import { renderContenders } from './render.ts';
import { BASE, type Measured, noiseName, READER, reportOn, settingsName } from './report.ts';
import { type Retrieved, seriesOf } from './retrieval.ts';

const aims: Aims = { level: parseLevel('0.8'), risk: parseLevel('0.3'), delta: parseLevel('0.1') };

const item = (id: number, U: number | null, em: number, change: Partial<Item> = {}): Item => ({
  id: `q${id}`,
  group: `g${id}`,
  act: 'FACT',
  U,
  em,
  f1: em,
  unsupported: 0.1,
  spent: spending({ docsScored: 60 }),
  ms: null,
  ...change,
});

describe('thresholds', () => {
  it('tunes the threshold whose coverage is nearest, ties together, what has no U in the denominator', () => {
    const items = [0.1, 0.2, 0.2, 0.2, 0.9, null, null, null, null, null].map((U) => ({ U }));
    expect(nearestTau(items, 0.35)).toBe(0.2);
    expect(nearestTau(items, 0.2)).toBe(0.1);
    expect(nearestTau(items, 1)).toBe(0.9);
    expect(nearestTau([{ U: null }], 0.8)).toBeNull();
  });

  it('answers more by split-conformal than by tuning, and less the smaller the risk may be', () => {
    const random = seededRandom(3);
    const drawn = (n: number) =>
      Array.from({ length: n }, (_, i) => {
        const U = random();
        return item(i, U, random() < U ? 0 : 1);
      });
    const [tune, many, test] = [drawn(400), drawn(400), drawn(2_000)];
    const calibrate = many.slice(0, 99);
    const share = (bar: Parameters<typeof thresholdOf>[0], own = aims) =>
      test.filter(thresholdOf(bar, { tune, calibrate: many }, own).answers).length / test.length;
    expect(share('all')).toBe(1);
    const [tuned, conformal] = (['tuned', 'conformal'] as const).map(
      (bar) => thresholdOf(bar, { tune, calibrate }, aims).tau!,
    );
    // 79 of 99 are nearest to .8; conformal takes the 80th of 100.
    expect(conformal!).toBeGreaterThan(tuned!);
    const strict = share('bounded', { ...aims, risk: parseLevel('0.25') });
    const lax = share('bounded', { ...aims, risk: parseLevel('0.4') });
    expect(strict).toBeGreaterThan(0);
    expect(lax).toBeGreaterThan(strict);
    const given = test.filter(
      thresholdOf('bounded', { tune, calibrate: many }, { ...aims, risk: parseLevel('0.4') }).answers,
    );
    expect(given.filter(({ em }) => em === 0).length / given.length).toBeLessThan(0.4);
  });

  it('holds each act to its own threshold, and answers nothing without an act', () => {
    const calibrate = Array.from({ length: 200 }, (_, i) =>
      item(i, i / 200, 1, i % 2 === 0 ? {} : { act: 'QUANTITY', U: 0.5 + i / 400 }),
    );
    const { answers } = thresholdOf('per act', { tune: [], calibrate }, aims);
    expect(answers({ act: 'QUANTITY', U: 0.85 })).toBe(true);
    expect(answers({ act: 'FACT', U: 0.85 })).toBe(false);
    expect(answers({ act: null, U: 0 })).toBe(false);
  });
});

describe('what a contender is judged by', () => {
  const items = [
    { ...item(0, 0.1, 1, { ms: 10 }), given: true },
    { ...item(1, 0.2, 0, { ms: 30, unsupported: 0.5, spent: spending({ docsScored: 40 }) }), given: true },
    { ...item(2, 0.3, 1), given: false },
    { ...item(3, null, 0), given: false },
  ];

  it('takes means over the answered and over all, what is not answered counting nothing', () => {
    const { coverage, tallies, orders, costs, answered, unscored } = judge(items, 0.5);
    expect([answered, unscored, coverage.value]).toEqual([2, 0, 0.5]);
    expect(tallies['EM of answered'].value).toBe(0.5);
    expect(tallies['EM of all'].value).toBe(0.25);
    expect(tallies.unsupported.value).toBeCloseTo(0.3, 12);
    expect(costs.answered).toMatchObject({ ms: 20, timed: 2, spent: { docsScored: 50 } });
    expect(costs.all.spent!.docsScored).toBe(55);
    expect(orders!.EM.value).toBe(0.5);
    expect(orders!.AURC.value).toBeCloseTo((0 + 1 / 2 + 1 / 3 + 2 / 4) / 4, 12);
  });

  it('has no figure of what is answered where nothing is', () => {
    const none = judge(
      items.map((each) => ({ ...each, given: false })),
      0.5,
    );
    expect(none.tallies['EM of answered'].value).toBeNull();
    expect(none.tallies['EM of all'].value).toBe(0);
    expect(none.costs.answered.spent).toBeNull();
  });

  it('takes differences question by question', () => {
    const better = items.map((each) => ({ ...each, em: 1, f1: 1 }));
    const { coverage, ...figures } = less(better, items, 0.5);
    expect(coverage.value).toBe(0);
    expect(figures['EM of answered'].value).toBe(0.5);
    expect(figures['EM of all'].value).toBe(0.25);
    expect(figures.EM.value).toBe(0.5);
    expect(figures.AURC.value!).toBeLessThan(0);
    const { low, high } = figures['EM of all'].interval!;
    expect(low).toBeGreaterThanOrEqual(0);
    expect(high).toBeGreaterThan(low);
  });
});

describe("the paper's series", () => {
  const made = (n: number, seed: number): Retrieved[] => {
    const random = seededRandom(seed);
    return Array.from({ length: n }, () => {
      const U = random();
      // Found first more often the lower U is.
      const docs = random() < 1 - U / 2 ? ['gold', 'other'] : ['other', 'gold'];
      return { act: 'FACT', U, docs, relevant: ['gold'] };
    });
  };
  const noisy = (items: Retrieved[], seed: number) => {
    const random = seededRandom(seed);
    return items.map((each) => ({ ...each, U: random() }));
  };

  it('abstains on .44 first, then on as few as keep what is found', () => {
    const [calibrate, test] = [made(800, 1), made(800, 2)];
    const first = { calibrate: noisy(calibrate, 3), test: noisy(test, 4) };
    const rows = seriesOf(first, { calibrate, test });
    expect(rows.map(({ name }) => name)).toEqual([
      'one threshold',
      'minding conflicts',
      'thresholds per act',
      'minding conflicts',
      'thresholds per act',
    ]);
    expect(rows[0]!.abstained.value).toBeCloseTo(0.44, 1);
    // An order that knows what is found need not abstain to keep what noise found.
    expect(rows[3]!.aim).toContain('R@1 of at least');
    expect(rows[3]!.abstained.value!).toBeLessThan(0.1);
    expect(rows[1]!.recall['R@10']).toBe(1);
  });
});

describe('the report', () => {
  const N = 480;
  const splits: SplitName[] = ['tune', 'calibrate', 'test', 'test'];
  const arms = contenderArms('hotpot', loadProfiles().budget);
  const split: SplitReport = {
    ...{ seed: 1, nearDuplicate: 0.8, examples: N, groups: 60, components: 60, largest: 8 },
    splits: {
      tune: { examples: 120, groups: 15, wanted: 0.25, reached: 0.25 },
      calibrate: { examples: 120, groups: 15, wanted: 0.25, reached: 0.25 },
      test: { examples: 240, groups: 30, wanted: 0.5, reached: 0.5 },
    },
    duplicates: { sets: 0, questions: 0, acrossGroups: 0 },
    remarks: ['a remark'],
  };
  const observed = (arm: string): Observation[] =>
    world(N, 7, (made) => ({
      ...made,
      budget: { ...BUDGET, ...(arm === 'uniform-30-3' ? { docsScored: 30 } : {}) },
    }));
  const base = observed('uniform');
  const attempts: Attempted[] = base.map(({ example }, i) => ({
    id: example.id,
    retrieval: {
      uniform: { 'top score': (i % 10) / 10, margin: 0.1, agreement: 0.5 },
      act: { 'top score': (i % 10) / 10, margin: 0.1, agreement: 0.5 },
    },
    attempts: {
      'two hops': {
        ...{ text: i % 2 === 0 ? 'gold answer' : 'nonsense', uncertainty: { reader: (i % 7) / 10 } },
        ...{ support: 1, docs: [], spent: spending({ docsScored: 60 }) },
      },
      'context pruning': {
        ...{ text: i % 3 === 0 ? 'gold answer' : 'nonsense', uncertainty: { reader: (i % 5) / 10 } },
        ...{ support: 1, docs: [], spent: spending({ docsScored: 60 }) },
      },
      'second reading': {
        ...{ text: 'gold answer', uncertainty: { reflected: 0.5 }, support: 1, docs: [] },
        ...{ spent: spending({}), changed: i % 3 === 0 },
      },
    },
  }));
  const measured: Measured = {
    set: { name: 'hotpot', about: 'made up' },
    arms: arms.map((arm) => ({ arm, observations: observed(arm.name) })),
    attempts,
    splitOf: new Map(base.map(({ example }) => [example.id, splits[Number(example.group.slice(1)) % 4]!])),
    split,
    times: new Map([['uniform', new Map(base.map(({ example }) => [example.id, 12]))]]),
    aims,
    bootstrap: { resamples: 50 },
  };
  const report = reportOn(measured);
  const row = (name: string) => report.rows.find((each) => each.name === name)!;

  it('has every contender once, each of the same questions', () => {
    const names = report.rows.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of [
      ...[BASE, READER, 'split-conformal, one tau', 'binomial bound', 'without C', 'margin of retrieval'],
      ...[
        'two hops',
        'reflected',
        settingsName('act-40-4', 'per act'),
        settingsName('uniform-30-3', 'tuned'),
      ],
      ...NOISE.map(noiseName),
    ]) {
      expect(row(name)?.judged.n, name).toBe(240);
    }
    expect(row(BASE).less).toBeNull();
    expect(row('two hops').less!.than).toBe(READER);
    expect(row(noiseName(0.4)).less!.than).toBe(noiseName(0));
    expect(report.remarks).toEqual(['a remark']);
  });

  it('ranks by what tells right from wrong, and says where the two did not spend the same', () => {
    const aurc = (name: string) => row(name).judged.orders!.AURC.value!;
    expect(aurc(BASE)).toBeLessThan(aurc('without E'));
    expect(aurc('E alone')).toBeLessThan(aurc('D alone'));
    // Probabilities of one score rank as it does.
    expect(aurc('isotonic, one tau')).toBeCloseTo(aurc(READER), 12);
    expect(row(settingsName('uniform-30-3', 'tuned')).less!.apart).toEqual(['docsScored']);
    expect(row('by act, one tau').less!.apart).toEqual([]);
    expect(row('two hops').less!.apart).toContain('rerankPairs');
  });

  it('makes Platt and isotonic better probabilities than 1 - U, ends near the level, and reflects', () => {
    const of = (name: string) => report.probabilities.find((each) => each.name === name)!.brier!;
    expect(of('Platt')).toBeLessThan(of('formula'));
    const { tuned, conformal } = report.targets!.bars;
    expect(conformal.coverage).toBeGreaterThanOrEqual(tuned.coverage);
    for (const { coverage, off } of [tuned, conformal]) {
      expect(coverage).toBeCloseTo(0.8, 1);
      expect(off).toBeLessThan(0.1);
    }
    expect(report.reflection.changed).toBeCloseTo(1 / 3, 1);
  });

  it('has every figure that the matrix and claims name', async () => {
    const matrix = (await loadMatrices(shippedMatrices())).find(({ name }) => name === 'contenders')!;
    for (const set of ['hotpot', 'articles-a']) {
      const own = contenderArms(set, loadProfiles().budget);
      const found = reportOn({
        ...measured,
        arms: own.map((arm) => ({ arm, observations: observed(arm.name) })),
        times: new Map(own.map(({ name }) => [name, new Map(base.map(({ example }) => [example.id, 9]))])),
        bootstrap: { resamples: 2 },
      });
      const { rows } = matrix.runs.find(({ id }) => id === `contenders-${set}`)!;
      for (const { id, at } of rows) {
        expect(figureAt(found, at), id).not.toBeNull();
      }
    }
  });

  it('times what was timed', () => {
    expect(row(BASE).judged.costs.all).toMatchObject({ ms: 12, timed: 240 });
    expect(row('by act, one tau').judged.costs.all).toMatchObject({ ms: null, timed: 0 });
  });

  it('is shown in words and drawn, every figure with a table of its numbers', () => {
    const text = renderContenders(report);
    expect(text).toContain('hotpot: made up; 480 questions');
    expect(text).toContain('no: documents');
    expect(text).toContain('remark: a remark');
    const figures = contenderFigures(report);
    expect(figures.map(({ figure }) => figure.name)).toEqual(
      ['em', 'f1', 'unsupported', 'signals', 'noise', 'latency'].map((name) => `contenders-hotpot-${name}`),
    );
    for (const { head, rows } of figures) for (const cells of rows) expect(cells).toHaveLength(head.length);
  });
});
