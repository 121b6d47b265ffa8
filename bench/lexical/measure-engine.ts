import { setTimeout } from 'node:timers/promises';
import { anyAt } from '../../calibration/index.ts';
import { sample, seededRandom } from '../../common/index.ts';
import { loadDataset } from '../datasets/index.ts';
import type { DataDocument, DataQuery } from '../datasets/types.ts';
import { knownItemQueries, loadGlosses } from '../datasets/wordnet.ts';
import { Latencies, type LatencySummary } from '../measure/latencies.ts';
import { peakMiB, residentMiB } from '../measure/machine.ts';
import { ENGINES, type EngineName, type Search } from './engines.ts';

const K = 10;

export interface EngineOptions {
  engine: EngineName;
  data: string;
  /** Glosses to index, at most. */
  docs: number;
  /** Known-item queries over them that all engines share. */
  queries: number;
  /** How many of these, from the first on, are put to this engine. */
  asked: number;
  /** Questions of new-wiki over its paragraphs. */
  questions: number;
}

/** Query lengths over the glosses, in words. */
const LENGTHS = [5, 3];

/** Queries of one kind. `found`: whether each query's text was among the first ten. */
interface Asked {
  latency: LatencySummary;
  found: boolean[];
}

export interface EngineReport {
  engine: EngineName;
  documents: number;
  buildMs: number;
  /**
   * MiB. `engine`: what the engine holds (heap and buffers outside it, after building and collecting garbage, less
   * the same before). `resident`, `peak`: of the whole process with the texts, after building and at its highest.
   */
  memory: { engine: number; resident: number; peak: number };
  glosses: ({ words: number } & Asked)[];
  questions: Asked;
}

/** Runs one engine in this process, which ought to do nothing else: the memory figures are the process's own. */
export async function measureEngine(options: EngineOptions): Promise<EngineReport> {
  const engine = ENGINES[options.engine];
  const glosses = (await loadGlosses()).slice(0, options.docs);
  const sets = LENGTHS.map((words) => ({
    words,
    queries: knownItemQueries(glosses, options.queries, words).slice(0, options.asked),
  }));
  const before = await heldMiB();
  const start = performance.now();
  const search = await engine.build(glosses.map((gloss) => gloss.text));
  const buildMs = performance.now() - start;
  const memory = { engine: (await heldMiB()) - before, resident: residentMiB(), peak: peakMiB() };
  const onGlosses: EngineReport['glosses'] = [];
  for (const { words, queries } of sets) onGlosses.push({ words, ...(await ask(search, glosses, queries)) });

  const wiki = await loadDataset('new-wiki', options.data);
  const searchWiki = await engine.build(wiki.documents.map((document) => document.text));
  const questions = sample(wiki.queries, options.questions, seededRandom(1));
  return {
    engine: options.engine,
    documents: glosses.length,
    buildMs,
    memory,
    glosses: onGlosses,
    questions: await ask(searchWiki, wiki.documents, questions),
  };
}

/** A tenth of the queries, a hundred at most, goes first and is not counted. */
async function ask(
  search: Search,
  documents: readonly DataDocument[],
  queries: readonly DataQuery[],
): Promise<Asked> {
  for (const { query } of queries.slice(0, Math.min(100, queries.length / 10))) await search(query, K);
  const latencies = new Latencies();
  const found: boolean[] = [];
  for (const { query, relevant } of queries) {
    const hits = await latencies.time(() => search(query, K));
    const ids = hits.map((ordinal) => documents[ordinal]!.docId);
    found.push(anyAt(ids, new Map([[relevant[0]!.docId, 1]]), K) === 1);
  }
  return { latency: latencies.summary(), found };
}

/** Memory in use once garbage is collected (the process is started with --expose-gc). */
async function heldMiB(): Promise<number> {
  // Buffers are freed on another thread after the objects that owned them: collect, wait, collect again.
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await setTimeout(100);
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}
