import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { quantile, sample, seededRandom } from '../../calibration/index.ts';
import { openScorers } from '../../scorers/index.ts';
import { loadDataset } from '../datasets/index.ts';
import { indexOf } from '../datasets/index-of.ts';
import type { LatencySummary } from '../measure/latencies.ts';
import { machineLine } from '../measure/machine.ts';
import { runOwn } from '../measure/own-process.ts';
import type { SampleOptions } from '../measure/sample-options.ts';
import { type Layout, ms, table } from '../measure/table.ts';
import type { QueriesReport } from './measure-queries.ts';

/** Runs of each start-up, after one that is not counted. */
const RUNS = 5;

export interface QueryRecord {
  schema: 'pragaura.bench-query/1';
  machine: string;
  set: string;
  about: string;
  report: QueriesReport;
  /** Milliseconds to the first byte, in order. */
  startUp: { help: readonly number[]; ask: readonly number[] };
}

/** One query end to end, and start-up; as text, also as JSON in `out`. */
export async function benchQuery(options: SampleOptions, say: (line: string) => void): Promise<string> {
  const dataset = await loadDataset(options.set, options.data, { titles: options.titles });
  const scorers = await openScorers({ jobs: ['embed'], announce: say });
  const index = await indexOf(dataset, options.cache, scorers, say).finally(() => scorers.close());
  const queries = sample(dataset.queries, options.n, seededRandom(1)).map(({ id, query }) => ({ id, query }));
  await mkdir(options.out, { recursive: true });
  const file = path.join(options.out, 'query-queries.json');
  await writeFile(file, JSON.stringify(queries));

  say(`${queries.length} queries, one at a time …`);
  const run = await runOwn(['bench', 'query-process', '--index', index, '--queries', file], ['--expose-gc']);
  const report = JSON.parse(run.output) as QueriesReport;
  say('start-up …');
  const help = await startUps(['--help']);
  const ask = await startUps(['ask', queries[0]!.query, '--index', index]);

  const machine = machineLine();
  const where = path.join(options.out, 'query.json');
  const record: QueryRecord = {
    schema: 'pragaura.bench-query/1',
    machine,
    set: options.set,
    about: `${dataset.about}; ${dataset.documents.length} documents`,
    report,
    startUp: { help, ask },
  };
  await writeFile(where, `${JSON.stringify(record)}\n`);
  return `${renderQueries(record)}\nwritten: ${where}`;
}

/** One query and start-up, in words and a table. */
export function renderQueries(
  { about, report, startUp: { help, ask }, machine }: QueryRecord,
  layout: Layout = table,
): string {
  const row = (name: string, summary: LatencySummary) => [
    name,
    String(summary.n),
    ...[summary.p50, summary.p95, summary.p99, summary.max, summary.mean].map(ms),
  ];
  const { loop, memory } = report;
  return [
    `${about}; default budget, one query at a time`,
    '',
    layout(
      ['ms', 'n', 'p50', 'p95', 'p99', 'max', 'mean'],
      [
        row('total', report.total),
        ...Object.entries(report.stages).map(([stage, summary]) => row(stage, summary)),
      ],
    ),
    '',
    `actions: ${Object.entries(report.actions)
      .map(([action, n]) => `${action} ${n}`)
      .join(', ')}`,
    `event loop late by ms: p50 ${ms(loop.p50)}, p99 ${ms(loop.p99)}, max ${ms(loop.max)}`,
    `memory of the process, MiB: ${memory.rest.toFixed(0)} at rest (warm, between queries), ${memory.peak.toFixed(0)} peak`,
    `opening index and models in the process: ${ms(report.openMs)} ms`,
    `start of --help to its first byte: ${spread(help)}`,
    `start of ask to its first byte of answer: ${spread(ask)}`,
    machine,
  ].join('\n');
}

/** Milliseconds to the first byte of output. */
async function startUps(args: readonly string[]): Promise<number[]> {
  await runOwn(args);
  const took: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const { firstMs, endMs } = await runOwn(args);
    took.push(firstMs ?? endMs);
  }
  return took.sort((a, b) => a - b);
}

function spread(sorted: readonly number[]): string {
  return `median ${ms(quantile(sorted, 0.5))} ms, range ${ms(sorted[0]!)} to ${ms(sorted.at(-1)!)} (${sorted.length} runs)`;
}
