import type { Fraction, Level } from '../levels/level.ts';
import { scoreFor } from './answered.ts';
import { floorWithoutErrors } from './binomial.ts';
import { ascending } from './conformal.ts';
import { mostErrors } from './plan.ts';
import type { Scored, SilenceThreshold } from './types.ts';

/**
 * The lowest bar up to which the router asks back, so that of the answerable queries at most `level` end in ABSTAIN.
 * Silence only falls as the bar rises, so no grid is needed: the bar is the k-th smallest uncertainty of the n
 * answerable examples, n - k the most silences that the exact binomial test allows. P(Binomial(n, level) <= n - k) is
 * the chance that a k-th smallest lies where more than `level` are silent (a one-sided tolerance limit, Wilks 1941):
 * at most delta over the drawing of the examples. Examples that ask back at their gate are never silent, others with a
 * closed gate always are.
 */
export function silenceThreshold(items: readonly Scored[], level: Level, delta: Fraction): SilenceThreshold {
  const sorted = ascending(
    items.filter(({ answerable }) => answerable === true).map((item) => (item.asked ? 0 : scoreFor(item))),
  );
  const n = sorted.length;
  const closed = sorted.filter((score) => score === Infinity).length;
  const allowed = mostErrors(n, level, delta);
  const missing = { n, k: n - Math.max(0, allowed), askUpTo: null, silent: closed, delta };
  if (allowed < 0) return { ...missing, why: 'too-few', needed: floorWithoutErrors(level, delta) - n };
  const k = n - allowed;
  const askUpTo = sorted[k - 1] ?? 0;
  if (askUpTo === Infinity) return { ...missing, why: 'gates', needed: null };
  const silent = sorted.filter((score) => score > askUpTo).length;
  return { n, k, askUpTo, why: 'reached', needed: 0, silent, delta };
}
