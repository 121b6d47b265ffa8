/** One backend at one size, in a process of its own: its memory is then that of the index and of nothing else. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { PragauraError } from '../../common/index.ts';
import { openBackend } from '../../corpus/index.ts';
import { allocate, loadProfiles } from '../../profiles/index.ts';
import { loadActClassifier } from '../../router/acts/index.ts';
import { Ledger } from '../../router/budget/index.ts';
import { besideLinks, openRetrieval } from '../../router/retrieval/index.ts';
import { floatsIn } from '../backends/read-one.ts';
import { Latencies, type LatencySummary } from '../measure/latencies.ts';
import { peakMiB, residentMiB } from '../measure/machine.ts';
import { takenBy } from './processes.ts';
import type { ScaleQuestion } from './questions.ts';
import { cpuMs } from './sample.ts';

export interface AskOptions {
  index: string;
  /** Undefined: the folder. */
  backend?: string | undefined;
  /** File of questions. */
  questions: string;
  /** Processes of the engine, where it runs on this machine. */
  pids: readonly number[];
}

/** One way of searching, questions one after the other. */
export interface Way {
  latency: LatencySummary;
  /** Ordinals of the first ten of each question. */
  firstTen: number[][];
  /** Share of the questions whose passage is among them. */
  recall: number;
}

export interface AskReport {
  openMs: number;
  /** MiB of this process before opening, after all questions, and at most. */
  memory: { before: number; after: number; peak: number };
  bytes: number | null;
  /** Words alone, vectors alone, and what a query does by its profile. */
  ways: Record<'lexical' | 'dense' | 'fused', Way>;
  /** Fused, so many at a time: the most of 8, 4, 2 and 1 that the backend keeps up with. */
  together: { concurrency: number; perSecond: number };
  /** Processor milliseconds of one fused retrieval: of this process, and of the engine. */
  cpuMs: { own: number; engine: number | null };
  /** MiB of the engine after all questions, of them no file's. */
  engine: { memoryMiB: number; ownMiB: number } | null;
}

const KEPT = 10;
/** Passages that one branch alone is asked for: half of what a query may spend. */
const DEPTH = 30;
const WARM = 20;
const MOST_TOGETHER = 8;
const REST_MS = 30_000;

/** Runs `work` with the most of 8, 4, 2 and 1 with which no time limit is met. Throws BACKEND_UNAVAILABLE where it is with 1. */
async function keepingUp<T>(work: (concurrency: number) => Promise<T>): Promise<T> {
  for (let concurrency = MOST_TOGETHER; ; concurrency >>= 1) {
    try {
      return await work(concurrency);
    } catch (error) {
      const isSlow = PragauraError.isInstance(error) && error.code === 'BACKEND_UNAVAILABLE';
      if (!isSlow || concurrency === 1) throw error;
      // What was asked is still at work there, and the guard lets nothing through for a while.
      await sleep(REST_MS);
    }
  }
}

/** Throws as `openBackend`, and BACKEND_UNAVAILABLE where the engine does not keep up. */
export async function askAll(options: AskOptions): Promise<AskReport> {
  const questions = (JSON.parse(await readFile(options.questions, 'utf8')) as ScaleQuestion[]).map(
    (question) => ({ ...question, vector: floatsIn(question.vector) }),
  );
  type Question = (typeof questions)[number];
  const [profiles, acts] = [loadProfiles(), await loadActClassifier()];
  globalThis.gc?.();
  const before = residentMiB();
  const began = performance.now();
  const backend = await openBackend(options.index, { backend: options.backend });
  try {
    const retrieval = openRetrieval(backend);
    const openMs = performance.now() - began;
    const share = besideLinks(retrieval, profiles.budget);
    const branch =
      (name: 'lexical' | 'dense') =>
      async ({ query, vector }: Question) => {
        const lease = new Ledger(profiles.budget).lease(name, { docsScored: DEPTH });
        try {
          return (await retrieval.find(name, { query, vector, lease })).map(({ ordinal }) => ordinal);
        } finally {
          lease.close();
        }
      };
    const fused = async ({ query, vector }: Question) => {
      const allocation = allocate(profiles, acts.classify(query, vector), 'act', share);
      const { candidates } = await retrieval.retrieve({
        query,
        vector,
        allocation,
        ledger: new Ledger(profiles.budget),
      });
      return candidates.map(({ ordinal }) => ordinal);
    };
    const oneByOne = async (ask: (question: Question) => Promise<number[]>): Promise<Way> => {
      for (const question of questions.slice(0, WARM)) await ask(question);
      const latencies = new Latencies();
      const firstTen: number[][] = [];
      for (const question of questions) {
        firstTen.push((await latencies.time(() => ask(question))).slice(0, KEPT));
      }
      const found = questions.filter(({ ordinal }, i) => firstTen[i]!.includes(ordinal)).length;
      return { latency: latencies.summary(), firstTen, recall: found / questions.length };
    };
    const taken = () => (options.pids.length === 0 ? null : takenBy(options.pids));
    const lexical = await oneByOne(branch('lexical'));
    const dense = await oneByOne(branch('dense'));
    const both = await oneByOne(fused);
    const { concurrency, seconds, cpu } = await keepingUp(async (concurrency) => {
      const start = { at: performance.now(), own: cpuMs(), engine: taken() };
      let next = 0;
      await Promise.all(
        Array.from({ length: concurrency }, async () => {
          while (next < questions.length) await fused(questions[next++]!);
        }),
      ).catch((error: unknown) => {
        next = questions.length;
        throw error;
      });
      const seconds = (performance.now() - start.at) / 1_000;
      const own = (cpuMs() - start.own) / questions.length;
      const now = taken();
      const engine =
        now === null || start.engine === null
          ? null
          : (1_000 * (now.cpuS - start.engine.cpuS)) / questions.length;
      return { concurrency, seconds, cpu: { own, engine } };
    });
    const engine = taken();
    globalThis.gc?.();
    return {
      openMs,
      memory: { before, after: residentMiB(), peak: peakMiB() },
      bytes: (await backend.health()).bytes,
      ways: { lexical, dense, fused: both },
      together: { concurrency, perSecond: questions.length / seconds },
      cpuMs: cpu,
      engine: engine === null ? null : { memoryMiB: engine.memoryMiB, ownMiB: engine.ownMiB },
    };
  } finally {
    await backend.close();
  }
}
