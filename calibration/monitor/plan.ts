import type { Act } from '../../profiles/index.ts';
import { clopperPearson } from '../metrics/proportions.ts';
import type { Hypothesis } from './e-process.ts';

/** What the test split of a calibration saw of one act, or of all. */
export interface Counts {
  /** Queries that could be decided. */
  n: number;
  answered: number;
  /** Answered ones that a label calls right or wrong, and those it calls wrong. */
  judged: number;
  wrong: number;
  /** Most share of wrong answers that is promised of them, question by question; null where nothing is. */
  promisedRisk: number | null;
}

/** What a stream is held against: what the artifact's test split showed, and what is promised on risk. */
export interface Baseline {
  /** Hash of the artifact; decisions made under another are not looked at. */
  hash: string;
  all: Counts;
  acts: Partial<Record<Act, Counts>>;
}

export interface PlanOptions {
  /** Most probability of any alarm, ever, while the stream is like the test split. In (0, 1). */
  alpha: number;
  /** Fewest queries (for risk: judged answers) of the test split with which an act is watched. */
  least: number;
  /** Drift that is none of interest: every bound is moved out by so much. In [0, 1). */
  slack: number;
}

export interface Watch extends Hypothesis {
  /** Null: all acts together. */
  readonly act: Act | null;
  readonly figure: 'coverage' | 'risk';
  /** `realised`: against what the test split showed; `promised`: against the level of the artifact. */
  readonly against: 'realised' | 'promised';
  /** k of n on the test split. */
  readonly reference: { readonly k: number; readonly n: number };
}

export interface Plan {
  watches: Watch[];
  /** Evidence at which a watch raises its alarm, and at which the mean evidence of all of them does. */
  threshold: number;
  meanThreshold: number;
  /** Acts of the test split that are not watched, with their queries there. */
  unwatched: { act: Act; n: number }[];
}

/**
 * What is watched, and where the bars are. The test split knows the rates only roughly: half of `alpha` is for the
 * case that one of the one-sided Clopper-Pearson bounds taken from it is wrong, half for the stream (Ville), each
 * shared evenly by the watches. So, while queries come independently of each other, in the test split as in the stream,
 * and the stream's rates are those of the test split, the probability of any alarm, however long the stream, is at most
 * alpha. Many questions on one document do not come so: then the bounds are too narrow.
 */
export function planOf(baseline: Baseline, { alpha, least, slack }: PlanOptions): Plan {
  const subjects: [Act | null, Counts][] = [
    [null, baseline.all],
    ...(Object.entries(baseline.acts) as [Act, Counts][]),
  ];
  const sides = subjects.flatMap(([act, { n, answered, judged, wrong, promisedRisk }]) => {
    const found: (Omit<Watch, 'bound'> & { level?: number })[] = [];
    if (n >= least) {
      const coverage = {
        act,
        figure: 'coverage',
        against: 'realised',
        reference: { k: answered, n },
      } as const;
      found.push({ ...coverage, direction: 'down' }, { ...coverage, direction: 'up' });
    }
    if (judged >= least) {
      const risk = { act, figure: 'risk', direction: 'up', reference: { k: wrong, n: judged } } as const;
      found.push({ ...risk, against: 'realised' });
      if (promisedRisk !== null) found.push({ ...risk, against: 'promised', level: promisedRisk });
    }
    return found;
  });
  const each = alpha / 2 / sides.length;
  return {
    watches: sides.map(({ level, ...side }) => {
      const { k, n } = side.reference;
      // Either limit of an interval at this level is a one-sided bound that is wrong with probability `each`.
      const { low, high } = clopperPearson(k, n, 1 - 2 * each)!;
      const bound =
        side.direction === 'up'
          ? Math.min(1, Math.max(level ?? high, high) + slack)
          : Math.max(0, low - slack);
      return { ...side, bound };
    }),
    threshold: 1 / each,
    meanThreshold: 2 / alpha,
    unwatched: subjects.flatMap(([act, { n }]) => (act !== null && n < least ? [{ act, n }] : [])),
  };
}
