/** The weights on disk: `model.json` says what they are, `weights.bin` holds them. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { PragauraError } from '../../common/index.ts';
import { ACTS } from '../../profiles/index.ts';
import { BUCKETS } from './features.ts';
import type { LinearWeights } from './linear.ts';

export const MODEL_FILE = 'model.json';
export const WEIGHTS_FILE = 'weights.bin';

/** How the probabilities of one set of weights are made and read; see `decide` in act-classifier.ts. */
const Tuning = z.strictObject({
  temperature: z.number().positive(),
  confidentAt: z.number().min(0).max(1),
  refuseAt: z.number().min(0).max(1),
});
export type Tuning = z.infer<typeof Tuning>;

export const ModelHeader = z.strictObject({
  schema: z.literal('pragaura.acts/1'),
  /** Class order of the weights. */
  labels: z.array(z.enum(ACTS)).length(ACTS.length),
  buckets: z.literal(BUCKETS),
  /** The embedder whose vectors the first set of weights was trained on. */
  embedder: z.strictObject({ name: z.string(), sha256: z.string(), dimension: z.number().int().positive() }),
  withVector: Tuning,
  textOnly: Tuning,
  weights: z.strictObject({ bytes: z.number().int(), sha256: z.string() }),
  /** Training examples by source and by act. */
  data: z.strictObject({ sources: z.record(z.string(), z.number()), acts: z.record(z.string(), z.number()) }),
});
export type ModelHeader = z.infer<typeof ModelHeader>;

export interface WeightSets {
  withVector: LinearWeights;
  textOnly: LinearWeights;
}

/**
 * Bytes of both sets, one after the other. Each: bias and scale (float32, one a class), dense rows (float32), sparse
 * rows (int8, to be multiplied by the class's scale). Little-endian.
 */
export function encodeWeights({ withVector, textOnly }: WeightSets): Uint8Array {
  return Buffer.concat([withVector, textOnly].flatMap(encodeSet));
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Throws MODEL_UNUSABLE when the bytes are not the ones that the header names. */
export function decodeWeights(bytes: Uint8Array, header: ModelHeader): WeightSets {
  const classes = header.labels.length;
  const size = (dimension: number) => classes * (8 + 4 * dimension + header.buckets);
  const first = size(header.embedder.dimension);
  if (bytes.length !== first + size(0) || hashOf(bytes) !== header.weights.sha256) {
    throw new PragauraError('MODEL_UNUSABLE', 'The weights of the speech-act classifier are damaged.', {
      hint: 'Install the package again, or make them anew with: pragaura classify train --data DIR',
    });
  }
  return {
    withVector: decodeSet(bytes.subarray(0, first), classes, header.embedder.dimension),
    textOnly: decodeSet(bytes.subarray(first), classes, 0),
  };
}

function encodeSet({ classes, sparse, dense, bias }: LinearWeights): Buffer[] {
  const scales = new Float32Array(classes);
  for (let i = 0; i < sparse.length; i++) {
    scales[i % classes] = Math.max(scales[i % classes]!, Math.abs(sparse[i]!) / 127);
  }
  const quantised = Int8Array.from(sparse, (weight, i) => Math.round(weight / (scales[i % classes]! || 1)));
  return [bias, scales, dense, quantised].map((array) =>
    Buffer.from(array.buffer, array.byteOffset, array.byteLength),
  );
}

function decodeSet(bytes: Uint8Array, classes: number, dimension: number): LinearWeights {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const floats = (at: number, length: number) =>
    Float32Array.from({ length }, (_, i) => view.getFloat32(at + 4 * i, true));
  const scales = floats(4 * classes, classes);
  const quantised = bytes.subarray(classes * (8 + 4 * dimension));
  const sparse = new Float32Array(quantised.length);
  for (let i = 0; i < sparse.length; i++) {
    const signed = (quantised[i]! << 24) >> 24;
    sparse[i] = signed * scales[i % classes]!;
  }
  return { classes, sparse, dense: floats(8 * classes, dimension * classes), bias: floats(0, classes) };
}
