/** Real passages, embedded and asked by the shipped models: what that costs, and the vectors that others are made from. */
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { seededRandom, shuffled, writeWholeFile } from '../../common/index.ts';
import { buildIndex, openIndex } from '../../corpus/index.ts';
import { openRouter } from '../../router/index.ts';
import { openScorers } from '../../scorers/index.ts';
import { Latencies, type LatencySummary } from '../measure/latencies.ts';
import { type RealText, sampled } from './real-text.ts';
import { TextStatistics } from './statistics.ts';
import { dot, median, type Neighbourhood, neighbourhoodOf, type Vectors } from './vectors.ts';

export interface SampleOptions {
  /** Folder in which the index of the sample is made. */
  dir: string;
  /** Documents that are embedded, and questions that are decided on, at most. */
  documents: number;
  decisions: number;
}

export interface SampleReport {
  about: string;
  passages: number;
  text: ReturnType<TextStatistics['report']>;
  embedding: {
    threads: number;
    /** Of the clock, of all processors, and of each thread's time inside ONNX Runtime. */
    wallMs: number;
    cpuMs: number;
    insideShare: number;
  };
  /** Of one decision: milliseconds of the clock, and of all processors as a mean. */
  decision: { latency: LatencySummary; cpuMs: number };
  /** MiB of the process that decides, models and the index of the sample included. */
  deciderMiB: number;
  vectors: Neighbourhood;
  /** Cosine of a question and the passage that it was asked about, the median. */
  questionCosine: number;
}

/** Questions that are decided on before a clock runs. */
const WARM = 5;
/** Questions whose cosines are taken. */
const COMPARED = 200;

export function sampleIndex(dir: string): string {
  return path.join(dir, 'index');
}

/** The vectors of a sample that was embedded. Throws INDEX_UNUSABLE where it was not. */
export async function sampleVectors(dir: string): Promise<Vectors> {
  const { vectors, dimension } = await openIndex(sampleIndex(dir));
  return { values: vectors, dimension };
}

/** Throws what indexing and routing throw. */
export async function measureSample(real: RealText, options: SampleOptions): Promise<SampleReport> {
  const { dir, documents: count, decisions } = options;
  const { about, documents, queries } = sampled(real, count, COMPARED);
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  const corpus = path.join(dir, 'sample.jsonl');
  const rows = documents.map(({ docId, title, text }) => `${JSON.stringify({ _id: docId, title, text })}\n`);
  await writeWholeFile(corpus, rows.join(''), 'Name a folder with --work.');
  let inside = 0;
  const scorers = await openScorers({ onRun: (ms) => (inside += ms) });
  try {
    const [probe] = await scorers.embed(['dimension']);
    let before: { cpu: number; inside: number } | undefined;
    const report = await buildIndex([corpus], {
      out: sampleIndex(dir),
      embed: (texts, call) => {
        before ??= { cpu: cpuMs(), inside };
        return scorers.embed(texts, call);
      },
      embedder: { ...scorers.info.models.embed!, dimension: probe!.length },
      countTokens: (text) => scorers.countTokens(text),
    });
    const { threads } = scorers.info;
    const wallMs = report.ms.embed;
    const embedding = {
      threads,
      wallMs,
      cpuMs: cpuMs() - before!.cpu,
      insideShare: (inside - before!.inside) / threads / wallMs,
    };
    const index = await openIndex(sampleIndex(dir));
    const vectors: Vectors = { values: index.vectors, dimension: index.dimension };
    const asked = await scorers.embed(queries.map(({ query }) => query));
    const cosines = queries.flatMap(({ relevant }, i) => {
      const entry = index.documents.find(({ docId }) => docId === relevant[0]!.docId);
      if (entry === undefined) return [];
      const own = Array.from({ length: entry.passages }, (_, place) => entry.first + place);
      const each = own.map((row) =>
        dot(vectors.values.subarray(row * index.dimension, (row + 1) * index.dimension), asked[i]!),
      );
      return [Math.max(...each)];
    });
    const statistics = new TextStatistics();
    for (const { text } of real.documents) statistics.add(text);
    const router = await openRouter({ index: sampleIndex(dir), scorers });
    try {
      const chosen = shuffled(queries, seededRandom(3)).slice(0, decisions);
      for (const { id, query } of chosen.slice(0, WARM)) await router.route({ id, query });
      const latencies = new Latencies();
      const began = cpuMs();
      for (const { id, query } of chosen) await latencies.time(() => router.route({ id, query }));
      const decision = { latency: latencies.summary(), cpuMs: (cpuMs() - began) / chosen.length };
      globalThis.gc?.();
      return {
        about,
        passages: index.passages.length,
        text: statistics.report(),
        embedding,
        decision,
        deciderMiB: process.memoryUsage().rss / 2 ** 20,
        vectors: neighbourhoodOf(vectors),
        questionCosine: median(cosines),
      };
    } finally {
      await router.close();
    }
  } finally {
    await scorers.close();
  }
}

/** Processor milliseconds of this process so far, all threads together. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
