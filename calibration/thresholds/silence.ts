import { asNumber, type Fraction, type Level } from '../levels/level.ts';
import { scoreFor } from './answered.ts';
import { documentsToWin, logCapital, wins } from './bets.ts';
import { floorWithoutErrors } from './binomial.ts';
import { ascending, countUpTo } from './conformal.ts';
import { documentsOf } from './documents.ts';
import { mostErrors, quantiles } from './plan.ts';
import { bestBet } from './plan-documents.ts';
import type { Scored, SilenceThreshold } from './types.ts';

/**
 * The lowest bar up to which the router asks back, so that of the answerable queries at most `level` end in ABSTAIN.
 * Silence only falls as the bar rises, so no grid is needed: the bar is the k-th smallest uncertainty of the n
 * answerable examples, n - k the most silences that the exact binomial test allows. P(Binomial(n, level) <= n - k) is
 * the chance that a k-th smallest lies where more than `level` are silent (a one-sided tolerance limit, Wilks 1941):
 * at most delta over the drawing of the examples. Examples that ask back at their gate are never silent, others with a
 * closed gate always are.
 */
export function silenceThreshold(given: readonly Scored[], level: Level, delta: Fraction): SilenceThreshold {
  const items = given.map(onItsScale);
  const sorted = ascending(items.filter(isAnswerable).map(silentAbove));
  const n = sorted.length;
  const closed = sorted.filter((score) => score === Infinity).length;
  const allowed = mostErrors(n, level, delta);
  const missing = { n, k: n - Math.max(0, allowed), askUpTo: null, silent: closed, delta, documents: null };
  if (allowed < 0) return { ...missing, why: 'too-few', needed: floorWithoutErrors(level, delta) - n };
  const k = n - allowed;
  const askUpTo = sorted[k - 1] ?? 0;
  if (askUpTo === Infinity) return { ...missing, why: 'gates', needed: null };
  const silent = sorted.filter((score) => score > askUpTo).length;
  return { n, k, askUpTo, why: 'reached', needed: 0, silent, delta, documents: null };
}

/**
 * The same where documents are exchangeable: of each document's answerable queries the share that ends in silence, on
 * average over documents at most `level`. Bars are tried from lax to strict, those of the tune split, each by a bet on
 * these shares with the stake that the tune split says (see `bets.ts`); the last before the first that fails holds.
 * Silence at most grows as the bar falls, so that a bar which holds makes all above it hold. `scale`: calibration
 * documents for each tune document. Where no document has two answerable examples, `silenceThreshold` is exact and used.
 */
export function silenceByDocument(
  given: readonly Scored[],
  givenTune: readonly Scored[],
  scale: number,
  level: Level,
  delta: Fraction,
): SilenceThreshold {
  const [items, tune] = [given.map(onItsScale), givenTune.map(onItsScale)];
  const own = silentScores(items);
  const shareOf = (documents: readonly number[][], bar: number) =>
    documents.map((scores) => 1 - countUpTo(scores, bar) / scores.length);
  const exact = silenceThreshold(items, level, delta);
  const mean = (bar: number) => {
    const shares = shareOf(own, bar);
    return shares.length === 0 ? null : shares.reduce((sum, each) => sum + each, 0) / shares.length;
  };
  if (own.every(({ length }) => length === 1)) {
    const documents = { n: own.length, share: mean(exact.askUpTo ?? 1) };
    return { ...exact, documents };
  }
  const planned = silentScores(tune);
  const bars = [...new Set([1, ...quantiles(tune.filter(isAnswerable)).reverse()])];
  const logs = bars.map((bar) =>
    logCapital(shareOf(own, bar), asNumber(level), bestBet(shareOf(planned, bar), scale, level, delta).stake),
  );
  const failed = logs.findIndex((log) => !wins(log, asNumber(delta)));
  const passed = failed === -1 ? bars.length : failed;
  const askUpTo = passed === 0 ? null : bars[passed - 1]!;
  const scores = own.flat();
  const silent = scores.filter((score) => score > (askUpTo ?? 1)).length;
  const found = {
    n: exact.n,
    k: exact.n - silent,
    silent,
    delta,
    documents: { n: own.length, share: mean(askUpTo ?? 1) },
  };
  if (askUpTo !== null) return { ...found, askUpTo, why: 'reached', needed: 0 };
  const growth = own.length === 0 ? null : logs[0]! / own.length;
  const wanted = growth === null ? floorWithoutErrors(level, delta) : documentsToWin(growth, asNumber(delta));
  const needed = wanted === null ? null : Math.max(1, wanted - own.length);
  return { ...found, askUpTo: null, why: needed === null ? 'gates' : 'too-few', needed };
}

/**
 * With what the bar is held against in place of U. An answer is no silence whatever its number says; here it counts as
 * one above the bar, because tau is not fixed beforehand: the promise errs on the safe side.
 */
function onItsScale(item: Scored): Scored {
  return item.silence == null || item.U === null ? item : { ...item, U: item.silence };
}

const isAnswerable = ({ answerable }: Scored) => answerable === true;

/** The bar below which a query ends in silence. */
function silentAbove(item: Scored): number {
  return item.asked ? 0 : scoreFor(item);
}

/** Of each document with answerable examples, ascending. */
function silentScores(items: readonly Scored[]): number[][] {
  return documentsOf(items.filter(isAnswerable)).map((own) => ascending(own.map(silentAbove)));
}
