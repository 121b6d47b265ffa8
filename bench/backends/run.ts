/** `pragaura bench backends`: the same questions to the same index, wherever it is held. */
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { anyAt, type Interval, pairedDifference, type Summary, summarise } from '../../calibration/index.ts';
import { PragauraError, sample, seededRandom, withoutClocks } from '../../common/index.ts';
import { startOpenSearch } from '../../corpus/backend/testing/start-opensearch.ts';
import { startPostgres } from '../../corpus/backend/testing/start-postgres.ts';
import { openIndex, publish } from '../../corpus/index.ts';
import { type Decision, openRouter, type Router } from '../../router/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { type DatasetName, loadDataset } from '../datasets/index.ts';
import { indexOf } from '../datasets/index-of.ts';
import type { DataQuery, Dataset } from '../datasets/types.ts';
import { loadGlosses } from '../datasets/wordnet.ts';
import type { LatencySummary } from '../measure/latencies.ts';
import { runOwn } from '../measure/own-process.ts';
import { type Layout, ms, table, upperShare, withInterval } from '../measure/table.ts';
import { Memo } from '../parity/memo.ts';
import type { Asked, OneRead } from './read-one.ts';

const EMBEDDED = 'embedded';

const STARTED = { opensearch: () => startOpenSearch({ timed: true }), pgvector: startPostgres } as const;

export interface BackendsOptions {
  /** "embedded", and engines as `--backend` has them, separated by commas. */
  backends: string;
  /** Engines that are started for the run. */
  start: readonly (keyof typeof STARTED)[];
  sets: readonly DatasetName[];
  data: string;
  cache: string;
  /** Questions of each set, a seeded sample. */
  limit: number;
  /** Questions of each set that are decided on too. */
  decisions: number;
  /** Documents that each set is filled up to, with entries of WordNet; undefined: as it is. */
  passages: number | undefined;
}

interface BackendReport {
  /** Without its address. */
  backend: string;
  /** Seconds until the generation was the index there; null for the folder itself. */
  writtenS: number | null;
  openedS: number;
  memoryMiB: number;
  bytes: number | null;
  latency: LatencySummary;
  recall: Summary;
  /** Less than the embedded index on the same questions. */
  behind: { mean: number | null; interval: Interval | null };
  /** Share of the embedded index's first ten passages that are among its own. */
  overlap: Summary;
  decisions: { asked: number; same: number; otherwise: { why: string; query: string }[] };
}

export interface BackendsReport {
  schema: 'pragaura.bench-backends/1';
  sets: { set: string; about: string; documents: number; passages: number; backends: BackendReport[] }[];
}

/** Throws USAGE for backends that cannot be compared, what indexing and the engines throw, and ABORTED. */
export async function benchBackends(
  options: BackendsOptions,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<BackendsReport> {
  const named = backendsIn(options.backends);
  const folder = await mkdtemp(path.join(tmpdir(), 'pragaura-backends-'));
  const engines: { backend: string; stop(): Promise<void> }[] = [];
  const pool = await openScorers({ announce: say });
  try {
    for (const name of new Set(options.start)) engines.push(await STARTED[name]());
    const backends = [...named, ...engines.map(({ backend }) => backend)];
    if (backends.length < 2) {
      throw new PragauraError('USAGE', 'There is no backend to hold against the embedded index.', {
        hint: 'Say --start opensearch or --start pgvector, or --backends embedded,opensearch=URL.',
      });
    }
    const sets: BackendsReport['sets'] = [];
    for (const name of options.sets) {
      const dataset = await filled(await loadDataset(name, options.data), options.passages);
      sets.push(await measured(dataset, backends, options, { folder, pool, say, signal }));
    }
    return { schema: 'pragaura.bench-backends/1', sets };
  } finally {
    await pool.close();
    for (const engine of engines) await engine.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The embedded index stands first: all others are held against it. A comma may also stand between the nodes of one engine. */
export function backendsIn(list: string): string[] {
  const [first, ...rest] = list.split(/,(?=[a-z]+(?:=|,|$))/);
  if (first !== EMBEDDED || rest.includes(EMBEDDED)) {
    throw new PragauraError('USAGE', '--backends begins with "embedded", once.', {
      hint: 'For example --backends embedded,opensearch=http://localhost:9200',
    });
  }
  return [first, ...rest];
}

async function filled(dataset: Dataset, documents: number | undefined): Promise<Dataset> {
  if (documents === undefined || documents <= dataset.documents.length) return dataset;
  const wanted = documents - dataset.documents.length;
  const fill = sample(await loadGlosses(), wanted, seededRandom(1));
  return {
    ...dataset,
    name: `${dataset.name}-${documents}`,
    about: `${dataset.about}; with ${fill.length} entries of WordNet beside`,
    documents: [...dataset.documents, ...fill],
  };
}

interface Parts {
  folder: string;
  pool: Scorers;
  say: (line: string) => void;
  signal: AbortSignal;
}

async function measured(
  dataset: Dataset,
  backends: readonly string[],
  { cache, limit, decisions }: BackendsOptions,
  { folder, pool, say, signal }: Parts,
): Promise<BackendsReport['sets'][number]> {
  // The name of the folder is that of the index in an engine, where it is to take the place of nobody's.
  const dir = path.join(folder, `pragaura-bench-${dataset.name}`);
  await symlink(path.resolve(await indexOf(dataset, cache, pool, say)), dir);
  const { manifest } = await openIndex(dir);
  const queries = sample(dataset.queries, limit, seededRandom(1));
  const file = path.join(folder, 'questions.json');
  await writeFile(file, JSON.stringify(await withVectors(queries, pool)));
  const reads: { backend: string; writtenS: number | null; read: OneRead }[] = [];
  for (const backend of backends) {
    signal.throwIfAborted();
    const began = performance.now();
    if (backend !== EMBEDDED) await publish(dir, backend, { signal });
    const writtenS = backend === EMBEDDED ? null : (performance.now() - began) / 1_000;
    const args = ['bench', 'backends-one', dir, file];
    if (backend !== EMBEDDED) args.push('--backend', backend);
    const { output } = await runOwn(args, ['--expose-gc']);
    reads.push({ backend, writtenS, read: JSON.parse(output) as OneRead });
    say(`${dataset.name}: ${kindOf(backend)} was asked ${queries.length} questions`);
  }
  const decided = await decidedBy(dir, backends, sample(queries, decisions, seededRandom(2)), {
    folder,
    pool,
    say,
    signal,
  });
  const [reference] = reads;
  return {
    set: dataset.name,
    about: dataset.about,
    documents: dataset.documents.length,
    passages: manifest.counts.passages,
    backends: reads.map(({ backend, writtenS, read }, i) => ({
      backend: kindOf(backend),
      writtenS,
      openedS: read.openMs / 1_000,
      memoryMiB: read.memoryMiB,
      bytes: read.bytes,
      latency: read.latency,
      recall: summarise(queries.map((query) => ({ group: query.group, value: recallOf(query, read) }))),
      behind: pairedDifference(
        queries.map((query) => ({
          group: query.group,
          a: recallOf(query, read),
          b: recallOf(query, reference!.read),
        })),
      ),
      overlap: summarise(
        queries.map(({ id, group }) => ({
          group,
          value: overlapOf(reference!.read.passages[id]!, read.passages[id]!),
        })),
      ),
      decisions: decided[i]!,
    })),
  };
}

async function withVectors(queries: readonly DataQuery[], pool: Scorers): Promise<Asked[]> {
  const vectors = await pool.embed(queries.map(({ query }) => query));
  return queries.map(({ id, query }, i) => {
    const { buffer, byteOffset, byteLength } = vectors[i]!;
    return { id, query, vector: Buffer.from(buffer, byteOffset, byteLength).toString('base64') };
  });
}

function recallOf({ id, relevant }: DataQuery, { rankings }: OneRead): number | null {
  return anyAt(rankings[id]!, new Map(relevant.map(({ docId, grade }) => [docId, grade])), 10);
}

function overlapOf(wanted: readonly string[], found: readonly string[]): number | null {
  if (wanted.length === 0) return null;
  return wanted.filter((id) => found.includes(id)).length / wanted.length;
}

/** By backend, in their order; a model's scores of one question are computed once for all. */
async function decidedBy(
  dir: string,
  backends: readonly string[],
  queries: readonly DataQuery[],
  { pool, signal }: Parts,
): Promise<BackendReport['decisions'][]> {
  const memo = new Memo(pool);
  const routers: Router[] = [];
  const reports = backends.map((): BackendReport['decisions'] => ({
    asked: queries.length,
    same: 0,
    otherwise: [],
  }));
  try {
    for (const backend of backends) {
      const engine = backend === EMBEDDED ? {} : { backend };
      routers.push(await openRouter({ index: dir, ...engine, scorers: memo.scorers }));
    }
    for (const { id, query } of queries) {
      const decisions = await memo.question(async () => {
        const all: Decision[] = [];
        for (const router of routers) all.push(await router.route({ id, query }, { signal }));
        return all;
      });
      for (const [i, decision] of decisions.entries()) {
        const why = difference(decisions[0]!, decision);
        if (why === null) reports[i]!.same += 1;
        else reports[i]!.otherwise.push({ why, query });
      }
    }
    return reports;
  } finally {
    for (const router of routers) await router.close();
  }
}

/** The first thing that a reader would notice; null where two decisions are the same but for clocks and the index's hash. */
function difference(wanted: Decision, found: Decision): string | null {
  const plain = (decision: Decision) => {
    const { versions, ...rest } = JSON.parse(withoutClocks(JSON.stringify(decision))) as Decision;
    return JSON.stringify({ ...rest, versions: { ...versions, index: '' } });
  };
  if (plain(wanted) === plain(found)) return null;
  if (found.abstention?.reason === 'INDEX_UNAVAILABLE') return 'INDEX_UNAVAILABLE';
  if (wanted.action !== found.action) return `${found.action} instead of ${wanted.action}`;
  const same = (of: (decision: Decision) => unknown) =>
    JSON.stringify(of(wanted)) === JSON.stringify(of(found));
  if (!same(({ answer }) => answer)) return 'another answer';
  if (!same(({ abstention, clarification }) => [abstention?.reason, clarification?.reason]))
    return 'another reason';
  if (!same(({ abstention, clarification }) => [abstention, clarification])) return 'other suggestions';
  if (!same(({ evidence }) => evidence.map(({ passageId }) => passageId))) return 'other evidence';
  return 'scores or counts alone';
}

/** "opensearch=http://…" as "opensearch". */
export function kindOf(backend: string): string {
  return backend.split('=')[0]!;
}

export function renderBackends({ sets }: BackendsReport, layout: Layout = table): string {
  const seconds = (value: number | null) => (value === null ? '–' : value.toFixed(1));
  return sets
    .flatMap(({ set, about, documents, passages, backends }) => [
      `== ${set}`,
      `${about}: ${documents} documents, ${passages} passages, ${backends[0]!.recall.n} questions`,
      layout(
        ['', 'R@10 fused', 'less than embedded', 'overlap of the first 10', 'decisions the same'],
        backends.map(({ backend, recall, behind, overlap, decisions }) => [
          backend,
          withInterval(recall.mean, recall.interval),
          backend === EMBEDDED ? '–' : withInterval(behind.mean, behind.interval),
          backend === EMBEDDED ? '–' : withInterval(overlap.mean, overlap.interval),
          backend === EMBEDDED ? '–' : sameText(decisions),
        ]),
      ),
      layout(
        ['', 'p50 ms', 'p95 ms', 'memory MiB', 'disk MiB', 'opened s', 'written s'],
        backends.map(({ backend, latency, memoryMiB, bytes, openedS, writtenS }) => [
          backend,
          ms(latency.p50),
          ms(latency.p95),
          memoryMiB.toFixed(0),
          bytes === null ? '–' : (bytes / 2 ** 20).toFixed(1),
          seconds(openedS),
          seconds(writtenS),
        ]),
      ),
      ...backends.flatMap(({ backend, decisions }) => differences(backend, decisions)),
    ])
    .join('\n\n');
}

/** With the share that may differ at most: 95 %, one-sided. */
function sameText({ asked, same }: BackendReport['decisions']): string {
  if (asked === 0) return '–';
  return `${same} of ${asked} (at most ${(100 * upperShare(asked - same, asked)).toFixed(1)} % differ)`;
}

function differences(backend: string, { otherwise }: BackendReport['decisions']): string[] {
  if (otherwise.length === 0) return [];
  const counts = new Map<string, number>();
  for (const { why } of otherwise) counts.set(why, (counts.get(why) ?? 0) + 1);
  const listed = [...counts].map(([why, count]) => `${count} ${why}`).join(', ');
  return [`${backend} decides otherwise: ${listed}`];
}
