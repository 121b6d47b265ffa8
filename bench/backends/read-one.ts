/** One backend over one set, in a process of its own: its memory is then that of the index and of nothing else. */
import { readFile } from 'node:fs/promises';
import { openBackend } from '../../corpus/index.ts';
import { allocate, loadProfiles } from '../../profiles/index.ts';
import { loadActClassifier } from '../../router/acts/index.ts';
import { Ledger } from '../../router/budget/index.ts';
import { besideLinks, openRetrieval } from '../../router/retrieval/index.ts';
import { Latencies, type LatencySummary } from '../measure/latencies.ts';
import { residentMiB } from '../measure/machine.ts';

/** A question with its vector: base64 of little-endian floats. */
export interface Asked {
  id: string;
  query: string;
  vector: string;
}

export interface OneRead {
  /** Milliseconds that opening took. */
  openMs: number;
  /** MiB that the process has more than before the index was opened, after all questions. */
  memoryMiB: number;
  /** Bytes of the index where it lies; null where the backend does not say. */
  bytes: number | null;
  /** Of the retrieval of one question, one after the other. */
  latency: LatencySummary;
  /** First documents of the fused candidates, by question. */
  rankings: Record<string, string[]>;
  /** Passages of the same. */
  passages: Record<string, string[]>;
}

const KEPT = 10;
/** Questions that are asked before a clock runs. */
const WARM = 20;

/** Throws as `openBackend`; `backend` undefined: the folder. */
export async function readOne(index: string, backend: string | undefined, file: string): Promise<OneRead> {
  const questions = JSON.parse(await readFile(file, 'utf8')) as Asked[];
  const [profiles, acts] = [loadProfiles(), await loadActClassifier()];
  globalThis.gc?.();
  const before = residentMiB();
  const began = performance.now();
  const opened = await openBackend(index, { backend });
  try {
    const retrieval = openRetrieval(opened);
    const openMs = performance.now() - began;
    const share = besideLinks(retrieval, profiles.budget);
    const ask = ({ query, vector: encoded }: Asked) => {
      const vector = floatsIn(encoded);
      const allocation = allocate(profiles, acts.classify(query, vector), 'act', share);
      return retrieval.retrieve({ query, vector, allocation, ledger: new Ledger(profiles.budget) });
    };
    for (const question of questions.slice(0, WARM)) await ask(question);
    const latencies = new Latencies();
    const rankings: OneRead['rankings'] = {};
    const passages: OneRead['passages'] = {};
    for (const question of questions) {
      const { candidates } = await latencies.time(() => ask(question));
      const found = candidates.map(({ indexed: { passage } }) => passage);
      rankings[question.id] = [...new Set(found.map(({ docId }) => docId))].slice(0, KEPT);
      passages[question.id] = found.slice(0, KEPT).map(({ passageId }) => passageId);
    }
    globalThis.gc?.();
    const memoryMiB = residentMiB() - before;
    const { bytes } = await opened.health();
    return { openMs, memoryMiB, bytes, latency: latencies.summary(), rankings, passages };
  } finally {
    await opened.close();
  }
}

/** What base64 of little-endian floats says. */
export function floatsIn(encoded: string): Float32Array {
  const bytes = new Uint8Array(Buffer.from(encoded, 'base64'));
  return new Float32Array(bytes.buffer, 0, bytes.byteLength / 4);
}
