import { PragauraError } from '../../common/index.ts';

/** Inner product of two vectors of one length, the first from `at` on; four sums side by side, in an order that never changes. */
export function similarity(rows: Float32Array, query: Float32Array, at = 0): number {
  const { length } = query;
  let row = at;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let i = 0;
  for (; i + 3 < length; i += 4, row += 4) {
    a += rows[row]! * query[i]!;
    b += rows[row + 1]! * query[i + 1]!;
    c += rows[row + 2]! * query[i + 2]!;
    d += rows[row + 3]! * query[i + 3]!;
  }
  for (; i < length; i++, row++) a += rows[row]! * query[i]!;
  return a + b + (c + d);
}

/** Throws INTERNAL when the query's vector is not of the index's embedder. */
export function checkVector(dimension: number, query: Float32Array): void {
  if (query.length === dimension) return;
  throw new PragauraError(
    'INTERNAL',
    `The query's vector has ${query.length} numbers, those of the index have ${dimension}.`,
  );
}
