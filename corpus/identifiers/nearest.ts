/** Optimal string alignment distance (insert, delete, replace, swap neighbours), at most `limit` + 1. */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, before[j - 2]! + 1);
      }
      row.push(cost);
    }
    before = previous;
    previous = row;
  }
  return Math.min(previous[b.length]!, limit + 1);
}

/**
 * How far two numberings are apart, for ordering: first by slips of the finger (edit distance of the numbers
 * written with equal width), then by the difference of the first numbers that differ.
 */
export function numberingDistance(a: readonly string[], b: readonly string[]): [slips: number, gap: number] {
  const width = Math.max(...a.map((g) => g.length), ...b.map((g) => g.length));
  const flat = (groups: readonly string[]): string => groups.map((g) => g.padStart(width, '0')).join('.');
  const slips = editDistance(flat(a), flat(b), 32);
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    if (a[i] !== b[i]) {
      const gap = Math.abs(Number.parseInt(a[i] ?? '0', 10) - Number.parseInt(b[i] ?? '0', 10));
      return [slips, Number.isFinite(gap) ? gap : Number.MAX_SAFE_INTEGER];
    }
  }
  return [slips, 0];
}
