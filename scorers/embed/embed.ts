/** Sentence vectors, of the tokens' mean (Reimers & Gurevych 2019) or of the first token, scaled to length one. */

/** `pooled` divided by its Euclidean norm; a zero vector stays zero. */
export function unitVector(pooled: Float32Array): Float32Array {
  let sum = 0;
  for (const x of pooled) sum += x * x;
  const norm = Math.sqrt(sum);
  return Float32Array.from(pooled, (x) => (norm === 0 ? 0 : x / norm));
}
