/** Entropy in bits of weights that need not sum to one; 0 for none. */
export function entropy(weights: Iterable<number>): number {
  const positive = [...weights].filter((weight) => weight > 0);
  const total = positive.reduce((sum, weight) => sum + weight, 0);
  let bits = 0;
  for (const weight of positive) bits -= (weight / total) * Math.log2(weight / total);
  return Math.max(0, bits);
}

/**
 * Expected information gain of asking for a variable, in bits: how much a reply is expected to tell about which answer
 * is meant,
 *
 *   G = H(answer) - sum over values v of P(v) H(answer | v),
 *
 * in [0, H(answer)]. Each voice has its probability, its answer and its cell: the value that the reply would have if
 * that voice were the one meant; null is the cell of "none of these". Splitting a cell never lowers G, and a variable
 * whose values go across the answers has G = 0. The paper maximises the change of its resolution rate (Eq. 16), which
 * is the same for every variable; this says which of them would split the evidence best.
 */
export function expectedGain(voices: readonly { p: number; answer: number; cell: string | null }[]): number {
  const answers = new Map<number, number>();
  const cells = new Map<string | null, Map<number, number>>();
  let total = 0;
  for (const { p, answer, cell } of voices) {
    if (!(p > 0)) continue;
    total += p;
    answers.set(answer, (answers.get(answer) ?? 0) + p);
    const within = cells.get(cell) ?? new Map<number, number>();
    within.set(answer, (within.get(answer) ?? 0) + p);
    cells.set(cell, within);
  }
  let left = 0;
  for (const within of cells.values()) {
    const mass = [...within.values()].reduce((sum, p) => sum + p, 0);
    left += (mass / total) * entropy(within.values());
  }
  return Math.max(0, entropy(answers.values()) - left);
}
