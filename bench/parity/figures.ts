/** Figures of one set's report. */
import {
  areaBars,
  type Figure,
  framed,
  type Interval,
  type Summary,
  series,
} from '../../calibration/index.ts';
import type { SetReport } from './assemble.ts';
import { type Estimated, nameOf } from './contenders.ts';

/** What each signal and each way of setting tau is worth, and what quality costs; without what was not run. */
export function figuresOf(report: SetReport): Figure[] {
  return [decisions(report), budgets(report)].flatMap((figure) => figure ?? []);
}

/** The ways of deciding on what the act-conditioned arm measured. */
function decisions({ set, standings }: SetReport): Figure | null {
  const rows = standings.flatMap(({ contender, areas, n, unscored }) => {
    if (contender.arm !== 'act' || areas === null) return [];
    const estimate = ({ value, interval }: Estimated) => ({
      value,
      interval,
      n,
      unscored,
      low: null,
      high: null,
    });
    const { AURC: aurc, 'E-AURC': excess, AUGRC: augrc } = areas;
    const oracle = { value: aurc.value - excess.value, interval: null };
    return [
      {
        name: contender.tau === 'global tau' ? contender.score : contender.tau,
        aurc: {
          aurc: estimate(aurc),
          oracle: estimate(oracle),
          excess: estimate(excess),
          augrc: estimate(augrc),
        },
      },
    ];
  });
  if (rows.length === 0) return null;
  return areaBars(rows, { name: `parity-${set}-decisions`, title: `Ways of deciding on ${set}` });
}

const UNIFORM = 'uniform';
const ACT = 'act-conditioned';

/** The two policies under every budget that both were run with. */
function budgets({ set, arms, standings, coverage }: SetReport): Figure | null {
  const points = arms.flatMap(({ name, spent, figures }) => {
    const policy = /^(uniform|act)(-(half|40|55|double))?$/.exec(name)?.[1];
    const areas = standings.find(
      ({ contender }) => nameOf(contender) === `${name}: formula, global tau`,
    )?.areas;
    if (policy === undefined || spent === null) return [];
    const at = { policy: policy === 'act' ? ACT : UNIFORM, spent: spent.rerankPairs + spent.nliPairs };
    const values: [string, { value: number | null; interval: Interval | null } | undefined][] = [
      ['R@10, all questions', meanOf(figures['R@10'])],
      ['EM, all questions', meanOf(figures.EM)],
      [`EM at coverage ${coverage}`, areas?.EM],
      ['AURC (less is better)', areas?.AURC],
    ];
    return values.flatMap(([figure, estimate]) =>
      estimate?.value == null ? [] : [{ ...at, figure, value: estimate.value, ...estimate.interval }],
    );
  });
  if (new Set(points.map(({ spent }) => spent)).size < 2) return null;
  const { color, shape, strokeDash } = series([UNIFORM, ACT], 'policy');
  const x = {
    field: 'spent',
    type: 'quantitative',
    title: 'pairs through the models, a question',
    scale: { zero: false, nice: true, padding: 12 },
    axis: { tickCount: 4 },
  };
  const y = {
    field: 'value',
    type: 'quantitative',
    title: null,
    scale: { zero: false, nice: true, padding: 12 },
    axis: { format: '.3f', tickCount: 5 },
  };
  return {
    name: `parity-${set}-budgets`,
    title: `Quality against budget on ${set}`,
    caption:
      'Both policies under half, the whole and twice the budget, and under the two budgets of the paper, against the pairs that were re-ranked and checked for entailment. Thin lines: intervals by group.',
    spec: framed({
      data: { values: points },
      facet: {
        field: 'figure',
        type: 'nominal',
        title: null,
        sort: points.slice(0, 4).map(({ figure }) => figure),
        header: { labelFontSize: 13, labelFontWeight: 'bold' },
      },
      columns: 2,
      spacing: 24,
      resolve: { scale: { y: 'independent' }, axis: { x: 'independent', y: 'independent' } },
      spec: {
        width: 200,
        height: 170,
        layer: [
          {
            transform: [{ filter: 'isValid(datum.low)' }],
            mark: { type: 'rule', strokeWidth: 1, opacity: 0.6 },
            encoding: { x, y: { ...y, field: 'low' }, y2: { field: 'high' }, color },
          },
          { mark: { type: 'line', strokeWidth: 2 }, encoding: { x, y, color, strokeDash } },
          { mark: { type: 'point', filled: true, size: 90, opacity: 1 }, encoding: { x, y, color, shape } },
        ],
      },
    }),
  };
}

function meanOf(summary: Summary | undefined) {
  return summary && { value: summary.mean, interval: summary.interval };
}
