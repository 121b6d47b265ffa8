import { createHash } from 'node:crypto';
import path from 'node:path';
import { checkFolder, codeHash, writeParts } from '../../calibration/index.ts';
import { canonicalHash, sample, seededRandom } from '../../common/index.ts';
import { indexDocuments, openRouter, type RouterOptions } from '../../router/index.ts';
import { type ModelChoice, modelNames, openScorers, type Scorers } from '../../scorers/index.ts';
import { oneOf } from '../datasets/one-of.ts';
import { keepFigures } from '../figures/figures-file.ts';
import { machineLine } from '../measure/machine.ts';
import { Progress } from '../measure/progress.ts';
import { ResultsFile } from '../measure/results-file.ts';
import { type Asked, ask, type ContenderOutput } from './asked.ts';
import { SCHEMA, saidBefore } from './before.ts';
import { install, installedPaths } from './debian.ts';
import { described, describedNames, shippedCollections, writtenQuestions } from './described.ts';
import { isPublic, PUBLIC_SETS, publicSet } from './public-sets.ts';
import { readingOf } from './reading.ts';
import { NOTES, pageReport, renderDocuments } from './render.ts';
import { type Report, type Row, reportOn, rowsOf } from './report.ts';
import type { Collection, Half } from './types.ts';

export interface DocumentsOptions {
  /** Names, separated by commas; undefined: the television's manual and every collection that is described. */
  sets: string | undefined;
  half: Half;
  /** Questions of each set, a seeded sample; undefined: all. */
  limit: number | undefined;
  data: string;
  /** Folder of results. */
  out: string;
  /** Folder of packages, pages and indexes. */
  cache: string;
  /** Folder with collections/ and questions/; undefined: the package's own. */
  collections: string | undefined;
  /** Whether packages that are missing may be downloaded; then nothing is asked. */
  setup: boolean;
  /** Folder of results of another run, which the product is held against; undefined: none. */
  against: string | undefined;
  threads: number | undefined;
  models: ModelChoice;
  /** What decides, as the router is told. */
  decision: Pick<
    RouterOptions,
    'vocabulary' | 'layers' | 'decider' | 'planner' | 'utilities' | 'hardGate' | 'cautious'
  >;
  json: boolean;
  /** File that the figures are kept in for the pages; undefined: none. */
  figures: string | undefined;
}

const SEED = 1;

/**
 * Asks every question of the half of every set and gives the report as text or JSON; of each set `out` gets
 * `documents-SET-HALF.json`, all that was said and how it was judged, and `documents-SET-HALF.txt`, the same for
 * people. With `setup` packages are fetched and everything is indexed, and no question is asked. Throws what loading,
 * installing, indexing and routing throw, and ABORTED when the signal fires.
 */
export async function benchDocuments(
  options: DocumentsOptions,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<string> {
  const { half, out, json, setup } = options;
  const names = await setNames(options);
  if (!setup) await checkFolder(out);
  // What is missing is said before any model is loaded.
  const collections: Collection[] = [];
  for (const name of names) collections.push(await collectionOf(name, options, say));
  const before = setup ? new Map<string, Before>() : await earlierRuns(names, options);
  const { threads, models } = options;
  const scorers = await openScorers({
    ...models,
    ...(threads !== undefined && { threads }),
    ...(setup && { jobs: ['embed'] }),
    announce: say,
  });
  try {
    const indexes = await indexesIn(options.cache, scorers);
    const reports: Report[] = [];
    const marked: Row[] = [];
    const data: Record<string, string> = {};
    for (const collection of collections) {
      const index = await indexed(collection, indexes, scorers, { say, signal });
      if (setup) continue;
      const { rows, versions } = await measured(collection, index, options, scorers, { say, signal });
      const report = reportOn(collection, rows, before.get(collection.name));
      await written(report, rows, versions, out, say);
      reports.push(report);
      if (collection.marked) marked.push(...rows);
      data[`${collection.name}, index`] = versions.index;
      data[`${collection.name}, questions`] = canonicalHash(rows.map(({ question }) => question));
    }
    if (setup) return `Ready in ${options.cache}: ${names.join(', ')}`;
    const own = reports.filter((report) => report.marked);
    if (own.length > 1) {
      const together = { name: 'together', about: own.map(({ collection }) => collection).join(', ') };
      const all = before.size === 0 ? undefined : new Map([...before.values()].flatMap((one) => [...one]));
      reports.push(reportOn({ ...together, half, marked: true }, marked, all));
    }
    if (options.figures !== undefined)
      await keepFigures(options.figures, {
        models: modelNames(scorers.info.models),
        data,
        report: reports.map(pageReport),
      });
    if (json) return JSON.stringify({ schema: SCHEMA, machine: machineLine(), reports });
    return [...reports.map(renderDocuments), ...NOTES, machineLine()].join('\n\n');
  } finally {
    await scorers.close();
  }
}

async function setNames({ sets, collections = shippedCollections() }: DocumentsOptions): Promise<string[]> {
  const own = await describedNames(collections);
  if (sets === undefined) return ['emanual', ...own];
  const named = sets.split(',').map((name) => oneOf([...PUBLIC_SETS, ...own], name, 'collection'));
  return [...new Set(named)];
}

/** Of a name that `bench documents` knows. Throws NOT_FOUND for packages that are not installed, and as loading does. */
export async function collectionOf(
  name: string,
  {
    half,
    data,
    cache,
    collections = shippedCollections(),
    setup,
  }: Pick<DocumentsOptions, 'half' | 'data' | 'cache' | 'collections' | 'setup'>,
  say: (line: string) => void,
): Promise<Collection> {
  if (isPublic(name)) return publicSet(name, half, { data, cache });
  const description = await described(collections, name);
  return {
    name,
    about: `${description.title} (${description.package} ${description.version})`,
    half,
    marked: true,
    paths: setup ? await install(description, cache, say) : await installedPaths(description, cache),
    questions: setup ? [] : await writtenQuestions(collections, name, half),
  };
}

/**
 * Folder of the indexes that this embedder and this program's way of cutting and keeping passages make: others lie in
 * folders of their own.
 */
export async function indexesIn(cache: string, scorers: Scorers): Promise<string> {
  const made = [scorers.info.models.embed, await codeHash(undefined, undefined, ['corpus'])];
  const version = createHash('sha256').update(JSON.stringify(made)).digest('hex').slice(0, 12);
  return path.join(cache, 'indexes', version);
}

/** The folder of an index of the documents, made or brought up to date. */
export async function indexed(
  { name, paths }: Collection,
  indexes: string,
  scorers: Scorers,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<string> {
  const out = path.join(indexes, name);
  const report = await indexDocuments(paths, { out, scorers, signal });
  say(
    `${name}: ${report.counts.documents} documents, ${report.counts.passages} passages, ${report.failed.length} not ` +
      `read; ${report.embedded} embedded in ${(report.ms.total / 1_000).toFixed(1)} s`,
  );
  return out;
}

type Before = ReadonlyMap<string, ContenderOutput>;

/** By the name of the collection; none where the product is held against no other run. */
async function earlierRuns(
  names: readonly string[],
  { against, half }: DocumentsOptions,
): Promise<Map<string, Before>> {
  const before = new Map<string, Before>();
  if (against === undefined) return before;
  for (const name of names)
    before.set(name, await saidBefore(path.join(against, `${labelOf(name, half)}.json`)));
  return before;
}

function labelOf(name: string, half: Half): string {
  return `documents-${name}-${half}`;
}

/** Every question of the half, one at a time; what an earlier run asked under the same versions is not asked again. */
async function measured(
  { name, half, questions: all }: Collection,
  index: string,
  { limit, out, decision }: DocumentsOptions,
  scorers: Scorers,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<{ rows: Row[]; versions: { index: string } }> {
  const questions = sample(all, limit ?? all.length, seededRandom(SEED));
  const router = await openRouter({ ...decision, index, scorers, announce: say });
  const { calibration: _, ...made } = router.versions;
  const { decider, utilities } = router.validFor;
  const { cautious } = router;
  const versions = {
    ...made,
    decider,
    utilities,
    cautious,
    threads: scorers.info.threads,
    code: await codeHash(),
  };
  const file = await ResultsFile.open<Asked>(path.join(out, 'asked'), labelOf(name, half), versions);
  const asked = new Map<string, Asked>();
  try {
    const progress = new Progress(labelOf(name, half), questions.length, say);
    for (const question of questions) {
      const kept = file.get(question.id);
      const known = kept?.query === question.query;
      if (!known) await file.add(await ask(router, question, signal));
      asked.set(question.id, file.get(question.id)!);
      progress.step(known);
    }
  } finally {
    await file.close();
    await router.close();
  }
  return { rows: rowsOf(questions, asked), versions };
}

/** All of one collection: for programs, by the id of the question, and for people. */
async function written(
  report: Report,
  rows: readonly Row[],
  versions: object,
  out: string,
  say: (line: string) => void,
): Promise<void> {
  const label = labelOf(report.collection, report.half);
  const questions = rows.map(({ question, asked, judged }) => {
    const { id, query, group, act, kind, expect } = question;
    const { said, decision, closed, relevance, ms } = asked;
    return { id, query, group, act, kind, expect, judged, said, closed, relevance, ms, decision };
  });
  const record = { schema: SCHEMA, machine: machineLine(), versions, report, questions };
  await writeParts(out, [
    { name: `${label}.txt`, text: readingOf(rows) },
    { name: `${label}.json`, text: `${JSON.stringify(record)}\n` },
  ]);
  say(`written: ${path.join(out, label)}.json and .txt`);
}
