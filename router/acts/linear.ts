/** The linear model behind the classifier: scores of classes from sparse features and, if it has them, a vector. */
import type { SparseFeatures } from './features.ts';

/** What one query looks like to the model; `vector` is left out by models without the embedding. */
export interface Observation {
  sparse: SparseFeatures;
  vector?: Float32Array | undefined;
}

/**
 * `sparse`: `BUCKETS` rows of one weight a class; `dense`: one such row for each number of the vector (none in a
 * model without it); `bias`: one a class. Rows are stored one after the other.
 */
export interface LinearWeights {
  classes: number;
  sparse: Float32Array;
  dense: Float32Array;
  bias: Float32Array;
}

/** Logits, one a class. */
export function logits(weights: LinearWeights, { sparse, vector }: Observation): Float64Array {
  const { classes } = weights;
  const out = Float64Array.from(weights.bias);
  for (let i = 0; i < sparse.indices.length; i++) {
    const row = sparse.indices[i]! * classes;
    const value = sparse.values[i]!;
    for (let c = 0; c < classes; c++) out[c]! += value * weights.sparse[row + c]!;
  }
  for (let i = 0; i * classes < weights.dense.length; i++) {
    const value = vector?.[i] ?? 0;
    for (let c = 0; c < classes; c++) out[c]! += value * weights.dense[i * classes + c]!;
  }
  return out;
}

/** exp(logit / temperature), normalised to sum to one; safe for logits of any size. */
export function softmax(scores: Float64Array, temperature = 1): Float64Array {
  const top = Math.max(...scores);
  const out = scores.map((score) => Math.exp((score - top) / temperature));
  const sum = out.reduce((a, b) => a + b, 0);
  return out.map((value) => value / sum);
}
