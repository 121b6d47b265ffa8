import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { summarise } from '../../calibration/index.ts';
import { machineLine } from '../measure/machine.ts';
import { runOwn } from '../measure/own-process.ts';
import { ms, table, withInterval } from '../measure/table.ts';
import { ENGINES, type EngineName } from './engines.ts';
import type { EngineReport } from './measure-engine.ts';

export interface LexicalOptions {
  data: string;
  out: string;
  docs: number;
  queries: number;
  slowQueries: number;
  oramaQueries: number;
  questions: number;
}

/** Runs every engine in a process of its own, one after the other, and reports them side by side. */
export async function benchLexical(options: LexicalOptions, say: (line: string) => void): Promise<string> {
  const reports: EngineReport[] = [];
  for (const engine of Object.keys(ENGINES) as EngineName[]) {
    say(`${ENGINES[engine].label} …`);
    reports.push(await runEngine(engine, options));
  }
  const machine = machineLine();
  await mkdir(options.out, { recursive: true });
  const file = path.join(options.out, 'lexical.json');
  await writeFile(
    file,
    `${JSON.stringify({ schema: 'pragaura.bench-lexical/1', machine, options, reports: reports.map(withRecall) })}\n`,
  );
  return [render(reports), machine, `written: ${file}`].join('\n');
}

/** With R@10 beside the single queries, for those who read the file. */
function withRecall(report: EngineReport) {
  const r10 = ({ found }: { found: readonly boolean[] }) => found.filter(Boolean).length / found.length;
  return {
    ...report,
    glosses: report.glosses.map((asked) => ({ ...asked, r10: r10(asked) })),
    questions: { ...report.questions, r10: r10(report.questions) },
  };
}

function askedOf(engine: EngineName, options: LexicalOptions): number {
  if (engine === 'orama') return Math.min(options.queries, options.oramaQueries);
  return ENGINES[engine].slow ? Math.min(options.queries, options.slowQueries) : options.queries;
}

/** This very command line again with the hidden command that measures one engine. */
async function runEngine(engine: EngineName, options: LexicalOptions): Promise<EngineReport> {
  const args = ['bench', 'lexical-engine', engine, '--data', options.data, '--docs', String(options.docs)];
  args.push('--queries', String(options.queries), '--asked', String(askedOf(engine, options)));
  args.push('--questions', String(options.questions));
  return JSON.parse((await runOwn(args, ['--expose-gc'])).output) as EngineReport;
}

function render(reports: readonly EngineReport[]): string {
  const rows = reports.map(({ engine, buildMs, memory, glosses }) => [
    ENGINES[engine].label,
    (buildMs / 1_000).toFixed(1),
    memory.engine.toFixed(0),
    memory.resident.toFixed(0),
    memory.peak.toFixed(0),
    ...glosses.flatMap(({ latency }) => [String(latency.n), ms(latency.p50), ms(latency.p99)]),
  ]);
  const found = reports.map(({ engine, glosses, questions }) => [
    ENGINES[engine].label,
    ...[...glosses, questions].map(recall),
    ...glosses.map(({ found }, set) =>
      recall({
        found: found.slice(0, Math.min(...reports.map((report) => report.glosses[set]!.found.length))),
      }),
    ),
  ]);
  const [{ documents, glosses }] = reports as [EngineReport];
  const lengths = glosses.map(({ words }) => `${words} words`);
  return [
    `${documents} WordNet glosses, known-item queries; each engine in a process of its own, one after the other.`,
    'MiB: held by the engine; resident and peak: of the whole process, texts included. n: queries asked.',
    '',
    table(
      [
        'engine',
        'build s',
        'MiB',
        'resident',
        'peak',
        ...lengths.flatMap((l) => [`n, ${l}`, 'p50 ms', 'p99 ms']),
      ],
      rows,
    ),
    '',
    'R@10 with 95 % interval by query, of n queries. "Common": the queries that every engine was asked.',
    '',
    table(['engine', ...lengths, 'new-wiki questions', ...lengths.map((l) => `common, ${l}`)], found),
  ].join('\n');
}

function recall({ found }: { found: readonly boolean[] }): string {
  const { mean, interval, n } = summarise(
    found.map((hit, place) => ({ group: String(place), value: hit ? 1 : 0 })),
  );
  return `${withInterval(mean, interval)} (${n})`;
}
