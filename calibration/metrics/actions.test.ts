import { describe, expect, it } from 'vitest';
import type { Action } from '../../router/index.ts';
import { actionFigures, type JudgedAction } from './actions.ts';

/** Rows: what is right. Columns: what was said, ANSWER, ASK, ABSTAIN, nothing. */
function judgedBy(table: Record<Action, [number, number, number, number]>, misread = 0): JudgedAction[] {
  const saids = ['ANSWER', 'ASK', 'ABSTAIN', null] as const;
  const rows = (Object.entries(table) as [Action, number[]][]).flatMap(([gold, counts]) =>
    counts.flatMap((times, place) =>
      Array.from(
        { length: times },
        (): JudgedAction => ({ group: '', gold, said: saids[place]!, misread: null }),
      ),
    ),
  );
  const answered = rows.filter(({ gold, said }) => gold === 'ANSWER' && said === 'ANSWER');
  for (const [place, row] of answered.entries()) row.misread = place < misread;
  return rows.map((row, place) => ({ ...row, group: `g${place % 7}` }));
}

describe('actionFigures', () => {
  it("gives the paper's figures for its Architecture 2", () => {
    // 100 of each action, of which 81, 75 and 80 were answered; 12 questions and 9 silences were right.
    const figures = actionFigures(
      judgedBy({ ANSWER: [81, 10, 9, 0], ASK: [75, 12, 13, 0], ABSTAIN: [80, 11, 9, 0] }),
    );
    expect(figures.accuracy.value).toBeCloseTo(0.34, 12);
    expect(figures.answeredInVain.value).toBeCloseTo(0.51667, 5);
    expect(figures.coverage.value).toBeCloseTo(0.78667, 5);
    expect(figures.actions.ASK.recall.value).toBeCloseTo(0.12, 12);
    expect(figures.actions.ABSTAIN.recall.value).toBeCloseTo(0.09, 12);
  });

  it('counts by hand', () => {
    const figures = actionFigures(
      judgedBy({ ANSWER: [6, 1, 2, 1], ASK: [3, 4, 0, 0], ABSTAIN: [1, 0, 2, 0] }, 2),
    );
    expect(figures).toMatchObject({
      n: 20,
      groups: 7,
      failed: 1,
      gold: { ANSWER: 10, ASK: 7, ABSTAIN: 3 },
      said: { ANSWER: 10, ASK: 5, ABSTAIN: 4 },
    });
    expect(figures.accuracy.value).toBeCloseTo(12 / 20, 12);
    const f1 = [(2 * 6) / 20, (2 * 4) / 12, (2 * 2) / 7];
    expect(figures.actions.ANSWER).toMatchObject({
      precision: { value: 0.6 },
      recall: { value: 0.6 },
      f1: { value: f1[0] },
    });
    expect(figures.actions.ASK.precision.value).toBeCloseTo(4 / 5, 12);
    expect(figures.macroF1.value).toBeCloseTo((f1[0]! + f1[1]! + f1[2]!) / 3, 12);
    expect(figures.answeredInVain.value).toBeCloseTo(4 / 20, 12);
    expect(figures.misread.value).toBeCloseTo(2 / 6, 12);
    expect(figures.wrong.value).toBeCloseTo(6 / 20, 12);
    const { low, high } = figures.accuracy.interval!;
    expect(low).toBeLessThanOrEqual(0.6);
    expect(high).toBeGreaterThanOrEqual(0.6);
    expect(high - low).toBeGreaterThan(0);
  });

  it('leaves actions that are right nowhere out of macro-F1, though saying them costs', () => {
    const figures = actionFigures(
      judgedBy({ ANSWER: [5, 5, 0, 0], ASK: [0, 0, 0, 0], ABSTAIN: [0, 0, 10, 0] }),
    );
    expect(figures.macroF1.value).toBeCloseTo((10 / 15 + 1) / 2, 12);
    expect(figures.actions.ASK).toMatchObject({ precision: { value: 0 }, recall: { value: null } });
  });

  it('has no share of nothing', () => {
    const figures = actionFigures(
      judgedBy({ ANSWER: [0, 0, 3, 0], ASK: [0, 0, 0, 0], ABSTAIN: [0, 0, 3, 0] }),
    );
    expect(figures.wrong).toEqual({ value: null, interval: null });
    expect(figures.actions.ANSWER.precision).toEqual({ value: null, interval: null });
    expect(() => actionFigures([])).toThrow(RangeError);
  });

  it('draws whole groups: figures of one group that never varies have no width', () => {
    const one: JudgedAction[] = Array.from({ length: 20 }, (_, i) => ({
      group: `g${i % 5}`,
      gold: 'ANSWER',
      said: i < 10 ? 'ANSWER' : 'ASK',
      misread: null,
    }));
    // Each of five groups has two of four right.
    expect(actionFigures(one).accuracy.interval).toEqual({ low: 0.5, high: 0.5 });
  });

  it('has intervals by group: ten alike questions of each are no more than one', () => {
    const of = (each: number) =>
      Array.from({ length: 12 }, (_, g) =>
        Array.from(
          { length: each },
          (): JudgedAction => ({
            group: `g${g}`,
            gold: 'ANSWER',
            said: g % 3 === 0 ? 'ASK' : 'ANSWER',
            misread: null,
          }),
        ),
      ).flat();
    const [one, ten] = [actionFigures(of(1)), actionFigures(of(10))];
    expect(ten.accuracy).toEqual(one.accuracy);
    const { low, high } = one.accuracy.interval!;
    expect(low).toBeLessThan(0.5);
    expect(high).toBeGreaterThan(0.83);
  });
});
