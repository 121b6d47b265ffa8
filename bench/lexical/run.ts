import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Summary, summarise } from '../../calibration/index.ts';
import type { LatencySummary } from '../measure/latencies.ts';
import { machineLine } from '../measure/machine.ts';
import { runOwn } from '../measure/own-process.ts';
import { type Layout, ms, table, withInterval } from '../measure/table.ts';
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
  await mkdir(options.out, { recursive: true });
  const file = path.join(options.out, 'lexical.json');
  const report: LexicalReport = {
    schema: 'pragaura.bench-lexical/1',
    machine: machineLine(),
    options,
    reports: reports.map((one) => figuresOf(one, reports)),
  };
  await writeFile(file, `${JSON.stringify(report)}\n`);
  return `${renderLexical(report)}\nwritten: ${file}`;
}

/** Of an engine, without the single queries. */
interface EngineFigures extends Omit<EngineReport, 'glosses' | 'questions'> {
  label: string;
  /** `common`: over the queries that every engine was asked. */
  glosses: { words: number; latency: LatencySummary; r10: number; recall: Recall; common: Recall }[];
  questions: { latency: LatencySummary; r10: number; recall: Recall };
}

export interface LexicalReport {
  schema: 'pragaura.bench-lexical/1';
  machine: string;
  options: LexicalOptions;
  reports: EngineFigures[];
}

type Recall = Pick<Summary, 'mean' | 'interval' | 'n'>;

function figuresOf(
  { glosses, questions, ...report }: EngineReport,
  all: readonly EngineReport[],
): EngineFigures {
  const fewest = (set: number) => Math.min(...all.map((other) => other.glosses[set]!.found.length));
  return {
    ...report,
    label: ENGINES[report.engine].label,
    glosses: glosses.map(({ words, latency, found }, set) => ({
      words,
      latency,
      r10: recallOf(found).mean!,
      recall: recallOf(found),
      common: recallOf(found.slice(0, fewest(set))),
    })),
    questions: {
      latency: questions.latency,
      r10: recallOf(questions.found).mean!,
      recall: recallOf(questions.found),
    },
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

/** The report in words and tables. */
export function renderLexical(
  { reports, machine }: Omit<LexicalReport, 'options'>,
  layout: Layout = table,
): string {
  const rows = reports.map(({ label, buildMs, memory, glosses }) => [
    label,
    (buildMs / 1_000).toFixed(1),
    memory.engine.toFixed(0),
    memory.resident.toFixed(0),
    memory.peak.toFixed(0),
    ...glosses.flatMap(({ latency }) => [String(latency.n), ms(latency.p50), ms(latency.p99)]),
  ]);
  const found = reports.map(({ label, glosses, questions }) => [
    label,
    ...[...glosses, questions].map(({ recall }) => shown(recall)),
    ...glosses.map(({ common }) => shown(common)),
  ]);
  const [{ documents, glosses }] = reports as [EngineFigures];
  const lengths = glosses.map(({ words }) => `${words} words`);
  return [
    `${documents} WordNet glosses, known-item queries; each engine in a process of its own, one after the other.`,
    'MiB: held by the engine; resident and peak: of the whole process, texts included. n: queries asked.',
    '',
    layout(
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
    layout(['engine', ...lengths, 'new-wiki questions', ...lengths.map((l) => `common, ${l}`)], found),
    machine,
  ].join('\n');
}

function recallOf(found: readonly boolean[]): Recall {
  const { mean, interval, n } = summarise(
    found.map((hit, place) => ({ group: String(place), value: hit ? 1 : 0 })),
  );
  return { mean, interval, n };
}

function shown({ mean, interval, n }: Recall): string {
  return `${withInterval(mean, interval)} (${n})`;
}
