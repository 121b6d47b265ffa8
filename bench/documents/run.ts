import { createHash } from 'node:crypto';
import path from 'node:path';
import { checkFolder, codeHash, sample, seededRandom, writeParts } from '../../calibration/index.ts';
import { indexDocuments, openRouter, type RouterOptions } from '../../router/index.ts';
import { type ModelChoice, openScorers, type Scorers } from '../../scorers/index.ts';
import { oneOf } from '../datasets/one-of.ts';
import { machineLine } from '../measure/machine.ts';
import { Progress } from '../measure/progress.ts';
import { ResultsFile } from '../measure/results-file.ts';
import { type Asked, ask } from './asked.ts';
import { install, installedPaths } from './debian.ts';
import { described, describedNames, shippedCollections, writtenQuestions } from './described.ts';
import { isPublic, PUBLIC_SETS, publicSet } from './public-sets.ts';
import { readingOf } from './reading.ts';
import { NOTES, renderDocuments } from './render.ts';
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
  threads: number | undefined;
  models: ModelChoice;
  /** What decides, as the router is told. */
  decision: Pick<RouterOptions, 'vocabulary' | 'layers' | 'decider' | 'planner' | 'utilities'>;
  json: boolean;
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
  const { threads, models } = options;
  const scorers = await openScorers({
    ...models,
    ...(threads !== undefined && { threads }),
    ...(setup && { jobs: ['embed'] }),
    announce: say,
  });
  try {
    const reports: Report[] = [];
    const marked: Row[] = [];
    for (const collection of collections) {
      const index = await indexed(collection, options.cache, scorers, { say, signal });
      if (setup) continue;
      const { rows, report } = await measured(collection, index, options, scorers, { say, signal });
      reports.push(report);
      if (collection.marked) marked.push(...rows);
    }
    if (setup) return `Ready in ${options.cache}: ${names.join(', ')}`;
    const own = reports.filter((report) => report.marked);
    if (own.length > 1) {
      const together = { name: 'together', about: own.map(({ collection }) => collection).join(', ') };
      reports.push(reportOn({ ...together, half, marked: true }, marked));
    }
    if (json) return JSON.stringify({ schema: SCHEMA, machine: machineLine(), reports });
    return [...reports.map(renderDocuments), ...NOTES, machineLine()].join('\n\n');
  } finally {
    await scorers.close();
  }
}

const SCHEMA = 'pragaura.bench-documents/1';

async function setNames({ sets, collections = shippedCollections() }: DocumentsOptions): Promise<string[]> {
  const own = await describedNames(collections);
  if (sets === undefined) return ['emanual', ...own];
  const named = sets.split(',').map((name) => oneOf([...PUBLIC_SETS, ...own], name, 'collection'));
  return [...new Set(named)];
}

async function collectionOf(
  name: string,
  { half, data, cache, collections = shippedCollections(), setup }: DocumentsOptions,
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
 * The folder of an index of the documents, brought up to date. Indexes of another embedder, or of another program that
 * cuts and keeps passages, lie in folders of their own.
 */
async function indexed(
  { name, paths }: Collection,
  cache: string,
  scorers: Scorers,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<string> {
  const made = [scorers.info.models.embed, await codeHash(undefined, undefined, ['router/corpus'])];
  const version = createHash('sha256').update(JSON.stringify(made)).digest('hex').slice(0, 12);
  const out = path.join(cache, 'indexes', version, name);
  const report = await indexDocuments(paths, { out, scorers, signal });
  say(
    `${name}: ${report.counts.documents} documents, ${report.counts.passages} passages, ${report.failed.length} not ` +
      `read; ${report.embedded} embedded in ${(report.ms.total / 1_000).toFixed(1)} s`,
  );
  return out;
}

async function measured(
  collection: Collection,
  index: string,
  { limit, out, decision }: DocumentsOptions,
  scorers: Scorers,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<{ rows: Row[]; report: Report }> {
  const { name, half, questions: all } = collection;
  const questions = sample(all, limit ?? all.length, seededRandom(SEED));
  const router = await openRouter({ ...decision, index, scorers, announce: say });
  const { calibration: _, ...versions } = router.versions;
  const { decider, utilities } = router.validFor;
  const key = { ...versions, decider, utilities, threads: scorers.info.threads, code: await codeHash() };
  const label = `documents-${name}-${half}`;
  const file = await ResultsFile.open<Asked>(path.join(out, 'asked'), label, key);
  const asked = new Map<string, Asked>();
  try {
    const progress = new Progress(label, questions.length, say);
    for (const question of questions) {
      signal.throwIfAborted();
      const before = file.get(question.id);
      const known = before?.query === question.query;
      if (!known) await file.add(await ask(router, question));
      asked.set(question.id, file.get(question.id)!);
      progress.step(known);
    }
  } finally {
    await file.close();
    await router.close();
  }
  const rows = rowsOf(questions, asked);
  const report = reportOn(collection, rows);
  const record = {
    schema: SCHEMA,
    machine: machineLine(),
    versions: key,
    report,
    questions: rows.map(recordOf),
  };
  await writeParts(out, [
    { name: `${label}.txt`, text: readingOf(rows) },
    { name: `${label}.json`, text: `${JSON.stringify(record)}\n` },
  ]);
  say(`written: ${path.join(out, label)}.json and .txt`);
  return { rows, report };
}

/** By the id of the question, so that two runs can be held against each other. */
function recordOf({ question, asked, judged }: Row) {
  const { id, query, group, act, kind, expect } = question;
  const { said, decision, closed, relevance, ms } = asked;
  return { id, query, group, act, kind, expect, judged, said, closed, relevance, ms, decision };
}
