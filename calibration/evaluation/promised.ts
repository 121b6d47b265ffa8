import type { CalibrationArtifact } from '../artifact/schema.ts';
import { parseLevel } from '../levels/level.ts';
import { rank } from '../thresholds/conformal.ts';
import type { Promised } from './types.ts';

/** What an artifact promises: each pool once, with the thresholds that acts have from it. */
export function promisedBy({
  target,
  level,
  delta,
  askLevel,
  exchangeable,
  acts,
}: CalibrationArtifact): Promised {
  const pools = new Map<string, Promised['pools'][number]>();
  const poolOf = (names: Promised['pools'][number]['acts']) => {
    const key = JSON.stringify(names);
    const known = pools.get(key) ?? { acts: names, tau: null, askUpTo: null };
    pools.set(key, known);
    return known;
  };
  for (const row of acts) {
    if (row.pool !== null && row.tau !== null) {
      const { coverage } = row.pool;
      const pool = poolOf(row.pool.acts);
      pool.tau = row.tau;
      if (coverage?.documents != null) {
        const { n } = coverage.documents;
        pool.rank = { n, k: rank(n, parseLevel(level)) };
      } else if (coverage !== undefined) pool.rank = { n: coverage.n, k: coverage.k };
    }
    // The pool's own bar, which the acts that share it may each have raised to a tau of theirs.
    const bar = row.askPool?.silence?.askUpTo ?? null;
    if (row.askPool !== null && bar !== null) poolOf(row.askPool.acts).askUpTo = bar;
  }
  return { target, level, delta, ask: askLevel, exchangeable, pools: [...pools.values()] };
}
