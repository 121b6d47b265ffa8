import { chanceOfFewer } from '../thresholds/conformal.ts';
import { proportion, wrongAmong } from './estimates.ts';
import type { Graded } from './graded.ts';
import type { Check, Promised, Proportion, Verdict } from './types.ts';

type Pool = Promised['pools'][number];

/**
 * Realised against promised, pool by pool. A pool's promise is about all its queries held to its own thresholds,
 * whichever acts borrow them; that is what is looked at here. Intervals are Clopper and Pearson's at `level`, which
 * count examples as independent: questions on one document are less spread than that.
 */
export function checksOf(items: readonly Graded[], promised: Promised | null, level: number): Check[] {
  if (promised === null) return [];
  return promised.pools.flatMap(({ acts, tau, askUpTo, rank }) => {
    const own = acts === 'everything' ? items : items.filter(({ act }) => act !== null && acts.includes(act));
    const pool = acts === 'everything' ? 'everything' : acts.join(' + ');
    const answered = tau === null ? [] : own.filter(({ open, U }) => open && U !== null && U <= tau);
    const checks: Check[] = [];
    const add = (about: Check['about'], bar: string, realised: Proportion) =>
      checks.push({
        pool,
        about,
        level: bar,
        tau,
        realised,
        verdict: verdictOf(about, Number(bar), realised, about === 'coverage' ? rank : undefined),
      });
    if (tau !== null) {
      if (promised.target === 'coverage')
        add('coverage', promised.level, proportion(answered.length, own.length, level));
      else add('risk', promised.level, wrongAmong(answered, level));
    }
    if (askUpTo !== null && promised.ask !== null) add('silence', promised.ask, silence(own, askUpTo, level));
    return checks;
  });
}

/** Of those known to be answerable: ended in ABSTAIN, because a gate closed that does not ask or U lies above the bar. */
function silence(items: readonly Graded[], askUpTo: number, level: number): Proportion {
  const known = items.filter(({ answerable }) => answerable === true);
  const silent = known.filter(({ open, U, action, observation }) =>
    open && U !== null ? U > askUpTo : observation.closed === null || action !== 'ASK',
  );
  return proportion(silent.length, known.length, level);
}

/** Least chance at which a coverage that falls short is taken for chance: as for either limit of a 95 % interval. */
const CHANCE = 0.025;

function verdictOf(
  about: Check['about'],
  bar: number,
  { k, of, value, exact }: Proportion,
  rank: Pool['rank'],
): Verdict {
  if (of === 0 || value === null || exact === null) return 'nothing-to-check';
  const kept = about === 'coverage' ? value >= bar : value <= bar;
  if (kept) return 'kept';
  const reached = about === 'coverage' ? exact.high >= bar : exact.low <= bar;
  if (!reached && rank !== undefined && chanceOfFewer(rank, k, of) >= CHANCE) return 'within-noise';
  return reached ? 'within-noise' : 'broken';
}
