/**
 * Selective prediction: what is lost when only the least uncertain items are answered.
 *
 * Ties. Items with equal uncertainty cannot be told apart by any threshold, so inside a tie the loss is spread
 * evenly (the expectation over all orders of the tied items). No figure depends on the order of the input.
 * An item without uncertainty (null) is answered after all others: it stays in every denominator.
 */
export interface SelectiveItem {
  /** The lower, the sooner it is answered; null where nothing could be measured. Finite. */
  uncertainty: number | null;
  /** Loss in [0, 1] when this item is answered (for exact match: 1 - EM). */
  loss: number;
}

/** `risk`: mean loss of the items answered; `generalised`: their summed loss over all items. */
export interface RiskPoint {
  coverage: number;
  risk: number;
  generalised: number;
}

/** The curve at coverages 1/n, 2/n, … 1. */
export function riskCoverage(items: readonly SelectiveItem[]): RiskPoint[] {
  const n = items.length;
  return Array.from(cumulativeLoss(items), (lost, place) => ({
    coverage: (place + 1) / n,
    risk: lost / (place + 1),
    generalised: lost / n,
  }));
}

/** Area under the risk-coverage curve: mean of the risk at coverages 1/n … 1 (Geifman and El-Yaniv 2017). Null without items. */
export function aurc(items: readonly SelectiveItem[]): number | null {
  if (items.length === 0) return null;
  const lost = cumulativeLoss(items);
  return lost.reduce((sum, value, place) => sum + value / (place + 1), 0) / items.length;
}

/** AURC less the AURC of the best order that these losses allow (Geifman et al. 2019): what ranking alone costs. */
export function excessAurc(items: readonly SelectiveItem[]): number | null {
  const own = aurc(items);
  const best = aurc(items.map(({ loss }) => ({ loss, uncertainty: loss })));
  return own === null || best === null ? null : own - best;
}

/**
 * Area under the generalised-risk-coverage curve (Traub et al. 2024), by the trapezoid rule from coverage 0:
 * the chance that an answered item is wrong, averaged over coverages. All tied: half the error rate.
 */
export function augrc(items: readonly SelectiveItem[]): number | null {
  const n = items.length;
  if (n === 0) return null;
  const lost = cumulativeLoss(items);
  const total = lost[n - 1]!;
  return (lost.reduce((sum, value) => sum + value, 0) - total / 2) / (n * n);
}

/**
 * Mean loss of the `round(coverage * n)` least uncertain items (at least one), ties spread evenly. `threshold` is
 * the uncertainty of the last one, null when it has none; `tied`: how many items have exactly that uncertainty.
 */
export function riskAtCoverage(
  items: readonly SelectiveItem[],
  coverage: number,
): { risk: number; answered: number; threshold: number | null; tied: number } | null {
  if (items.length === 0) return null;
  const answered = Math.min(items.length, Math.max(1, Math.round(coverage * items.length)));
  const sorted = inOrder(items);
  const threshold = sorted[answered - 1]!.uncertainty;
  return {
    risk: cumulativeLoss(items)[answered - 1]! / answered,
    answered,
    threshold,
    tied: items.filter((item) => item.uncertainty === threshold).length,
  };
}

/** Summed (expected) loss of the first 1, 2, … n items in order of uncertainty. */
function cumulativeLoss(items: readonly SelectiveItem[]): Float64Array {
  const sorted = inOrder(items);
  const sums = new Float64Array(sorted.length);
  let lost = 0;
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    let inTie = 0;
    while (end < sorted.length && sorted[end]!.uncertainty === sorted[start]!.uncertainty)
      inTie += sorted[end++]!.loss;
    const size = end - start;
    for (let i = start; i < end; i++) sums[i] = lost + (inTie * (i - start + 1)) / size;
    lost += inTie;
    start = end;
  }
  return sums;
}

function inOrder(items: readonly SelectiveItem[]): SelectiveItem[] {
  checkItems(items);
  return [...items].sort((a, b) => (a.uncertainty ?? Infinity) - (b.uncertainty ?? Infinity) || 0);
}

/** Throws RangeError for an uncertainty that is neither finite nor null, and a loss outside [0, 1]. */
export function checkItems(items: readonly SelectiveItem[]): void {
  for (const { uncertainty, loss } of items) {
    if (uncertainty !== null && !Number.isFinite(uncertainty))
      throw new RangeError('uncertainty must be finite or null');
    if (!(loss >= 0 && loss <= 1)) throw new RangeError(`loss must lie in [0, 1], not ${loss}`);
  }
}
