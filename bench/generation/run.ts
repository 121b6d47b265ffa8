/** `pragaura bench generation`: a language model with and without the gate and the check, on public sets. */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { recordsIn } from '../../calibration/index.ts';
import { canonicalHash, parseAs, sample, seededRandom, toLine } from '../../common/index.ts';
import { cachedGenerator, type Generator } from '../../generation/index.ts';
import { openRouter } from '../../router/index.ts';
import { modelNames, openScorers, type Scorers } from '../../scorers/index.ts';
import { loadDataset } from '../datasets/index.ts';
import { indexOf } from '../datasets/index-of.ts';
import type { Dataset } from '../datasets/types.ts';
import { publicPages } from '../documents/public-sets.ts';
import { collectionOf, indexed, indexesIn } from '../documents/run.ts';
import type { Question } from '../documents/types.ts';
import { keepFigures } from '../figures/figures-file.ts';
import { type Layout, ms, share, table, withInterval } from '../measure/table.ts';
import { type Arm, type AskedQuery, askInEveryArm, type Row } from './arms.ts';
import { type Figure, type GenerationReport, reportOn, type SentenceLabels } from './report.ts';

/** Debian's manuals have questions with patterns, of `bench documents`; the others have answers. */
export const MANUALS = ['bash-doc', 'gnu-standards', 'install-guide', 'python-library'] as const;
export type GenerationSet = 'articles-a' | 'squad2-dev' | 'hotpot' | 'emanual' | (typeof MANUALS)[number];

export interface BenchGenerationOptions {
  sets: readonly GenerationSet[];
  data: string;
  cache: string;
  out: string;
  /** Questions of each set; of squad2-dev half of them without an answer. */
  n: number;
  samples: number;
  generator: Generator;
  labels: string | undefined;
  figures: string | undefined;
}

const ROWS = 'generation.ndjson';

/** Throws what loading, indexing, routing and the generator throw; a run that was broken off words nothing twice. */
export async function benchGeneration(
  options: BenchGenerationOptions,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<GenerationReport> {
  const { sets, out, n, samples, labels, figures } = options;
  const known = labels === undefined ? new Map<string, boolean>() : await loadLabels(labels);
  const generator = cachedGenerator(options.generator, path.join(out, 'answers'));
  const scorers = await openScorers({ announce: say });
  const rows: Row[] = [];
  const asked: Record<string, string> = {};
  try {
    const models = modelNames(scorers.info.models);
    const file = await RowsFile.open(out, { generator: generator.model, samples, models });
    for (const name of sets) {
      const { queries, index } = await openedSet(name, options, scorers, { say, signal });
      const drawn = drawnFrom(queries, n);
      asked[name] = canonicalHash(drawn.map(({ id, query }) => ({ id, query })));
      const router = await openRouter({ index, scorers, announce: say });
      const all = await Promise.all(router.documents.map((document) => router.passagesOf(document)));
      const passages = new Map(all.flat().map(({ passageId, text, title }) => [passageId, { text, title }]));
      try {
        for (const [i, query] of drawn.entries()) {
          const before = file.find(name, query.id);
          const asking = { router, passages, generator, scorers, samples, signal };
          const row = before ?? (await askInEveryArm(name, query, asking));
          if (before === undefined) await file.add(row);
          rows.push(row);
          if ((i + 1) % 10 === 0) say(`${name}: ${i + 1} of ${drawn.length}`);
        }
      } finally {
        await router.close();
      }
    }
    const report = reportOn(rows, generator.model, known);
    if (figures !== undefined) {
      await keepFigures(figures, { models, data: asked, report });
    }
    return report;
  } finally {
    await scorers.close();
  }
}

interface Told {
  say: (line: string) => void;
  signal: AbortSignal;
}

/** Questions of a set and the folder of its index. */
async function openedSet(
  name: GenerationSet,
  { data, cache }: Pick<BenchGenerationOptions, 'data' | 'cache'>,
  scorers: Scorers,
  told: Told,
): Promise<{ queries: AskedQuery[]; index: string }> {
  if (!isManual(name)) {
    const dataset = await datasetOf(name, data);
    return { queries: [...dataset.queries], index: await indexOf(dataset, cache, scorers, told.say) };
  }
  const collection = await collectionOf(
    name,
    { half: 'held', data, cache, collections: undefined, setup: false },
    told.say,
  );
  const index = await indexed(collection, await indexesIn(cache, scorers), scorers, told);
  const alone = collection.questions.filter(
    ({ expect, history, filters }) => expect !== 'ASK' && history === undefined && filters === undefined,
  );
  return { queries: alone.map(askedOf), index };
}

const isManual = (name: GenerationSet): name is (typeof MANUALS)[number] =>
  (MANUALS as readonly string[]).includes(name);

function askedOf(question: Question): AskedQuery {
  const { id, query, group, expect } = question;
  return { id, query, group, answers: [], relevant: [], answerable: expect === 'ANSWER', question };
}

/** The television's manual beside the sets of questions with spans: its answers are whole instructions. */
async function datasetOf(
  name: Exclude<GenerationSet, (typeof MANUALS)[number]>,
  data: string,
): Promise<Pick<Dataset, 'name' | 'documents' | 'queries'>> {
  if (name !== 'emanual') return loadDataset(name, data);
  const { pages, questions } = await publicPages('emanual', 'held', data);
  return {
    name,
    documents: pages.map(({ name: docId, html }) => ({
      docId,
      title: /<h1>([^<]*)/.exec(html)?.[1] ?? '',
      text: html
        .replace(/<h1>[^<]*<\/h1>/, '')
        .replace(/<\/?p>/g, '\n')
        .replace(/<[^<>]*>/g, ' ')
        .trim(),
      source: 'emanual',
    })),
    queries: questions.map(({ id, query, group, golds = [] }) => ({
      id,
      query,
      group,
      answers: golds,
      relevant: [],
    })),
  };
}

/** What was asked, a line each, so that a run that was broken off goes on; for other models it begins anew. */
class RowsFile {
  readonly #file: string;
  readonly #rows: ReadonlyMap<string, Row>;

  private constructor(file: string, rows: ReadonlyMap<string, Row>) {
    this.#file = file;
    this.#rows = rows;
  }

  static async open(out: string, header: object): Promise<RowsFile> {
    await mkdir(out, { recursive: true });
    const file = path.join(out, ROWS);
    const head = toLine({ schema: 'pragaura.bench-generation-rows/2', ...header });
    const text = await readFile(file, 'utf8').catch(() => '');
    const rows = new Map<string, Row>();
    if (text.startsWith(head)) {
      for (const line of text.slice(head.length).split('\n')) {
        if (line === '') continue;
        const row = JSON.parse(line) as Row;
        rows.set(`${row.set} ${row.id}`, row);
      }
    } else await writeFile(file, head);
    return new RowsFile(file, rows);
  }

  find(set: string, id: string): Row | undefined {
    return this.#rows.get(`${set} ${id}`);
  }

  async add(row: Row): Promise<void> {
    await appendFile(this.#file, toLine(row));
  }
}

/** With a seed; where the set has questions that nothing answers, half of these. */
function drawnFrom(queries: readonly AskedQuery[], n: number): AskedQuery[] {
  const none = queries.filter(({ answerable }) => answerable === false);
  const some = queries.filter(({ answerable }) => answerable !== false);
  // A manual's questions come as people would ask them.
  if (none.length === 0 || queries[0]!.question !== undefined) return sample(queries, n, seededRandom(1));
  const half = Math.ceil(n / 2);
  return [...sample(some, half, seededRandom(1)), ...sample(none, n - half, seededRandom(2))];
}

const Label = z.strictObject({ key: z.string(), supported: z.boolean() });

const LABEL_HINT = 'One label a line: {"key", "supported"}.';

/** Throws NOT_FOUND, and INVALID_INPUT naming the line. */
async function loadLabels(file: string): Promise<SentenceLabels> {
  const labels = new Map<string, boolean>();
  for await (const { record } of recordsIn(file, parseAs(Label, LABEL_HINT), LABEL_HINT)) {
    labels.set(record.key, record.supported);
  }
  return labels;
}

const shown = ({ value, interval }: Figure) => withInterval(value, interval);

const NAMES: Readonly<Record<Arm, string>> = {
  alone: '(a) the generator alone',
  gate: '(b) the gate before it',
  check: '(c) the check after it',
  both: '(d) both',
  low: '(d) and low bands',
  quotes: '(e) quotes only',
};

export function renderGeneration(
  { model, arms, rankings, ms: spent }: GenerationReport,
  layout: Layout = table,
): string {
  const some = (value: number | null) => (value === null ? '–' : share(value));
  return [
    `worded by ${model}`,
    layout(
      [
        'set',
        'arm',
        'n',
        'answered',
        'F1',
        'holds the answer',
        'wrong',
        'answered in vain',
        'prompt tokens',
        'generated',
        'requests',
      ],
      arms.map((arm) => [
        arm.set,
        NAMES[arm.arm],
        String(arm.n),
        share(arm.answered),
        shown(arm.f1),
        shown(arm.holdsAnswer),
        shown(arm.wrong),
        shown(arm.inVain),
        arm.promptTokens.toFixed(0),
        arm.generatedTokens.toFixed(0),
        arm.requests.toFixed(2),
      ]),
    ),
    '',
    layout(
      [
        'set',
        'arm',
        'sentences shown',
        'labelled',
        'not borne out',
        'borne out, and lost',
        'by verify not borne out',
        'cite',
        'and rightly',
      ],
      arms
        .filter(({ arm }) => arm !== 'quotes')
        .map((arm) => [
          arm.set,
          NAMES[arm.arm],
          String(arm.sentences),
          String(arm.labelled),
          shown(arm.unsupported),
          some(arm.supportedLost),
          some(arm.unsupportedByVerify),
          some(arm.cited),
          some(arm.citesRightly),
        ]),
    ),
    ...(rankings.length === 0 ? [] : rankingLines(rankings, layout)),
    ...(spent === null
      ? []
      : [
          '',
          `medians: a decision ${ms(spent.decide)} ms, an answer worded ${ms(spent.generate)}, a sentence verified ${ms(spent.verifyASentence)}; ` +
            `verifying takes ${share(spent.verifyShare)} of deciding, wording and verifying; the first verified sentence comes ` +
            `${ms(spent.later)} ms after the model's own`,
        ]),
  ].join('\n');
}

/** How well each signal ranks the fewest words that answer. */
function rankingLines(rankings: GenerationReport['rankings'], layout: Layout): string[] {
  return [
    '',
    'D by generator: how far the answers generated from the passages of each branch by itself disagree; the sum is (D + C + 1 - E) / 3',
    layout(
      ['set', 'tokens of the samples', 'of the branches'],
      rankings.map(({ set, tokens }) => [set, tokens.samples.toFixed(0), tokens.branches.toFixed(0)]),
    ),
    '',
    'the fewest words that answer, from the first passages; ranked by',
    layout(
      ['set', 'n', 'EM', 'F1', 'ranked by', 'EM at .8', 'F1 at .8', 'AURC', 'less that of U'],
      rankings.flatMap((ranking) =>
        ranking.signals.map((signal) => [
          ranking.set,
          String(ranking.n),
          share(ranking.em),
          share(ranking.f1),
          signal.signal,
          share(signal.emAt80),
          share(signal.f1At80),
          share(signal.aurc),
          shown(signal.difference),
        ]),
      ),
    ),
  ];
}
