interface Knot {
  x: number;
  y: number;
}

/**
 * A rising map from predictions to frequencies by pooling adjacent violators (Ayer et al. 1955): knots at the mean
 * prediction and mean outcome of each pool, and (0, 0) and (1, 1) at the ends. Outcomes are softened as in Platt (1999),
 * (r+1)/(r+2) for right and 1/(w+2) for wrong, so that no pool says 0 or 1. Between knots the map is meant to be
 * linear, and it rises strictly: it never makes a tie or changes an order.
 * `predictions` in [0, 1]; throws RangeError for any other, or without items.
 */
export function isotonicMap(predictions: readonly number[], right: readonly boolean[]): Knot[] {
  if (predictions.length === 0 || predictions.length !== right.length) {
    throw new RangeError('as many outcomes as predictions are needed, and at least one');
  }
  if (!predictions.every((p) => p >= 0 && p <= 1)) throw new RangeError('predictions lie in [0, 1]');
  const rights = right.filter(Boolean).length;
  const softened = { right: (rights + 1) / (rights + 2), wrong: 1 / (right.length - rights + 2) };
  const pools: { n: number; x: number; y: number }[] = [];
  const order = predictions.map((_, i) => i).sort((a, b) => predictions[a]! - predictions[b]!);
  for (const [place, i] of order.entries()) {
    const own = { n: 1, x: predictions[i]!, y: right[i] ? softened.right : softened.wrong };
    // Equal predictions are one point, whatever their outcomes.
    if (place > 0 && predictions[order[place - 1]!] === predictions[i]) join(pools.at(-1)!, own);
    else pools.push(own);
    const next = order[place + 1];
    if (next !== undefined && predictions[next] === predictions[i]) continue;
    while (pools.length > 1 && pools.at(-2)!.y >= pools.at(-1)!.y) {
      const last = pools.pop()!;
      join(pools.at(-1)!, last);
    }
  }
  const inner = pools.map(({ x, y }) => ({ x: rounded(x), y: rounded(y) }));
  const knots = [{ x: 0, y: 0 }, ...inner, { x: 1, y: 1 }];
  return knots.filter((knot, place) => {
    const before = knots[place - 1];
    const isEnd = place === 0 || place === knots.length - 1;
    return isEnd || (knot.x > before!.x && knot.y > before!.y && knot.x < 1 && knot.y < 1);
  });
}

function join(pool: { n: number; x: number; y: number }, more: { n: number; x: number; y: number }): void {
  const n = pool.n + more.n;
  pool.x = (pool.x * pool.n + more.x * more.n) / n;
  pool.y = (pool.y * pool.n + more.y * more.n) / n;
  pool.n = n;
}

function rounded(value: number): number {
  return Number(value.toFixed(6));
}
