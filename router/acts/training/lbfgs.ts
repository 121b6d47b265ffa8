/** Limited-memory BFGS (Liu and Nocedal 1989) for smooth convex functions; deterministic. */

/** Returns the value at `x` and writes the gradient into `gradient`. */
type Objective = (x: Float64Array, gradient: Float64Array) => number;

const MEMORY = 7;
const ARMIJO = 1e-4;

/** Minimises in place, from what `x` holds, and returns the number of iterations and the value reached. */
export function minimise(
  objective: Objective,
  x: Float64Array,
  options: { iterations: number; tolerance: number },
): { iterations: number; value: number } {
  const n = x.length;
  const gradient = new Float64Array(n);
  let value = objective(x, gradient);
  const steps: { s: Float64Array; y: Float64Array; rho: number }[] = [];
  const next = new Float64Array(n);
  const nextGradient = new Float64Array(n);

  for (let iteration = 0; iteration < options.iterations; iteration++) {
    const direction = descent(gradient, steps);
    const slope = dot(direction, gradient);
    let step = iteration === 0 ? 1 / Math.max(1, Math.sqrt(dot(gradient, gradient))) : 1;
    let reached = value;
    for (let tries = 0; tries < 30; tries++, step /= 2) {
      for (let i = 0; i < n; i++) next[i] = x[i]! + step * direction[i]!;
      reached = objective(next, nextGradient);
      if (reached <= value + ARMIJO * step * slope) break;
    }
    if (!(reached < value)) return { iterations: iteration, value };

    const s = new Float64Array(n);
    const y = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      s[i] = next[i]! - x[i]!;
      y[i] = nextGradient[i]! - gradient[i]!;
    }
    const curvature = dot(s, y);
    if (curvature > 1e-12) {
      steps.push({ s, y, rho: 1 / curvature });
      if (steps.length > MEMORY) steps.shift();
    }
    const gain = (value - reached) / Math.max(1, Math.abs(value));
    x.set(next);
    gradient.set(nextGradient);
    value = reached;
    if (gain < options.tolerance) return { iterations: iteration + 1, value };
  }
  return { iterations: options.iterations, value };
}

/** The two-loop recursion: minus the approximate inverse Hessian times the gradient. */
function descent(gradient: Float64Array, steps: { s: Float64Array; y: Float64Array; rho: number }[]) {
  const q = gradient.slice();
  const alphas: number[] = [];
  for (const { s, y, rho } of steps.toReversed()) {
    const alpha = rho * dot(s, q);
    alphas.push(alpha);
    add(q, y, -alpha);
  }
  const last = steps.at(-1);
  const scale = last ? 1 / (last.rho * dot(last.y, last.y)) : 1;
  for (let i = 0; i < q.length; i++) q[i]! *= scale;
  for (const { s, y, rho } of steps) add(q, s, alphas.pop()! - rho * dot(y, q));
  for (let i = 0; i < q.length; i++) q[i] = -q[i]!;
  return q;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function add(a: Float64Array, b: Float64Array, factor: number): void {
  for (let i = 0; i < a.length; i++) a[i]! += factor * b[i]!;
}
