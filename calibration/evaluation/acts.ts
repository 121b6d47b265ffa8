import { ACTS } from '../../profiles/index.ts';
import type { Thresholds } from '../../router/index.ts';
import { type BootstrapOptions, quantilesOf } from '../metrics/intervals.ts';
import { countsOf } from './abstentions.ts';
import { answeredOf, meanOf, proportion, wrongAmong } from './estimates.ts';
import { type Graded, unanswered } from './graded.ts';
import { figuresOf } from './rankings.ts';
import type { ActRow } from './types.ts';

const QUANTILES = [0.05, 0.25, 0.5, 0.75, 0.95] as const;

/** One row for each predicted act that occurs. Examples whose measurement failed have no act and are in no row. */
export function actsOf(
  items: readonly Graded[],
  thresholds: Thresholds,
  options: Required<BootstrapOptions>,
): ActRow[] {
  return ACTS.flatMap((act) => {
    const own = items.filter((item) => item.act === act);
    if (own.length === 0) return [];
    const answered = answeredOf(own);
    const { aurc, augrc } = figuresOf(
      own.map((item) => ({ item, uncertainty: item.place })),
      ({ wrong }) => (wrong === null ? null : wrong ? 1 : 0),
      [],
      options,
    );
    return [
      {
        act,
        n: own.length,
        tau: thresholds.tauFor(act),
        sentence: thresholds.sentence(act),
        actions: actionsOf(own),
        coverage: proportion(answered.length, own.length, options.level),
        risk: wrongAmong(answered, options.level),
        em: meanOf(answered, ({ em }) => em, options),
        f1: meanOf(answered, ({ f1 }) => f1, options),
        aurc,
        augrc,
        uncertainty: spread(own),
        abstentions: countsOf(own.filter(unanswered)),
      },
    ];
  });
}

export function actionsOf(items: readonly Graded[]): ActRow['actions'] {
  const count = (action: string) => items.filter((item) => item.action === action).length;
  return { ANSWER: count('ANSWER'), ASK: count('ASK'), ABSTAIN: count('ABSTAIN') };
}

function spread(items: readonly Graded[]): ActRow['uncertainty'] {
  const values = items.flatMap(({ place, U }) => (place !== null && U !== null ? [U] : []));
  const found = quantilesOf(values, QUANTILES);
  if (found === null) return null;
  const [p5, p25, p50, p75, p95] = found as [number, number, number, number, number];
  return { n: values.length, p5, p25, p50, p75, p95 };
}
