/** Where several places answer one question differently: few are shown side by side, of many it is asked which is meant. Pure. */

import { list, quoted } from '../common/index.ts';
import { MOST_PLACES, type Place, spanPlaces } from './answer/index.ts';
import type { Reason } from './contracts.ts';
import type { Outcome } from './decision/index.ts';
import type { Parts, Trail } from './trail.ts';

/** Questions back that a list of what each place says makes needless. */
const SETTLED: ReadonlySet<Reason> = new Set(['CONFLICTING_EVIDENCE', 'BRANCHES_DISAGREE', 'UNCERTAIN']);
const NAMED = 3;

/**
 * The outcome, as a list of what each place says where two to four answer differently, or as a question back where more do and
 * one of them would have been given for all. Where something is promised, or another decides, it stays: a promise is about
 * spans. So it does where defaults are learned: which one a person means is what is asked once and learned.
 */
export function byPlaces(outcome: Outcome, trail: Trail, { thresholds, decider, habits }: Parts): Outcome {
  const { action, clarification, answer: _, passage: __, ...rest } = outcome;
  if (habits !== null) return outcome;
  if (thresholds.passages === undefined || decider !== 'thresholds' || outcome.definition !== undefined)
    return outcome;
  if (action !== 'ANSWER' && !(clarification !== undefined && SETTLED.has(clarification.reason)))
    return outcome;
  const entries = trail.entries.length > 1;
  const places = entries ? trail.entries : spanPlaces(trail.query, trail.act.label, trail);
  if (places.length < 2) return outcome;
  if (places.length <= MOST_PLACES) return { ...rest, action: 'ANSWER', places };
  if (action !== 'ANSWER') return outcome;
  if (entries) return { ...outcome, caveats: [...outcome.caveats, others(places)] };
  return { ...rest, action: 'ASK', clarification: whichOf(places) };
}

function others(places: readonly Place[]): string {
  return `The documents explain this in ${places.length} places, and not alike; one is shown.`;
}

function whichOf(places: readonly Place[]): NonNullable<Outcome['clarification']> {
  const suggestions = places.slice(0, NAMED).map(({ name }) => name);
  const message =
    `The documents answer this differently for ${places.length} things. ` +
    `Which one is it about: ${list(suggestions.map(quoted), 'or')}, or another?`;
  return { reason: 'UNDERSPECIFIED', message, suggestions };
}
