/** Records of several processors and models beside the first: how far scores are apart, and what is lost by it. */
import { grouped, quantile } from '../../calibration/index.ts';
import { PragauraError } from '../../common/index.ts';
import { markdownTable, share, table } from '../measure/table.ts';
import type { ArithmeticRecord, ScoredJob } from './record.ts';

/** How far two scores of one item are apart. */
const APART: Record<
  ScoredJob,
  { what: string; measure(a: readonly number[], b: readonly number[]): number }
> = {
  relevance: { what: 'relevance, logit', measure: (a, b) => Math.abs(a[0]! - b[0]!) },
  spans: { what: 'margin over no answer, logit', measure: (a, b) => Math.abs(a[2]! - b[2]!) },
  entailment: {
    what: 'entailment, largest difference of a probability',
    measure: (a, b) => Math.max(...a.map((value, i) => Math.abs(value - b[i]!))),
  },
  // Of unit vectors; 0 for the same ones, whatever their length is rounded to.
  embeddings: {
    what: 'embedding, 1 - cosine',
    measure: (a, b) => a.reduce((sum, value, i) => sum + (value - b[i]!) ** 2, 0) / 2,
  },
};

/** Above this two scores are not the same (the aim of one arithmetic everywhere). */
const SAME = 1e-3;

export interface ArithmeticRow {
  job: ScoredJob;
  label: string;
  n: number;
  median: number;
  p99: number;
  max: number;
  /** Items that are further apart than 1e-3. */
  beyond: number;
  /** Spans: another best span. Entailment: another label. */
  others: number | null;
  accuracy: number;
  /** Accuracy less that of the first record. */
  lost: number;
  /** Items a second of processor time. */
  rate: number;
}

/** Throws USAGE where fewer than two records are given, or they are not of the same items. */
export function compareArithmetic(records: readonly ArithmeticRecord[]): ArithmeticRow[] {
  const [first, ...others] = records;
  if (first === undefined || others.length === 0)
    throw new PragauraError('USAGE', 'One record has nothing to be compared with.', {
      hint: 'Name at least two files; the first is what the others are held against.',
    });
  const foreign = others.find(({ n }) => n !== first.n);
  if (foreign !== undefined)
    throw new PragauraError(
      'USAGE',
      `"${foreign.label}" is of ${foreign.n} items, "${first.label}" of ${first.n}.`,
      {
        hint: 'Record both with the same -n.',
      },
    );
  const jobs = Object.keys(APART) as ScoredJob[];
  return jobs.flatMap((job) => records.map((record) => rowOf(job, first, record)));
}

function rowOf(job: ScoredJob, first: ArithmeticRecord, record: ArithmeticRecord): ArithmeticRow {
  const own = record.jobs[job];
  const base = first.jobs[job];
  const apart = own.scores
    .map((scores, i) => APART[job].measure(base.scores[i]!, scores))
    .sort((a, b) => a - b);
  const other = { spans: otherSpan, entailment: otherLabel, relevance: null, embeddings: null }[job];
  return {
    job,
    label: record.label,
    n: apart.length,
    median: quantile(apart, 0.5),
    p99: quantile(apart, 0.99),
    max: apart.at(-1)!,
    beyond: apart.filter((value) => value > SAME).length,
    others: other === null ? null : own.scores.filter((scores, i) => other(scores, base.scores[i]!)).length,
    accuracy: own.accuracy,
    lost: own.accuracy - base.accuracy,
    rate: own.rate,
  };
}

const otherSpan = (a: readonly number[], b: readonly number[]): boolean => a[0] !== b[0] || a[1] !== b[1];
const otherLabel = (a: readonly number[], b: readonly number[]): boolean =>
  a.indexOf(Math.max(...a)) !== b.indexOf(Math.max(...b));

const small = (value: number): string => (value === 0 ? '0' : value.toExponential(1));

const HEAD = [
  '',
  'n',
  'median',
  '99 %',
  'largest',
  '> 1e-3',
  'other result',
  'accuracy',
  'less first',
  'a CPU second',
];

/** A table of each job, for the terminal; below it what each record is of. */
export function renderArithmetic(
  records: readonly ArithmeticRecord[],
  rows: readonly ArithmeticRow[],
): string {
  const made = records.map(
    ({ label, arithmetic, widened, instructions, machine }) =>
      `${label}: ${arithmetic} sums${widened ? ', weights taken as unsigned' : ''}; ${instructions.join(' ') || 'instruction sets not known'}; ${machine}`,
  );
  return [...tablesOf(rows, table), made.join('\n')].join('\n\n');
}

/** The same tables for a page. */
export function arithmeticMarkdown(rows: readonly ArithmeticRow[]): string {
  return tablesOf(rows, markdownTable).join('\n\n');
}

function tablesOf(rows: readonly ArithmeticRow[], tabled: typeof table): string[] {
  return grouped(rows, ({ job }) => job).map(
    (own) => `${APART[own[0]!.job].what}\n\n${tabled(HEAD, own.map(cellsOf))}`,
  );
}

function cellsOf(row: ArithmeticRow): string[] {
  const { label, n, median, p99, max, beyond, others, accuracy, lost, rate } = row;
  return [
    label,
    String(n),
    small(median),
    small(p99),
    small(max),
    String(beyond),
    others === null ? '' : String(others),
    share(accuracy),
    lost.toFixed(4),
    rate.toFixed(1),
  ];
}
