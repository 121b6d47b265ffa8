/** Whether a stretch of a document talks to the machine that reads it: a linear model over its words. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { messageOf, PragauraError, sigmoid } from '../../common/index.ts';
import { sentences } from '../../corpus/index.ts';
import { BUCKETS, poisonFeatures } from './features.ts';

export const POISON_MODEL = 'model.json';
export const POISON_WEIGHTS = 'weights.bin';

export const PoisonHeader = z.strictObject({
  schema: z.literal('pragaura.poison/1'),
  buckets: z.literal(BUCKETS),
  bias: z.number(),
  /** What an int8 weight is to be multiplied by. */
  scale: z.number().positive(),
  /** Least probability at which a stretch is taken for one that talks to a machine. */
  threshold: z.number().min(0).max(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Training texts by source. */
  data: z.record(z.string(), z.number().int()),
});
export type PoisonHeader = z.infer<typeof PoisonHeader>;

/** Characters of a sentence that are looked at. */
const LONGEST = 600;

export interface Addressed {
  /** In [0, 1]. */
  probability: number;
  text: string;
}

/** Scores stretches of text; made once, pure afterwards. */
export class PoisonDetector {
  readonly #header: PoisonHeader;
  readonly #weights: Int8Array;

  constructor(header: PoisonHeader, weights: Int8Array) {
    this.#header = header;
    this.#weights = weights;
  }

  /** Probability that a stretch talks to a machine, in [0, 1]. */
  probability(stretch: string): number {
    const { bias, scale } = this.#header;
    const { indices, values } = poisonFeatures(stretch);
    let sum = 0;
    for (const index of indices) sum += this.#weights[index]!;
    return sigmoid(bias + sum * scale * (values[0] ?? 0));
  }

  /** The likeliest stretch of a text that is likely enough; null where none is. Linear in the text. */
  find(text: string): Addressed | null {
    let best: Addressed | null = null;
    for (const stretch of stretchesOf(text)) {
      const probability = this.probability(stretch);
      if (probability >= this.#header.threshold && probability > (best?.probability ?? 0)) {
        best = { probability, text: stretch };
      }
    }
    return best;
  }
}

/** Sentences alone and with the next one: what an order is about may stand there. */
export function stretchesOf(text: string): string[] {
  const found = sentences(text, 0, text.length).map(({ start, end }) =>
    text.slice(start, Math.min(end, start + LONGEST)),
  );
  return found.flatMap((sentence, i) =>
    i + 1 < found.length ? [sentence, `${sentence} ${found[i + 1]}`] : [sentence],
  );
}

/** The shipped detector, or that of the folder `dir`. Throws MODEL_UNUSABLE when it is missing or damaged. */
export function loadPoisonDetector(dir = shippedPoisonDir()): PoisonDetector {
  try {
    const header = PoisonHeader.parse(JSON.parse(readFileSync(join(dir, POISON_MODEL), 'utf8')));
    const bytes = readFileSync(join(dir, POISON_WEIGHTS));
    if (bytes.length !== BUCKETS || createHash('sha256').update(bytes).digest('hex') !== header.sha256)
      throw new Error(`${POISON_WEIGHTS} is not the file that ${POISON_MODEL} names`);
    return new PoisonDetector(header, new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length));
  } catch (cause) {
    throw new PragauraError(
      'MODEL_UNUSABLE',
      `The detector of orders to a machine in ${dir}: ${messageOf(cause)}`,
      {
        hint: 'Install the package again, or make it anew in the repository with: pragaura bench attacks --fit',
        cause,
      },
    );
  }
}

/** Folder of the weights inside the package. */
export function shippedPoisonDir(): string {
  return dirname(createRequire(import.meta.url).resolve(`#poison/${POISON_MODEL}`));
}
