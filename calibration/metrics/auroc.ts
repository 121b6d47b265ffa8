/**
 * How often an item that is positive has the higher score than one that is not, a tie half, in [0, 1]: area under the
 * ROC curve by ranks (Mann and Whitney 1947), tied scores sharing the mean of their ranks. Null when there are not both.
 */
export function auroc(items: readonly { score: number; positive: boolean }[]): number | null {
  const order = [...items].sort((a, b) => a.score - b.score);
  let [ranks, positives] = [0, 0];
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to < order.length && order[to]!.score === order[from]!.score) to++;
    for (const { positive } of order.slice(from, to)) {
      if (!positive) continue;
      positives++;
      ranks += (from + 1 + to) / 2;
    }
    from = to;
  }
  const negatives = order.length - positives;
  if (positives === 0 || negatives === 0) return null;
  return (ranks - (positives * (positives + 1)) / 2) / (positives * negatives);
}
