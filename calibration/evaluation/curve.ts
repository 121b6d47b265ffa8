import type { Graded } from './graded.ts';
import type { CurvePoint } from './types.ts';

/** An example with its place in an order: the lower, the sooner; null: last. */
export interface Placed {
  item: Graded;
  uncertainty: number | null;
}

const STEPS = Array.from({ length: 100 }, (_, i) => (i + 1) / 100);

/** The curves of a ranking at 1 %, 2 %, … 100 % of all examples (each step once where there are fewer than 100). */
export function curveOf(placed: readonly Placed[]): CurvePoint[] {
  const n = placed.length;
  const steps = n < STEPS.length ? Array.from({ length: n }, (_, i) => (i + 1) / n) : STEPS;
  const shares = (value: (item: Graded) => number | null) => sharesAt(placed, value, steps);
  const risk = shares(({ wrong }) => (wrong === null ? null : wrong ? 1 : 0));
  const riskEm = shares(({ em }) => (em === null ? null : 1 - em));
  const riskF1 = shares(({ f1 }) => (f1 === null ? null : 1 - f1));
  const tokens = shares((item) => item.tokens);
  const entailment = shares((item) => item.entailment);
  return steps.map((coverage, i) => ({
    coverage,
    risk: risk[i] ?? null,
    riskEm: riskEm[i] ?? null,
    riskF1: riskF1[i] ?? null,
    unsupportedTokens: tokens[i] ?? null,
    unsupportedEntailment: entailment[i] ?? null,
  }));
}

/**
 * Mean of `value` over the least uncertain share of all examples, for each share: over those of them whose value is
 * known, ties spread evenly. Null where none is known. With every value known it is the risk at that coverage.
 */
export function sharesAt(
  placed: readonly Placed[],
  value: (item: Graded) => number | null,
  coverages: readonly number[],
): (number | null)[] {
  const sorted = placed
    .map(({ item, uncertainty }) => ({ at: uncertainty ?? Number.POSITIVE_INFINITY, value: value(item) }))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const n = sorted.length;
  const sums = new Float64Array(n + 1);
  const known = new Float64Array(n + 1);
  for (let start = 0; start < n; ) {
    let end = start;
    let [sum, count] = [0, 0];
    while (end < n && sorted[end]!.at === sorted[start]!.at) {
      const own = sorted[end++]!.value;
      if (own === null) continue;
      sum += own;
      count++;
    }
    for (let i = start; i < end; i++) {
      const part = (i - start + 1) / (end - start);
      sums[i + 1] = sums[start]! + sum * part;
      known[i + 1] = known[start]! + count * part;
    }
    start = end;
  }
  return coverages.map((coverage) => {
    const answered = Math.min(n, Math.max(1, Math.round(coverage * n)));
    return n === 0 || known[answered]! === 0 ? null : sums[answered]! / known[answered]!;
  });
}
