import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { InferenceSession } from 'onnxruntime-node';
import { PragauraError } from '../../common/index.ts';
import { bareRunOf, type ModelChoice, openScorers, type Provider } from '../../scorers/index.ts';
import { peakMiB, residentMiB } from '../measure/machine.ts';
import { BareRuntime, batchesOf } from './bare.ts';
import { repeated } from './measure.ts';
import { type Item, SCORING_JOBS, scored } from './workload.ts';

type Options = InferenceSession.SessionOptions;

/** Ways to make a session that the bare runtime is measured with; `product` is all of ours instead. */
export const VARIANTS: Record<string, { about: string; change: (options: Options) => Options }> = {
  product: { about: 'the product: all models, all checks, known pairs', change: (options) => options },
  bare: { about: 'bare session as the product makes it', change: (options) => options },
  extended: {
    about: 'graph optimisation "extended"',
    change: (options) => ({ ...options, graphOptimizationLevel: 'extended' }),
  },
  basic: {
    about: 'graph optimisation "basic"',
    change: (options) => ({ ...options, graphOptimizationLevel: 'basic' }),
  },
  disabled: {
    about: 'graph optimisation off',
    change: (options) => ({ ...options, graphOptimizationLevel: 'disabled' }),
  },
  offline: {
    about: 'graph optimised beforehand, nothing done at load',
    change: (options) => ({ ...options, graphOptimizationLevel: 'disabled' }),
  },
  'no-arena': {
    about: 'without the memory arena',
    change: (options) => ({ ...options, enableCpuMemArena: false }),
  },
  pattern: {
    about: 'with memory patterns',
    change: (options) => ({ ...options, enableMemPattern: true }),
  },
};

export interface FreshReport {
  /** Until the first score can be had: `openScorers`, or making the sessions. */
  openMs: number;
  /** Resident MiB before, after opening and after scoring; peak of all. */
  before: number;
  opened: number;
  scored: number;
  peak: number;
  /** Items a second: the middle of four runs after a first one. */
  rate: number;
}

export interface FreshOptions {
  threads: number;
  provider: Provider;
  models: ModelChoice;
  /** Scored by every job (`product`) or by the re-ranker (all others). */
  items: readonly Item[];
}

/** Measures one variant in this very process, which should have done nothing before. */
export async function measureFresh(variant: string, options: FreshOptions): Promise<FreshReport> {
  const way = VARIANTS[variant]!;
  return variant === 'product' ? await product(options) : await bare(variant, way.change, options);
}

async function product({ threads, provider, models, items }: FreshOptions): Promise<FreshReport> {
  const before = residentMiB();
  const start = performance.now();
  const scorers = await openScorers({ threads, provider, ...models });
  const openMs = performance.now() - start;
  const opened = residentMiB();
  for (const job of SCORING_JOBS) await scored(scorers, job, items);
  const rate = await rateOf(items.length, () => scored(scorers, 'rerank', items));
  const after = residentMiB();
  await scorers.close();
  return { openMs, before, opened, scored: after, peak: peakMiB(), rate };
}

async function bare(
  variant: string,
  change: (options: Options) => Options,
  { threads, provider, models, items }: FreshOptions,
): Promise<FreshReport> {
  const run = await bareRunOf({ ...models, jobs: ['rerank'], provider }, (calls) =>
    scored(calls, 'rerank', items),
  );
  const folder = await mkdtemp(path.join(tmpdir(), 'pragaura-bench-'));
  try {
    const weights = variant === 'offline' ? path.join(folder, 'optimised.onnx') : run.weights;
    if (typeof weights === 'string') await optimise(run.weights, run.session, weights);
    const before = residentMiB();
    const start = performance.now();
    const runtime = await BareRuntime.open(
      { weights, session: change(run.session), outputs: run.outputs },
      batchesOf(run),
      threads,
    );
    const openMs = performance.now() - start;
    const opened = residentMiB();
    const rate = await rateOf(items.length, () => runtime.run());
    const after = residentMiB();
    await runtime.close();
    return { openMs, before, opened, scored: after, peak: peakMiB(), rate };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function optimise(weights: Uint8Array, session: Options, file: string): Promise<void> {
  const { InferenceSession } = await import('onnxruntime-node');
  const made = await InferenceSession.create(Uint8Array.from(weights), {
    ...session,
    graphOptimizationLevel: 'extended',
    optimizedModelFilePath: file,
  });
  await made.release();
}

async function rateOf(items: number, once: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 5; i += 1) {
    const start = performance.now();
    await once();
    times.push(performance.now() - start);
  }
  return (1_000 * items) / repeated(times.slice(1)).median;
}

/**
 * Measures one variant in this process on the items of a file, and reads nothing else, so that the memory is that of
 * the scorers. Throws USAGE for a variant that is none.
 */
export async function reportFresh({
  variant,
  items,
  ...options
}: Omit<FreshOptions, 'items'> & { variant: string; items: string }): Promise<FreshReport> {
  if (!Object.hasOwn(VARIANTS, variant)) throw new PragauraError('USAGE', `"${variant}" is no variant.`);
  return measureFresh(variant, { ...options, items: JSON.parse(await readFile(items, 'utf8')) });
}
