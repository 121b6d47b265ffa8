import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sample, seededRandom } from '../../common/index.ts';
import { openScorers } from '../../scorers/index.ts';
import { loadDataset } from '../datasets/index.ts';
import { indexOf } from '../datasets/index-of.ts';
import { machineLine } from '../measure/machine.ts';
import { runOwn } from '../measure/own-process.ts';
import type { SampleOptions } from '../measure/sample-options.ts';
import type { QueriesReport } from './measure-queries.ts';
import { type QueryRecord, renderQueries } from './render.ts';

/** Runs of each start-up, after one that is not counted. */
const RUNS = 5;

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
