import type { Act } from '../../profiles/index.ts';
import type { DocumentMean } from '../metrics/by-document.ts';
import { clopperPearson } from '../metrics/proportions.ts';
import { limitsByDocument } from './documents.ts';
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
  /** Where documents are independent and not their questions: the means over documents. Null: questions are. */
  byDocument: {
    coverage: DocumentMean;
    risk: DocumentMean;
    /** Queries that could not be decided; `n` is without them, the mean coverage has them as not answered. */
    failed: number;
  } | null;
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
  /** k of n on the test split, and what that is on average over documents where these are counted. */
  readonly reference: {
    readonly k: number;
    readonly n: number;
    readonly documents: { readonly n: number; readonly mean: number } | null;
  };
}

export interface Plan {
  watches: Watch[];
  /** Evidence at which a watch raises its alarm, and at which the mean evidence of all of them does. */
  threshold: number;
  meanThreshold: number;
  /** Acts of the test split that are not watched, with their queries there. */
  unwatched: { act: Act; n: number }[];
  /** Documents of the test split that the bounds rest on; null where they rest on its queries. */
  documents: number | null;
}

/**
 * What is watched, and where the bars are. The test split knows the rates only roughly: half of `alpha` is for the
 * case that one of the one-sided bounds taken from it is wrong, half for the stream (Ville), each shared evenly by the
 * watches. So, while queries come independently of each other and the stream's rates are those of the test split, the
 * probability of any alarm, however long the stream, is at most alpha.
 *
 * Where questions are exchangeable, those of the test split are independent too, and the bounds are Clopper-Pearson's.
 * Where documents are, its questions are not: the bounds are on means over documents (`limitsByDocument`), and alpha
 * holds for queries each of which is about a document of its own, drawn as those of the test split were and each
 * counting alike; of an act, among documents with queries of it, of risk, among those with answers. A stream in which
 * documents weigh as their questions do has another mean: the bounds make room for it by as much as the two differ on
 * the test split. No bound helps against queries that come in bunches of one document.
 */
export function planOf(baseline: Baseline, { alpha, least, slack }: PlanOptions): Plan {
  const subjects: [Act | null, Counts][] = [
    [null, baseline.all],
    ...(Object.entries(baseline.acts) as [Act, Counts][]),
  ];
  const sides = subjects.flatMap(([act, counts]) => {
    const { n, judged, promisedRisk } = counts;
    const found: (Omit<Watch, 'bound'> & { counts: Counts; level?: number })[] = [];
    if (n >= least) {
      const reference = referenceOf(counts, 'coverage');
      const coverage = { act, figure: 'coverage', against: 'realised', reference, counts } as const;
      found.push({ ...coverage, direction: 'down' }, { ...coverage, direction: 'up' });
    }
    if (judged >= least) {
      const risk = {
        act,
        figure: 'risk',
        direction: 'up',
        reference: referenceOf(counts, 'risk'),
        counts,
      } as const;
      found.push({ ...risk, against: 'realised' });
      if (promisedRisk !== null) found.push({ ...risk, against: 'promised', level: promisedRisk });
    }
    return found;
  });
  const each = alpha / 2 / sides.length;
  return {
    watches: sides.map(({ level, counts, ...side }) => {
      const { low, high } = limitsOf(counts, side.figure, each);
      const bound =
        side.direction === 'up'
          ? Math.min(1, Math.max(level ?? high, high) + slack)
          : Math.max(0, low - slack);
      return { ...side, bound };
    }),
    threshold: 1 / each,
    meanThreshold: 2 / alpha,
    unwatched: subjects.flatMap(([act, { n }]) => (act !== null && n < least ? [{ act, n }] : [])),
    documents: baseline.all.byDocument?.coverage.documents ?? null,
  };
}

function referenceOf(counts: Counts, figure: Watch['figure']): Watch['reference'] {
  const [k, n] = figure === 'coverage' ? [counts.answered, counts.n] : [counts.wrong, counts.judged];
  const { documents, value } = counts.byDocument?.[figure] ?? { documents: 0, value: null };
  return { k, n, documents: value === null ? null : { n: documents, mean: value } };
}

/** A lower and an upper bound on what a figure is, each wrong with probability at most `each`. */
function limitsOf(counts: Counts, figure: Watch['figure'], each: number): { low: number; high: number } {
  const { k, n } = referenceOf(counts, figure);
  const { byDocument } = counts;
  // Either limit of an interval at this level is a one-sided bound that is wrong with probability `each`.
  if (byDocument === null) return clopperPearson(k, n, 1 - 2 * each)!;
  const { low, high } = limitsByDocument(byDocument[figure], each);
  const mean = byDocument[figure].value ?? k / n;
  // Without those that failed the mean is higher, by so much if they are spread evenly.
  const more = figure === 'coverage' ? (counts.n + byDocument.failed) / counts.n : 1;
  return {
    low: low - Math.max(0, mean - k / n),
    high: high * more + Math.max(0, k / n - mean * more),
  };
}
