import { grouped } from '../../calibration/index.ts';
import { type Random, sortedByChance } from '../../common/index.ts';

/** Groups by turns, in random order, and so the queries of each. */
export function inTurn<T extends { group: string }>(queries: readonly T[], random: Random): T[] {
  const groups = sortedByChance(
    grouped(queries, ({ group }) => group),
    random,
  ).map((own) => sortedByChance(own, random));
  const longest = Math.max(0, ...groups.map((own) => own.length));
  return Array.from({ length: longest }, (_, round) => groups.flatMap((own) => own[round] ?? [])).flat();
}
