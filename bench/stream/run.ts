import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EXIT, sample, seededRandom, withoutClocks } from '../../common/index.ts';
import { openScorers } from '../../scorers/index.ts';
import { loadDataset } from '../datasets/index.ts';
import { indexOf } from '../datasets/index-of.ts';
import { machineLine } from '../measure/machine.ts';
import type { SampleOptions } from '../measure/sample-options.ts';
import { type Layout, ms, table } from '../measure/table.ts';
import { runStream, type StreamRun } from './run-stream.ts';

const WINDOWS = [1, 16];

export interface StreamReport {
  schema: 'pragaura.bench-stream/1';
  machine: string;
  set: string;
  about: string;
  figures: readonly (Omit<StreamRun, 'lines'> & { queries: number; perSecond: number })[];
  /** Lines that differ between the windows, and the id of the first; null where none does. */
  differing: number;
  first: string | null;
}

/** The same queries through `pragaura route` at both windows. `exitCode` is 70 when the decisions differ. */
export async function benchStream(
  options: SampleOptions,
  say: (line: string) => void,
): Promise<{ text: string; exitCode: number }> {
  const dataset = await loadDataset(options.set, options.data, { titles: options.titles });
  const scorers = await openScorers({ jobs: ['embed'], announce: say });
  const index = await indexOf(dataset, options.cache, scorers, say).finally(() => scorers.close());
  const queries = sample(dataset.queries, options.n, seededRandom(1)).map(({ id, query }) => ({ id, query }));
  const runs: StreamRun[] = [];
  for (const window of WINDOWS) {
    say(`route --window ${window}, ${queries.length} queries …`);
    runs.push(await runStream(index, queries, window));
  }
  const differing = differingLines(runs[0]!.lines, runs[1]!.lines);
  const figures = runs.map(({ lines, ...run }) => ({
    ...run,
    queries: lines.length,
    perSecond: (1_000 * lines.length) / run.lastMs,
  }));
  await mkdir(options.out, { recursive: true });
  const file = path.join(options.out, 'stream.json');
  const record: StreamReport = {
    schema: 'pragaura.bench-stream/1',
    machine: machineLine(),
    set: options.set,
    about: `${dataset.about}; ${dataset.documents.length} documents`,
    figures,
    differing: differing.length,
    first: queries[differing[0] ?? -1]?.id ?? null,
  };
  await writeFile(file, `${JSON.stringify(record)}\n`);
  const text = `${renderStream(record)}\nwritten: ${file}`;
  return { text, exitCode: differing.length === 0 ? EXIT.OK : EXIT.INTERNAL };
}

/** The report in words and a table. */
export function renderStream(report: StreamReport, layout: Layout = table): string {
  const { about, figures, differing, first, machine } = report;
  const rows = figures.map(({ window, queries, perSecond, firstMs, lastMs, loop, peakMiB }) => [
    String(window),
    String(queries),
    perSecond.toFixed(2),
    ms(firstMs),
    ms(lastMs),
    `${ms(loop.p50)} / ${ms(loop.p99)} / ${ms(loop.max)}`,
    peakMiB.toFixed(0),
  ]);
  const n = figures[0]!.queries;
  const verdict =
    differing === 0
      ? `same bytes at window ${figures.map(({ window }) => window).join(' and ')}: yes, all ${n} lines (timings and ms of receipts aside)`
      : `same bytes: NO, ${differing} of ${n} lines differ, the first is query ${first}`;
  return [
    `${about}; pragaura route as a process, real pipes`,
    '',
    layout(
      ['window', 'n', 'queries/s', 'first line ms', 'all ms', 'loop delay ms p50/p99/max', 'peak MiB'],
      rows,
    ),
    '',
    'queries/s: all queries over the whole time, start-up included; loop delay: from the first line on.',
    verdict,
    machine,
  ].join('\n');
}

/** Places (from 0) at which two runs differ once the clocks are taken out; a missing line differs. */
export function differingLines(a: readonly string[], b: readonly string[]): number[] {
  const differing: number[] = [];
  for (let place = 0; place < Math.max(a.length, b.length); place++) {
    const [one, other] = [a[place], b[place]];
    const same = one !== undefined && other !== undefined && withoutClocks(one) === withoutClocks(other);
    if (!same) differing.push(place);
  }
  return differing;
}
