/** Symmetric positive definite matrices, row after row in one array. */

/** Lower triangle L with L Lᵀ = A. Null when A is not positive definite (to working precision). */
export function cholesky(A: Float64Array, size: number): Float64Array | null {
  const L = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = A[i * size + j]!;
      for (let k = 0; k < j; k++) sum -= L[i * size + k]! * L[j * size + k]!;
      if (i !== j) L[i * size + j] = sum / L[j * size + j]!;
      else if (sum > 0) L[i * size + i] = Math.sqrt(sum);
      else return null;
    }
  }
  return L;
}

/** x with L Lᵀ x = b. */
export function solve(L: Float64Array, b: Float64Array): Float64Array {
  const size = b.length;
  const x = Float64Array.from(b);
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) x[i]! -= L[i * size + k]! * x[k]!;
    x[i]! /= L[i * size + i]!;
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) x[i]! -= L[k * size + i]! * x[k]!;
    x[i]! /= L[i * size + i]!;
  }
  return x;
}
