import { quantile } from '../../calibration/index.ts';
import type { Job, Reading, Relevance } from '../../scorers/index.ts';
import type { Recorded } from './recording.ts';

/** How far apart the numbers of one kind are on two providers. */
export interface Difference {
  what: string;
  /** Texts or pairs that both scored. */
  n: number;
  median: number;
  p99: number;
  max: number;
  /** The most that is put up with. */
  tolerance: number;
}

/** `logit`: of relevance and reading; `probability`: of the three entailment classes; `cosine`: 1 - that of two vectors. */
export interface Tolerances {
  logit: number;
  probability: number;
  cosine: number;
}

export interface Differences {
  rows: Difference[];
  /** Readings whose best span is another one. */
  otherSpans: { n: number; different: number };
}

type Measure = (a: never, b: never) => number;

const MEASURES: { job: Job; what: string; of: keyof Tolerances; measure: Measure }[] = [
  {
    job: 'embed',
    what: 'embedding, 1 - cosine',
    of: 'cosine',
    measure: (a: Float32Array, b: Float32Array) => 1 - a.reduce((sum, x, i) => sum + x * b[i]!, 0),
  },
  {
    job: 'rerank',
    what: 'relevance, logit',
    of: 'logit',
    measure: (a: Relevance, b: Relevance) => Math.abs(a.logit - b.logit),
  },
  {
    job: 'read',
    what: 'no answer, start + end logit',
    of: 'logit',
    measure: (a: Reading, b: Reading) => Math.abs(a.noAnswer - b.noAnswer),
  },
  {
    job: 'read',
    what: 'best span, start + end logit',
    of: 'logit',
    measure: (a: Reading, b: Reading) => Math.abs((a.best?.score ?? 0) - (b.best?.score ?? 0)),
  },
  {
    job: 'nli',
    what: 'entailment, largest difference of a probability',
    of: 'probability',
    measure: (a: Record<string, number>, b: Record<string, number>) =>
      Math.max(...['entailment', 'neutral', 'contradiction'].map((label) => Math.abs(a[label]! - b[label]!))),
  },
];

/** Compares what both providers scored. */
export function differencesOf(a: Recorded, b: Recorded, tolerances: Tolerances): Differences {
  const rows = MEASURES.map(({ job, what, of, measure }) => {
    const values = common(a, b, job)
      .map(([one, other]) => measure(one as never, other as never))
      .sort((x, y) => x - y);
    const at = (share: number): number => (values.length === 0 ? Number.NaN : quantile(values, share));
    return { what, n: values.length, median: at(0.5), p99: at(0.99), max: at(1), tolerance: tolerances[of] };
  });
  const readings = common(a, b, 'read') as [Reading, Reading][];
  const different = readings.filter(
    ([{ best: one }, { best: other }]) => one?.start !== other?.start || one?.end !== other?.end,
  );
  return {
    rows: rows.filter(({ n }) => n > 0),
    otherSpans: { n: readings.length, different: different.length },
  };
}

function common(a: Recorded, b: Recorded, job: Job): [unknown, unknown][] {
  return [...a[job]].filter(([key]) => b[job].has(key)).map(([key, value]) => [value, b[job].get(key)]);
}
