import { grouped, type Random } from '../../calibration/index.ts';

/** Groups by turns, in random order, and so the queries of each. */
export function inTurn<T extends { group: string }>(queries: readonly T[], random: Random): T[] {
  const groups = shuffled(
    grouped(queries, ({ group }) => group),
    random,
  ).map((own) => shuffled(own, random));
  const longest = Math.max(0, ...groups.map((own) => own.length));
  return Array.from({ length: longest }, (_, round) => groups.flatMap((own) => own[round] ?? [])).flat();
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
