/** Value at `x`; writes the gradient into the second argument. */
type Objective = (x: Float64Array, gradient: Float64Array) => number;

const MEMORY = 10;
const STEPS = 500;
const FLAT = 1e-6;

/**
 * Where a smooth, strictly convex function is least, by L-BFGS (Nocedal and Wright 2006, algorithm 7.5) with step
 * halving; stops where the norm of the gradient is at most 1e-6 times the number of its parts, or when no step is
 * downhill to working precision. `precondition` applies about the inverse of the curvature. Deterministic.
 */
export function leastOf(
  from: Float64Array,
  objective: Objective,
  precondition: (gradient: Float64Array) => Float64Array,
): Float64Array {
  const size = from.length;
  let x = Float64Array.from(from);
  let gradient = new Float64Array(size);
  let value = objective(x, gradient);
  const flat = FLAT * size;
  const pairs: { s: Float64Array; y: Float64Array; rho: number }[] = [];
  for (let step = 0; step < STEPS && norm(gradient) > flat; step++) {
    const direction = descent(gradient, pairs, precondition);
    const slope = dot(direction, gradient);
    let scale = 1;
    const next = new Float64Array(size);
    const nextGradient = new Float64Array(size);
    let nextValue = Number.POSITIVE_INFINITY;
    for (; scale > 1e-12; scale /= 2) {
      for (let j = 0; j < size; j++) next[j] = x[j]! + scale * direction[j]!;
      nextValue = objective(next, nextGradient);
      if (nextValue <= value + 1e-4 * scale * slope) break;
    }
    if (!(nextValue < value)) return x;
    const s = next.map((each, j) => each - x[j]!);
    const y = nextGradient.map((each, j) => each - gradient[j]!);
    const curvature = dot(s, y);
    if (curvature > 0) pairs.push({ s, y, rho: 1 / curvature });
    if (pairs.length > MEMORY) pairs.shift();
    x = next;
    gradient = nextGradient;
    value = nextValue;
  }
  return x;
}

/** Minus the gradient through the inverse curvature that the last steps have shown. */
function descent(
  gradient: Float64Array,
  pairs: readonly { s: Float64Array; y: Float64Array; rho: number }[],
  precondition: (gradient: Float64Array) => Float64Array,
): Float64Array {
  const q = gradient.map((each) => -each);
  const alphas: number[] = [];
  for (const { s, y, rho } of [...pairs].reverse()) {
    const alpha = rho * dot(s, q);
    alphas.unshift(alpha);
    for (let j = 0; j < q.length; j++) q[j]! -= alpha * y[j]!;
  }
  const r = precondition(q);
  for (const [i, { s, y, rho }] of pairs.entries()) {
    const beta = rho * dot(y, r);
    for (let j = 0; j < r.length; j++) r[j]! += (alphas[i]! - beta) * s[j]!;
  }
  return r;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j]! * b[j]!;
  return sum;
}

function norm(a: Float64Array): number {
  return Math.sqrt(dot(a, a));
}
