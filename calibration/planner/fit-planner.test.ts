import { describe, expect, it } from 'vitest';
import { type Random, seededRandom } from '../../common/index.ts';
import { ACTIONS, type Action, type PlannerFeatures, plan, readPlanner } from '../../router/index.ts';
import { fitPlanner, type PlannerRow } from './index.ts';
import { NOTHING } from './testing/features.ts';

const row = (
  given: Partial<PlannerFeatures>,
  action: Action,
  group: string,
  weight?: number,
): PlannerRow => ({
  features: { ...NOTHING, ...given },
  action,
  group,
  ...(weight === undefined ? {} : { weight }),
});

/** A world in which the right action is drawn with known probabilities from four cells. */
const CELLS: Record<string, Record<Action, number>> = {
  '0 0': { ANSWER: 0.8, ASK: 0.1, ABSTAIN: 0.1 },
  '0 1': { ANSWER: 0.15, ASK: 0.7, ABSTAIN: 0.15 },
  '1 0': { ANSWER: 0.1, ASK: 0.2, ABSTAIN: 0.7 },
  '1 1': { ANSWER: 0.6, ASK: 0.35, ABSTAIN: 0.05 },
};

function drawn(random: Random, n: number): PlannerRow[] {
  return Array.from({ length: n }, (_, i) => {
    const [a, b] = [Number(random() < 0.5), Number(random() < 0.4)];
    const cell = CELLS[`${a} ${b}`]!;
    const u = random();
    const action = u < cell.ANSWER ? 'ANSWER' : u < cell.ANSWER + cell.ASK ? 'ASK' : 'ABSTAIN';
    return row({ E: a, openConditions: b, voices: Math.floor(random() * 5) }, action, `group ${i % 20}`);
  });
}

describe('fitPlanner', () => {
  it('finds the probabilities of a world where only two features together tell, and says which', () => {
    const rows = drawn(seededRandom(11), 1_500);
    const { model, report } = fitPlanner(rows);
    expect(model.fitted.kind).not.toBe('linear');
    for (const [cell, truth] of Object.entries(CELLS)) {
      const [a, b] = cell.split(' ').map(Number) as [number, number];
      const inCell = rows.filter(({ features }) => features.E === a && features.openConditions === b).length;
      const p = plan(model, { ...NOTHING, E: a, openConditions: b, voices: 2 });
      for (const action of ACTIONS) {
        // Four standard errors of a frequency in this cell, and what shrinkage may cost.
        const error = Math.sqrt((truth[action] * (1 - truth[action])) / inCell);
        expect(Math.abs(p[action] - truth[action])).toBeLessThan(4 * error + 0.02);
      }
    }
    const top = report.importance.slice(0, 2).map(({ feature }) => feature);
    expect(top.sort()).toEqual(['E', 'openConditions']);
    expect(report.importance.find(({ feature }) => feature === 'voices')?.increase ?? 0).toBeLessThan(0.01);
    // Always the likeliest action of the cell: .5*.6*.8 + .5*.4*.7 + .5*.6*.7 + .5*.4*.6 = .71.
    expect(report.quality!.accuracy).toBeGreaterThan(0.71 - 4 * Math.sqrt((0.71 * 0.29) / 1_500));
    expect(report.quality!.accuracy).toBeLessThan(0.71 + 4 * Math.sqrt((0.71 * 0.29) / 1_500));
  });

  it('is calibrated on rows that it has not seen, within binomial error', () => {
    const { model } = fitPlanner(drawn(seededRandom(21), 1_500));
    const fresh = drawn(seededRandom(22), 6_000);
    for (const action of ACTIONS) {
      const predicted = fresh.map(({ features }) => plan(model, features)[action]);
      const order = predicted
        .map((p, i) => ({ p, due: fresh[i]!.action === action }))
        .sort((x, y) => x.p - y.p);
      for (let bin = 0; bin < 5; bin++) {
        const part = order.slice(bin * 1_200, (bin + 1) * 1_200);
        const said = part.reduce((sum, { p }) => sum + p, 0) / part.length;
        const seen = part.filter(({ due }) => due).length / part.length;
        // The model knows each frequency only from about 1,500 / 4 rows.
        const error = Math.sqrt(said * (1 - said) * (1 / part.length + 1 / 375));
        expect(Math.abs(said - seen)).toBeLessThan(4 * error);
      }
    }
  });

  it('gives the same bytes on the same input, and a file that reads', () => {
    const rows = drawn(seededRandom(5), 200);
    const [one, other] = [fitPlanner(rows), fitPlanner(rows)];
    expect(JSON.stringify(one)).toBe(JSON.stringify(other));
    expect(readPlanner(JSON.stringify(one.model), 'p')).toEqual(one.model);
  });

  it('gives a softened frequency where all rows are of one action', () => {
    const rows = Array.from({ length: 30 }, (_, i) => row({ E: i / 30 }, 'ASK', `g${i % 6}`));
    const { model, report } = fitPlanner(rows);
    expect(model.fitted.kind).toBe('prior');
    expect(plan(model, rows[0]!.features).ASK).toBeCloseTo(30.5 / 31.5, 5);
    expect(report.quality!.accuracy).toBe(1);
    expect(report.byAction!.ANSWER).toEqual({ due: 0, foretold: 0, precision: null, recall: null, f1: null });
  });

  it('fits one row, and says that nothing was measured by it', () => {
    const { model, report } = fitPlanner([row({ E: 1 }, 'ABSTAIN', 'g')]);
    expect(plan(model, { ...NOTHING, E: 0.2 }).ABSTAIN).toBeCloseTo(1.5 / 2.5, 5);
    expect([report.quality, report.tried, model.fitted.quality]).toEqual([null, null, null]);
  });

  it('leaves out features that never vary, and takes the frequencies where all are such', () => {
    const actions: Action[] = ['ANSWER', 'ANSWER', 'ASK', 'ABSTAIN'];
    const rows = Array.from({ length: 80 }, (_, i) => row({ E: 0.5 }, actions[i % 4]!, `g${i % 8}`));
    const { model, report } = fitPlanner(rows);
    expect(model.linear.length + model.trees.length).toBe(0);
    expect(plan(model, rows[0]!.features).ANSWER).toBeCloseTo(40.5 / 81.5, 5);
    expect(report.unused).toContain('E');
  });

  it('learns from what is missing', () => {
    const random = seededRandom(8);
    const rows = Array.from({ length: 400 }, (_, i) => {
      const known = random() < 0.5;
      const right = random() < 0.9;
      return row(
        { pathScore: known ? random() : null },
        known === right ? 'ANSWER' : 'ABSTAIN',
        `g${i % 15}`,
      );
    });
    const { model } = fitPlanner(rows);
    expect(plan(model, { ...NOTHING, pathScore: 0.4 }).ANSWER).toBeGreaterThan(0.82);
    expect(plan(model, NOTHING).ABSTAIN).toBeGreaterThan(0.82);
  });

  it('counts a row of weight 3 as three rows', () => {
    const random = seededRandom(9);
    const rows = drawn(random, 150).map((each, i) => ({ ...each, weight: i % 2 === 0 ? 3 : 1 }));
    const { model } = fitPlanner(
      rows.map(({ features, action, group }) => ({ features, action, group, weight: 7 })),
    );
    const even = fitPlanner(rows.map(({ features, action, group }) => ({ features, action, group }))).model;
    expect(model).toEqual(even);
    const heavy = fitPlanner(rows.map((each) => ({ ...each, features: { ...NOTHING } }))).model;
    const due = (action: Action) =>
      rows.reduce((sum, each) => sum + (each.action === action ? each.weight : 0), 0) / 2 + 0.5;
    const total = due('ANSWER') + due('ASK') + due('ABSTAIN');
    expect(plan(heavy, NOTHING).ASK).toBeCloseTo(due('ASK') / total, 5);
  });

  it('does not look at groups of features that are left out', () => {
    const { model, report } = fitPlanner(drawn(seededRandom(3), 150), { without: ['rule'] });
    expect(JSON.stringify([model.linear, model.trees])).not.toContain('openConditions');
    expect(report.unused).toContain('openConditions');
  });

  it.each([
    ['no rows', [], 'no labelled queries'],
    ['NaN', [row({ E: Number.NaN }, 'ASK', 'g')], 'Row 1: feature E is NaN'],
    ['an unknown action', [row({}, 'WAIT' as Action, 'g')], 'no action but "WAIT"'],
    ['no weight', [row({}, 'ASK', 'g', 0)], 'weight 0'],
  ])('refuses %s', (_, rows, why) => {
    expect(() => fitPlanner(rows)).toThrow(why);
  });
});
