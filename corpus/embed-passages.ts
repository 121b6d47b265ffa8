import { PragauraError } from '../common/index.ts';
import { interrupted } from './collect.ts';
import type { Passage } from './passages/passage.ts';
import { passageText } from './passages/passage-text.ts';
import { sha256 } from './store/files.ts';
import type { Vectors } from './store/write-generation.ts';

/** Turns texts into unit vectors; `Scorers.embed` is one. */
export type Embed = (texts: readonly string[], options?: { signal?: AbortSignal }) => Promise<Float32Array[]>;

/**
 * Small, because what a killed build has not kept is computed again; and what is under way ends at about the same time,
 * since threads serve all calls in turn: so many texts in all are lost at most.
 */
const BATCH = 16;
/** So many that no inference thread waits for the next. */
const IN_FLIGHT = 8;

/** Which vectors passages have already, and which texts are still to be embedded. */
export interface EmbedPlan extends Vectors {
  /** Texts without a vector, each once, longest first: the short ones fill the gaps at the end. */
  queue: readonly Pending[];
  /** Passages whose vectors were known, and those that wait for one. */
  reused: number;
  pending: number;
}

interface Pending {
  key: string;
  text: string;
  rows: number[];
}

/** Equal texts are embedded once, known ones (by the sha256, in hex, of the text) not at all. */
export function planEmbedding(
  passages: readonly Passage[],
  dimension: number,
  known: (key: string) => Float32Array | undefined,
): EmbedPlan {
  const vectors = new Float32Array(passages.length * dimension);
  const keys = new Uint8Array(passages.length * 32);
  const waiting = new Map<string, Pending>();
  let reused = 0;
  passages.forEach((passage, row) => {
    const text = passageText(passage);
    const key = sha256(text);
    keys.set(Buffer.from(key, 'hex'), row * 32);
    const vector = known(key);
    const same = waiting.get(key);
    if (vector !== undefined) {
      vectors.set(vector, row * dimension);
      reused += 1;
    } else if (same !== undefined) same.rows.push(row);
    else waiting.set(key, { key, text, rows: [row] });
  });
  const queue = [...waiting.values()].sort((a, b) => b.text.length - a.text.length);
  return { vectors, keys, queue, reused, pending: passages.length - reused };
}

export interface EmbedJob {
  embed: Embed;
  dimension: number;
  /** Told of each batch as it is done. */
  keep: (keys: readonly string[], vectors: readonly Float32Array[]) => void;
  /** Passages that have a vector, and the share of the work that is done: long texts, which come first, are more of it. */
  onProgress?: ((done: number, share: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

function check(vectors: readonly Float32Array[], expected: number, dimension: number): void {
  const fits = (vector: Float32Array) => vector.length === dimension && vector.every(Number.isFinite);
  if (vectors.length !== expected || !vectors.every(fits)) {
    throw new PragauraError('SCORING_FAILED', 'The embedder returned vectors that do not fit.');
  }
}

/**
 * Embeds what a plan leaves open and puts it into the plan's vectors. What a text costs grows with its length.
 * @throws ABORTED when cancelled, and whatever `embed` and `keep` throw; batches under way are waited for
 */
export async function embedPlanned({ vectors, queue, reused }: EmbedPlan, job: EmbedJob): Promise<void> {
  const { dimension } = job;
  const work = queue.reduce((sum, { text }) => sum + text.length, 0);
  let done = reused;
  let worked = 0;
  const run = async (batch: readonly Pending[]) => {
    const options = job.signal === undefined ? {} : { signal: job.signal };
    const computed = await job.embed(
      batch.map(({ text }) => text),
      options,
    );
    check(computed, batch.length, dimension);
    batch.forEach(({ rows, text }, i) => {
      for (const row of rows) vectors.set(computed[i]!, row * dimension);
      done += rows.length;
      worked += text.length;
    });
    job.keep(
      batch.map(({ key }) => key),
      computed,
    );
    job.onProgress?.(done, worked / work);
  };

  job.onProgress?.(done, queue.length === 0 ? 1 : 0);
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
}
