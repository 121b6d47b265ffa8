/**
 * Which fold each item belongs to, whole groups together. Groups go, largest first (then by name), to the fold that
 * holds least so far: deterministic and independent of the order of the items. At most `wanted` folds, fewer when
 * there are fewer groups.
 */
export function foldsOf(
  items: readonly { group: string }[],
  wanted: number,
): { folds: number; foldOf: Int32Array } {
  const sizes = new Map<string, number>();
  for (const { group } of items) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  const folds = Math.min(wanted, sizes.size);
  const held = new Array<number>(folds).fill(0);
  const place = new Map<string, number>();
  for (const [group, size] of [...sizes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))) {
    const fold = held.indexOf(Math.min(...held));
    held[fold]! += size;
    place.set(group, fold);
  }
  return { folds, foldOf: Int32Array.from(items, ({ group }) => place.get(group)!) };
}
