/** Mean-pooled sentence vectors (Reimers & Gurevych 2019), scaled to length one. */

/** `mean` divided by its Euclidean norm. */
export function unitVector(mean: Float32Array): Float32Array {
  let sum = 0;
  for (const x of mean) sum += x * x;
  const norm = Math.sqrt(sum);
  return Float32Array.from(mean, (x) => (norm === 0 ? 0 : x / norm));
}
