/**
 * The measures of the information state, each one formula. Equation numbers are those of PassiveQA, section 3
 * (`shared/papers/000`). Null means that there was nothing to measure; it is never a 0.
 */

/**
 * Incompleteness, Eq. 2: I = |missing| / (|known| + |missing|), in [0, 1]; grows with `missing`, falls with `known`.
 * The paper counts every entity of the retrieved context as known (Eq. 4), so that reading more passages makes any
 * query complete. Here `known` counts what the query, its history and the user's replies name and the retrieved
 * context bears out.
 */
export function incompleteness(known: number, missing: number): number | null {
  return known + missing === 0 ? null : missing / (known + missing);
}

/** Resolution rate, Eq. 15: rho = |known| / (|known| + |missing|) = 1 - I, in [0, 1]. */
export function resolutionRate(known: number, missing: number): number | null {
  return known + missing === 0 ? null : known / (known + missing);
}

/** Confidence, Eq. 10: Conf = max over passages of sim(q, d), in [0, 1]; sim is the cross-encoder's relevance. */
export function confidence(relevances: readonly (number | null)[]): number | null {
  const scored = relevances.filter((score) => score !== null);
  return scored.length === 0 ? null : Math.max(...scored);
}

/**
 * Coverage, Eq. 11: |terms(q) and terms(D)| / |terms(q)|, in [0, 1]: the share of the query's terms that some
 * retrieved passage holds. Not to be taken for the share that the whole corpus knows, which the gates look at.
 */
export function coverage(
  terms: ReadonlySet<string>,
  retrieved: readonly ReadonlySet<string>[],
): number | null {
  if (terms.size === 0) return null;
  let held = 0;
  for (const term of terms) if (retrieved.some((passage) => passage.has(term))) held += 1;
  return held / terms.size;
}

/** Ambiguity, Eq. 12: Amb = (1/K) * sum of h_k, the mean of the heuristics, in [0, 1]. */
export function ambiguity(signals: Readonly<Record<string, number>>): number {
  const values = Object.values(signals);
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * The paper's conflict, Eq. 13: 1 - 2 / (k (k - 1)) * sum over pairs of cos(e_i, e_j). It measures how far the
 * passages' topics spread, not whether they contradict each other, and is kept for comparison. A mean cosine below 0
 * counts as 0, so that the result is in [0, 1]. Null for fewer than two vectors or one of length zero.
 */
export function cosineConflict(vectors: readonly Float32Array[]): number | null {
  const k = vectors.length;
  if (k < 2) return null;
  const dimension = vectors[0]!.length;
  // The sum over pairs of unit vectors' products is (|sum|^2 - k) / 2.
  const sum = new Float64Array(dimension);
  for (const vector of vectors) {
    let square = 0;
    for (let i = 0; i < dimension; i += 1) square += vector[i]! * vector[i]!;
    const length = Math.sqrt(square);
    if (!(length > 0)) return null;
    for (let i = 0; i < dimension; i += 1) sum[i]! += vector[i]! / length;
  }
  let square = 0;
  for (const value of sum) square += value * value;
  return Math.min(1, Math.max(0, 1 - (square - k) / (k * (k - 1))));
}

/**
 * Joint answerability, Eq. 14: A = Conf * Coverage * (1 - Amb) * (1 - Conflict), in [0, 1]; any factor near zero
 * takes A with it. Conflict is contradiction (C of the signals), not the cosine form. Null when a factor is.
 */
export function answerability(factors: {
  confidence: number | null;
  coverage: number | null;
  ambiguity: number;
  conflict: number | null;
}): number | null {
  const { confidence: conf, coverage: cover, ambiguity: amb, conflict } = factors;
  if (conf === null || cover === null || conflict === null) return null;
  return conf * cover * (1 - amb) * (1 - conflict);
}

/**
 * Expected gain in resolution of asking for one variable, Eq. 16: IG = E[rho(t+1) - rho(t)]. A reply, given with
 * probability `replied`, moves `resolves` variables from missing to known: IG = replied * resolves / (|known| +
 * |missing|), in [0, 1]. Null when nothing is known and nothing missing.
 */
export function expectedResolution(
  known: number,
  missing: number,
  resolves: number,
  replied: number,
): number | null {
  if (known + missing === 0) return null;
  return (replied * Math.min(resolves, missing)) / (known + missing);
}
