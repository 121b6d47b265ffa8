import { PragauraError } from '../../errors.ts';
import type { Passage } from '../contracts.ts';
import { interrupted } from './collect.ts';
import { passageText } from './passages/passage-text.ts';
import { sha256 } from './store/files.ts';

/** Turns texts into unit vectors; `Scorers.embed` is one. */
export type Embed = (texts: readonly string[], options?: { signal?: AbortSignal }) => Promise<Float32Array[]>;

const BATCH = 256;
/** One batch is being computed while the next is already there, so that no inference thread waits. */
const IN_FLIGHT = 2;

export interface EmbedJob {
  embed: Embed;
  dimension: number;
  /** Vectors that are known, by the sha256 (hex) of the text. */
  known: (key: string) => Float32Array | undefined;
  /** Told of each batch as it is done. */
  keep: (keys: readonly string[], vectors: readonly Float32Array[]) => void;
  onProgress?: ((done: number, total: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface Embedded {
  /** One row a passage. */
  vectors: Float32Array;
  /** sha256 of each embedded text, 32 bytes a passage. */
  keys: Uint8Array;
  /** Texts that had to be computed, and passages that did not. */
  computed: number;
  reused: number;
}

interface Pending {
  key: string;
  text: string;
  rows: number[];
}

function check(vectors: readonly Float32Array[], expected: number, dimension: number): void {
  const fits = (vector: Float32Array) => vector.length === dimension && vector.every(Number.isFinite);
  if (vectors.length !== expected || !vectors.every(fits)) {
    throw new PragauraError('SCORING_FAILED', 'The embedder returned vectors that do not fit.');
  }
}

/**
 * The vectors of all passages. Equal texts are embedded once, known ones not at all; batches are of similar length,
 * since a batch is as long as its longest text.
 * @throws ABORTED when cancelled, and whatever `embed` and `keep` throw; batches under way are waited for
 */
export async function embedPassages(passages: readonly Passage[], job: EmbedJob): Promise<Embedded> {
  const { dimension } = job;
  const vectors = new Float32Array(passages.length * dimension);
  const keys = new Uint8Array(passages.length * 32);
  const pending = new Map<string, Pending>();
  let reused = 0;
  passages.forEach((passage, row) => {
    const text = passageText(passage);
    const key = sha256(text);
    keys.set(Buffer.from(key, 'hex'), row * 32);
    const vector = job.known(key);
    const waiting = pending.get(key);
    if (vector !== undefined) vectors.set(vector, row * dimension);
    else if (waiting !== undefined) waiting.rows.push(row);
    else pending.set(key, { key, text, rows: [row] });
    if (vector !== undefined) reused += 1;
  });

  const queue = [...pending.values()].sort((a, b) => b.text.length - a.text.length);
  let done = passages.length - queue.reduce((sum, { rows }) => sum + rows.length, 0);
  const run = async (batch: readonly Pending[]) => {
    const options = job.signal === undefined ? {} : { signal: job.signal };
    const computed = await job.embed(
      batch.map(({ text }) => text),
      options,
    );
    check(computed, batch.length, dimension);
    batch.forEach(({ rows }, i) => {
      for (const row of rows) vectors.set(computed[i]!, row * dimension);
      done += rows.length;
    });
    job.keep(
      batch.map(({ key }) => key),
      computed,
    );
    job.onProgress?.(done, passages.length);
  };

  job.onProgress?.(done, passages.length);
  let next = 0;
  const worker = async () => {
    while (next < queue.length) {
      if (job.signal?.aborted) throw interrupted();
      const batch = queue.slice(next, next + BATCH);
      next += BATCH;
      try {
        await run(batch);
      } catch (error) {
        next = queue.length;
        throw error;
      }
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: IN_FLIGHT }, worker));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw job.signal?.aborted ? interrupted() : failed.reason;
  return { vectors, keys, computed: queue.length, reused };
}
