/** Paired comparisons, where a certificate allows them. Pure. */
import {
  allAt,
  anyAt,
  type BootstrapOptions,
  type Contrast,
  contrastOfAreas,
  contrastOfMeans,
  type Gains,
  holm,
  lossesOf,
  mcnemarExact,
  type Observation,
  reciprocalRankAt,
} from '../../calibration/index.ts';
import type { Verdict } from './certificate.ts';
import type { Ranked } from './contenders.ts';

type Figure = (observation: Observation) => number | null;

export interface Metric {
  name: string;
  /** 0 or 1 for every question: McNemar's test can be taken. */
  binary: boolean;
  of: Figure;
}

/** A figure of the ranking; null for a question without labelled passages, and for one that failed. */
function ranking(name: string, binary: boolean, of: (docs: string[], gains: Gains) => number | null): Metric {
  return {
    name,
    binary,
    of: ({ error, example, ranking: seen }) => {
      const { passages = [], grades } = example;
      if (error !== null) return null;
      const gains = new Map(passages.map((id, i) => [id, grades?.[i] ?? 1]));
      return of([...new Set(seen.map(({ docId }) => docId))], gains);
    },
  };
}

/** EM or F1 of the best candidate, whether or not it would be given. */
function reading(name: string, binary: boolean, loss: 'em' | 'f1'): Metric {
  return {
    name,
    binary,
    of: (observation) => {
      const lost = observation.error === null ? lossesOf(observation)[loss] : null;
      return lost === null ? null : 1 - lost;
    },
  };
}

/** Those of every question. Questions that need two documents also have the share that got both. */
export function metricsFor(observations: readonly Observation[]): Metric[] {
  const two = observations.every(({ example }) => (example.passages ?? []).length === 2);
  return [
    ranking('R@1', true, (docs, gains) => anyAt(docs, gains, 1)),
    ranking('R@5', true, (docs, gains) => anyAt(docs, gains, 5)),
    ranking('R@10', true, (docs, gains) => anyAt(docs, gains, 10)),
    ...(two ? [ranking('both@10', true, (docs, gains) => allAt(docs, gains, 10))] : []),
    ranking('MRR@10', false, (docs, gains) => reciprocalRankAt(docs, gains, 10)),
    reading('EM', true, 'em'),
    reading('F1', false, 'f1'),
  ];
}

/** `a` less `b` in one figure. `adjusted` values are Holm's over all tests of the family, see `adjust`. */
export interface Test extends Contrast {
  metric: string;
  /** 1: more is better. -1: less is. */
  better: 1 | -1;
  adjusted: number | null;
  /** Exact McNemar test, questions counted as independent; null where the figure is not 0 or 1. */
  mcnemar: number | null;
  mcnemarAdjusted: number | null;
}

/** Two runs that are not comparable have no tests. */
export interface Comparison {
  a: string;
  b: string;
  verdict: Verdict;
  tests: Test[];
}

/** Figures of all questions, under two arms that saw the same questions in the same order. */
export function testsOfMeans(
  a: readonly Observation[],
  b: readonly Observation[],
  metrics: readonly Metric[],
  options: BootstrapOptions = {},
): Test[] {
  return metrics.map(({ name, binary, of }) => {
    const { aHigher, bHigher, ...contrast } = contrastOfMeans(
      a.map((observation, i) => ({
        group: observation.example.group,
        a: of(observation),
        b: of(b[i]!),
      })),
      options,
    );
    const known = contrast.difference !== null;
    return test(name, 1, contrast, binary && known ? mcnemarExact(aHigher, bHigher) : null);
  });
}

/** Areas, and EM at `coverage`, over the test split (loss: 1 - EM). */
export function testsOfAreas(
  a: readonly Ranked[],
  b: readonly Ranked[],
  coverage: number,
  options: BootstrapOptions = {},
): Test[] {
  const items = a.flatMap((item, i) => {
    const other = b[i]!;
    if (item.em === null || other.em === null) return [];
    return [
      {
        group: item.group,
        a: { uncertainty: item.uncertainty, loss: item.em },
        b: { uncertainty: other.uncertainty, loss: other.em },
      },
    ];
  });
  const { risk, ...areas } = contrastOfAreas(items, coverage, options);
  const unscored = a.length - items.length;
  return [
    ...Object.entries(areas).map(([name, contrast]) =>
      test(name, -1, { ...contrast, n: a.length, unscored }),
    ),
    test(`EM at ${coverage}`, 1, { ...flipped(risk), n: a.length, unscored }),
  ];
}

/** From a risk to what is right: 1 - risk on both sides. */
function flipped(risk: Contrast): Contrast {
  const { a, b, difference, interval } = risk;
  return {
    ...risk,
    a: a === null ? null : 1 - a,
    b: b === null ? null : 1 - b,
    difference: difference === null ? null : 0 - difference,
    interval: interval === null ? null : { low: 0 - interval.high, high: 0 - interval.low },
  };
}

function test(metric: string, better: 1 | -1, contrast: Contrast, mcnemar: number | null = null): Test {
  return { metric, better, ...contrast, adjusted: null, mcnemar, mcnemarAdjusted: null };
}

/** Fills in what Holm's method makes of the p-values; bootstrap and McNemar are a family each. */
export function adjust(comparisons: readonly Comparison[]): Comparison[] {
  const tests = comparisons.flatMap((comparison) => comparison.tests);
  const family = (p: (test: Test) => number | null) => {
    const tried = tests.filter((test) => p(test) !== null);
    const adjusted = holm(tried.map((test) => p(test)!));
    return new Map(tried.map((test, i) => [test, adjusted[i]!]));
  };
  const [bootstrap, mcnemar] = [family(({ p }) => p), family((test) => test.mcnemar)];
  return comparisons.map((comparison) => ({
    ...comparison,
    tests: comparison.tests.map((test) => ({
      ...test,
      adjusted: bootstrap.get(test) ?? null,
      mcnemarAdjusted: mcnemar.get(test) ?? null,
    })),
  }));
}
