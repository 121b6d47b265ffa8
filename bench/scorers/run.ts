import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ModelChoice, openScorers, type Provider } from '../../scorers/index.ts';
import { type DatasetName, loadDataset } from '../datasets/index.ts';
import { machineLine } from '../measure/machine.ts';
import { runOwn } from '../measure/own-process.ts';
import { checkDeterminism } from './check.ts';
import type { FreshReport } from './fresh-process.ts';
import { measureSpeed } from './measure.ts';
import { renderChecks, renderFresh, renderSpeed, type ScorersReport } from './render.ts';
import { type Item, type SCORING_JOBS, workloadFor } from './workload.ts';

export interface ScorersBenchOptions {
  data: string;
  out: string;
  set: DatasetName;
  threads: number | undefined;
  provider: Provider;
  models: ModelChoice;
  jobs: readonly (typeof SCORING_JOBS)[number][];
  /** Items of each job and bucket. */
  n: number;
  repetitions: number;
  parts: readonly Part[];
}

/** `speed`: against the bare runtime; `fresh`: load and memory; `variants`: other ways to make a session; `check`: determinism. */
export const PARTS = ['speed', 'fresh', 'variants', 'check'] as const;
export type Part = (typeof PARTS)[number];

/** Fresh processes of each variant. */
const PROCESSES = 5;
/** Items of each length that they score. */
const FRESH_ITEMS = 12;
/** Ways to make sessions, in the order of the report; `product` has a part of its own. */
const OTHER_WAYS = ['bare', 'offline', 'extended', 'basic', 'disabled', 'no-arena', 'pattern'];

/** Everything asked for as text, with exit code 1 where a score was not the same twice; all of it as `scorers.json` in `out`. */
export async function benchScorers(
  options: ScorersBenchOptions,
  say: (line: string) => void,
): Promise<{ text: string; exitCode: number }> {
  const { jobs, models, provider, n, parts } = options;
  const dataset = await loadDataset(options.set, options.data);
  const opening = { jobs, provider, ...models, announce: say };
  const scorers = await openScorers({
    ...opening,
    ...(options.threads === undefined ? {} : { threads: options.threads }),
  });
  const report: ScorersReport = {
    schema: 'pragaura.bench-scorers/1',
    machine: machineLine(),
    set: dataset.about,
    threads: scorers.info.threads,
    provider: scorers.info.provider,
    models: scorers.info.models,
    repetitions: options.repetitions,
    speed: [],
    fresh: [],
    check: [],
  };
  let sampled: Item[] = [];
  try {
    const cells = jobs.flatMap((job) =>
      workloadFor(job, dataset, n, (text) => scorers.countTokens(text)).map((cell) => ({ job, ...cell })),
    );
    const pairs = cells.filter(({ job }) => job === cells.at(-1)!.job && job !== 'embed');
    sampled = (pairs.length === 0 ? cells : pairs).flatMap(({ items }) => items.slice(0, FRESH_ITEMS));
    if (parts.includes('speed')) {
      for (const cell of cells) {
        const row = await measureSpeed(scorers, { jobs, ...models }, cell, options.repetitions);
        say(`${row.job}, ${row.bucket}: ${(100 * row.share.median).toFixed(1)} % of the ceiling`);
        report.speed.push(row);
      }
    }
    if (parts.includes('check')) {
      const other = await openScorers({ ...opening, threads: scorers.info.threads === 1 ? 2 : 1 });
      try {
        const whole = jobs.map((job) => ({
          job,
          items: cells.filter((cell) => cell.job === job).flatMap(({ items }) => items),
        }));
        report.check = await checkDeterminism([scorers, other], whole, say);
      } finally {
        await other.close();
      }
    }
  } finally {
    await scorers.close();
  }
  const variants = [
    ...(parts.includes('fresh') ? ['product'] : []),
    ...(parts.includes('variants') ? OTHER_WAYS : []),
  ];
  if (variants.length > 0) {
    report.fresh = await freshProcesses(variants, sampled, options, report.threads, say);
  }

  await mkdir(options.out, { recursive: true });
  const file = path.join(options.out, 'scorers.json');
  await writeFile(file, `${JSON.stringify(report)}\n`);
  const text = [
    renderSpeed(report),
    renderFresh(report),
    renderChecks(report),
    `${report.machine}; ${report.threads} threads on ${report.provider}; ${report.set}.`,
    `written: ${file}`,
  ];
  return {
    text: text.filter((part) => part !== '').join('\n\n'),
    exitCode: report.check.some(({ different }) => different > 0) ? 1 : 0,
  };
}

/** Each variant in processes of its own, in turns, so that a busy minute hits all of them. */
async function freshProcesses(
  variants: readonly string[],
  items: readonly Item[],
  { provider, models }: ScorersBenchOptions,
  threads: number,
  say: (line: string) => void,
): Promise<ScorersReport['fresh']> {
  const found = variants.map((variant) => ({ variant, runs: [] as FreshReport[] }));
  const named = Object.entries(models.models ?? {}).flatMap(([job, name]) => [`--models.${job}`, name]);
  const folder = await mkdtemp(path.join(tmpdir(), 'pragaura-bench-'));
  try {
    const file = path.join(folder, 'items.json');
    await writeFile(file, JSON.stringify(items));
    for (let turn = 0; turn < PROCESSES; turn += 1) {
      for (const { variant, runs } of found) {
        const args = ['bench', 'scorers-process', variant, '--items', file, '--provider', provider];
        args.push('--threads', `${threads}`, ...named);
        if (models.modelsDir !== undefined) args.push('--models-dir', models.modelsDir);
        runs.push(JSON.parse((await runOwn(args)).output) as FreshReport);
      }
      say(`fresh processes: ${turn + 1} of ${PROCESSES} turns`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return found;
}
