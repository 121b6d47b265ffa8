import { quantile } from '../../calibration/index.ts';
import { bareRunOf, type Job, type Scorers, type ScorersOptions } from '../../scorers/index.ts';
import { BareRuntime, batchesOf } from './bare.ts';
import { type Item, scored } from './workload.ts';

/** Middle and range of repeated runs. */
export interface Repeated {
  median: number;
  low: number;
  high: number;
}

export interface SpeedRow {
  job: Job;
  bucket: string;
  /** Items of one run, the sequences that they become, and word pieces of these in the mean. */
  items: number;
  sequences: number;
  meanTokens: number;
  /** Items a second through the product and through the bare runtime; `share`: the two of one repetition divided. */
  ours: Repeated;
  bare: Repeated;
  share: Repeated;
  /** CPU time of the bare runtime by that of the product, all threads: what the product adds, whoever else is busy. */
  cpuShare: Repeated;
}

interface Cost {
  ms: number;
  cpuMs: number;
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const [start, used] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(used);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1_000 };
}

export function repeated(values: readonly number[]): Repeated {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), low: sorted[0]!, high: sorted.at(-1)! };
}

/**
 * The same items through the product and through bare sessions of the same graph in as many threads, in turns: first
 * one, then the other, the order changing with each repetition. One run of each beforehand does not count.
 */
export async function measureSpeed(
  scorers: Scorers,
  options: Pick<ScorersOptions, 'jobs' | 'models' | 'modelsDir'>,
  { job, bucket, items }: { job: Job; bucket: string; items: readonly Item[] },
  repetitions: number,
): Promise<SpeedRow> {
  const { threads, provider } = scorers.info;
  const run = await bareRunOf({ ...options, provider }, (calls) => scored(calls, job, items));
  const bare = await BareRuntime.open(run, batchesOf(run), threads);
  try {
    const ways = {
      ours: () => costOf(() => scored(scorers, job, items)),
      bare: () => costOf(() => bare.run()),
    };
    await ways.ours();
    await ways.bare();
    const costs: Record<keyof typeof ways, Cost>[] = [];
    for (let i = 0; i < repetitions; i += 1) {
      if (i % 2 === 0) costs.push({ ours: await ways.ours(), bare: await ways.bare() });
      else {
        const first = await ways.bare();
        costs.push({ ours: await ways.ours(), bare: first });
      }
    }
    const tokens = run.sequences.reduce((sum, { ids }) => sum + ids.length, 0);
    return {
      job,
      bucket,
      items: items.length,
      sequences: run.sequences.length,
      meanTokens: tokens / run.sequences.length,
      ours: repeated(costs.map(({ ours }) => (1_000 * items.length) / ours.ms)),
      bare: repeated(costs.map(({ bare }) => (1_000 * items.length) / bare.ms)),
      share: repeated(costs.map(({ ours, bare }) => bare.ms / ours.ms)),
      cpuShare: repeated(costs.map(({ ours, bare }) => bare.cpuMs / ours.cpuMs)),
    };
  } finally {
    await bare.close();
  }
}
