/** Figures of the first paper: what is kept of evaluations, and each drawing with the numbers that it shows. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Evaluation } from '../../calibration/index.ts';
import { ROOT } from '../../common/testing/packed.ts';
import { readFigures } from './figures-file.ts';
import { BUDGETS, frontierFigures, frontierReport, POLICIES } from './frontier.ts';
import { RESULTS } from './pages.ts';
import { type SelectiveReport, selectiveFigures, selectiveReport } from './selective.ts';

const kept = async () =>
  (await readFigures(path.join(ROOT, RESULTS, 'selective-hotpot.json'))).report as SelectiveReport;

describe('answering selectively', () => {
  it('is kept with both thresholds, and without the curves of orders that lack a signal', async () => {
    const { evaluation, thresholds } = await kept();
    const [own] = evaluation.rankings;
    const whole = (name: string, coverage: number) =>
      ({
        ...evaluation,
        counts: { examples: 4, documents: 2 },
        coverage: { ...thresholds['one tau'].coverage, value: coverage },
        unsupported: { tokens: thresholds['one tau'].unsupported },
        rankings: [own, { ...own, name }],
        acts: [
          { ...evaluation.acts[0], act: 'FACT', n: 3 },
          { ...evaluation.acts[0], act: 'QUANTITY', n: 1 },
        ],
      }) as unknown as Evaluation;
    const report = selectiveReport({
      'one tau': whole('without D', 0.25),
      'tau per act': whole('without D', 0.5),
    });
    expect(report.evaluation.rankings.map(({ curve }) => curve.length)).toEqual([own!.curve.length, 0]);
    expect(report.thresholds['one tau'].coverage.value).toBe(0.25);
    expect(report.thresholds['tau per act'].coverage.value).toBe(0.5);
    expect(report.shares).toEqual({ FACT: 0.75, QUANTITY: 0.25 });
  });

  it('has a table beside every drawing, whose numbers are those of the curve', async () => {
    const report = await kept();
    const figures = selectiveFigures(report, 'x');
    expect(figures.map(({ figure }) => figure.name)).toEqual([
      'x-selective-accuracy',
      'x-risk-coverage',
      'x-unsupported',
      'x-ablation',
      'x-uncertainty-by-act',
      'x-acts',
    ]);
    for (const { figure, head, rows } of figures) {
      expect(rows.length, figure.name).toBeGreaterThan(0);
      expect(new Set(rows.map((row) => row.length)), figure.name).toEqual(new Set([head.length]));
    }
    const last = report.evaluation.rankings[0]!.curve.at(-1)!;
    expect(figures[0]!.rows[9]).toEqual([
      '1.000',
      (1 - last.riskEm!).toFixed(3),
      (1 - last.riskF1!).toFixed(3),
    ]);
    expect(figures[0]!.rows.at(-1)![0]).toMatch(/^tau per act: 0\.\d{3} \[/);
  });
});

describe('accuracy and latency', () => {
  const evaluation = (em: number | null, mean: number) =>
    ({
      counts: { examples: 3 },
      spent: { ms: { mean } },
      rankings: [
        {
          selective: [
            {
              coverage: 0.8,
              em: { value: em, interval: null },
              f1: { value: em, interval: null },
            },
          ],
        },
      ],
    }) as unknown as Evaluation;
  const all = (act: number | null) =>
    Object.fromEntries(
      POLICIES.flatMap((policy) =>
        Object.keys(BUDGETS).map((budget, place) => [
          `${policy}-${budget}`,
          evaluation(policy === 'act' ? act : 0.5, 10 * (place + 1)),
        ]),
      ),
    );

  it('has a point for every policy and budget, and what acts are worth under the whole one', () => {
    const report = frontierReport(all(0.625));
    expect(report.gain).toBe(0.125);
    expect(frontierFigures(report, 'x')[0]!.rows).toEqual([
      ['act', 'quarter', '10.0', '0.625', '0.625'],
      ['act', 'half', '20.0', '0.625', '0.625'],
      ['act', 'whole', '30.0', '0.625', '0.625'],
      ['uniform', 'quarter', '10.0', '0.500', '0.500'],
      ['uniform', 'half', '20.0', '0.500', '0.500'],
      ['uniform', 'whole', '30.0', '0.500', '0.500'],
    ]);
  });

  it('knows no gain where one of the two was not measured', () => {
    expect(frontierReport(all(null)).gain).toBeNull();
  });
});
