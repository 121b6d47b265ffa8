/** Scores of one arithmetic: written to a file here, compared with those of another processor or model there. */
import { z } from 'zod';
import { exactMatch } from '../../calibration/index.ts';
import { type ModelChoice, modelNames, openScorers, type Scorers } from '../../scorers/index.ts';
import { machineLine } from '../measure/machine.ts';
import { instructionSets } from './instruction-sets.ts';
import { type Workload, workloadOf } from './workload.ts';

const numbers = z.array(z.number());
const share = z.number().min(0).max(1);

/** `rate`: items a second of processor time, in the fastest of the parts that each job was measured in. */
const JobRecord = z.strictObject({ scores: z.array(numbers), accuracy: share, rate: z.number().positive() });

export const ArithmeticRecord = z.strictObject({
  schema: z.literal('pragaura.bench-arithmetic/1'),
  label: z.string(),
  machine: z.string(),
  /** Instruction sets that decide over 8-bit products, as far as the system names them. */
  instructions: z.array(z.string()),
  arithmetic: z.string(),
  widened: z.boolean(),
  models: z.record(z.string(), z.string()),
  n: z.number().int(),
  jobs: z.strictObject({
    /** A logit a pair; right where it is above 0 for the right paragraph alone. */
    relevance: JobRecord,
    /** Best span (start, end) and margin; right where it equals a gold answer, of wrong paragraphs where it is below 0. */
    spans: JobRecord,
    /** Probabilities of entailment, neutral, contradiction. */
    entailment: JobRecord,
    /** Unit vectors; right where the question's own paragraph is nearest. */
    embeddings: JobRecord,
  }),
});
export type ArithmeticRecord = z.infer<typeof ArithmeticRecord>;
export type ScoredJob = keyof ArithmeticRecord['jobs'];

/** Parts that a job is scored in; the fastest was disturbed least by what else ran. */
const PARTS = 8;

export interface RecordOptions {
  data: string;
  label: string;
  /** Items a job. */
  n: number;
  models: ModelChoice;
  /** Default: what the processor needs. */
  widen: boolean | undefined;
  /** Whether a softmax is written out, as it is by default. */
  softmax: boolean;
}

/** Scores `n` items of each job on one thread. Throws what loading sets and models throws. */
export async function recordArithmetic(
  { data, label, n, models, widen, softmax }: RecordOptions,
  say: (line: string) => void,
): Promise<ArithmeticRecord> {
  const workload = await workloadOf(data, n);
  const scorers = await openScorers({
    ...models,
    ...(widen !== undefined && { widen }),
    softmax,
    threads: 1,
    announce: say,
  });
  try {
    const { arithmetic, widened, models: used } = scorers.info;
    const jobs = {} as ArithmeticRecord['jobs'];
    for (const [job, run] of Object.entries(RUNS) as [ScoredJob, Run][]) {
      jobs[job] = await run(scorers, workload);
      say(`${label}: ${job}, ${jobs[job].rate.toFixed(1)} a second of processor time`);
    }
    return {
      schema: 'pragaura.bench-arithmetic/1',
      label,
      machine: machineLine(),
      instructions: await instructionSets(),
      arithmetic,
      widened,
      models: modelNames(used),
      n,
      jobs,
    };
  } finally {
    await scorers.close();
  }
}

type Run = (scorers: Scorers, workload: Workload) => Promise<ArithmeticRecord['jobs'][ScoredJob]>;

const RUNS: Record<ScoredJob, Run> = {
  relevance: async (scorers, { pairs }) => {
    const { results, rate } = await timed(pairs, (part) => scorers.rerank(part));
    return {
      scores: results.map(({ logit }) => [logit]),
      accuracy: mean(results.map(({ logit }, i) => Number(logit > 0 === pairs[i]!.right))),
      rate,
    };
  },
  spans: async (scorers, { pairs }) => {
    const { results, rate } = await timed(pairs, (part) => scorers.read(part));
    return {
      scores: results.map(({ best, margin }) => [best?.start ?? -1, best?.end ?? -1, margin]),
      accuracy: mean(
        results.map(({ best, margin }, i) => {
          const { right, answers } = pairs[i]!;
          return right ? (exactMatch(best?.text ?? '', answers) ?? 0) : Number(margin < 0);
        }),
      ),
      rate,
    };
  },
  entailment: async (scorers, { claims }) => {
    const { results, rate } = await timed(claims, (part) => scorers.nli(part));
    const rows = results.map(({ entailment, neutral, contradiction }) => ({
      entailment,
      neutral,
      contradiction,
    }));
    return {
      scores: rows.map((row) => Object.values(row)),
      accuracy: mean(rows.map((row, i) => Number(row[claims[i]!.label] === Math.max(...Object.values(row))))),
      rate,
    };
  },
  embeddings: async (scorers, { texts }) => {
    const { results, rate } = await timed(texts, (part) => scorers.embed(part.map(({ text }) => text)));
    const paragraphs = results.filter((_, i) => texts[i]!.of === undefined);
    const hits = texts.flatMap(({ of }, i) => {
      if (of === undefined) return [];
      const cosines = paragraphs.map((vector) => dot(vector, results[i]!));
      return [Number(cosines[of] === Math.max(...cosines))];
    });
    return { scores: results.map((vector) => [...vector]), accuracy: mean(hits), rate };
  },
};

async function timed<T, R>(
  items: readonly T[],
  score: (part: readonly T[]) => Promise<R[]>,
): Promise<{ results: R[]; rate: number }> {
  await score(items.slice(0, 8));
  const results: R[] = [];
  let rate = 0;
  const size = Math.ceil(items.length / PARTS);
  for (let from = 0; from < items.length; from += size) {
    const part = items.slice(from, from + size);
    const before = process.cpuUsage();
    results.push(...(await score(part)));
    const { user, system } = process.cpuUsage(before);
    rate = Math.max(rate, (1e6 * part.length) / (user + system));
  }
  return { results, rate };
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i]! * b[i]!;
  return sum;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
