/** Votes into shares: who is for what, after ageing. Pure. */
import { levelFor, lowerBound } from './beta.ts';
import type { CandidateVotes, DefaultSettings, Stratum, Vote } from './types.ts';

const DAY_MS = 86_400_000;

/** Values that differ only in case, width or spacing are one value. */
export function sameValue(text: string): string {
  return text.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase();
}

/** Weight in (0, 1] of a vote at `at` when it is `now`: 2^(-age / half-life). Votes from the future count as new. */
export function ageWeight(at: number, now: number, settings: DefaultSettings): number {
  if (settings.halfLifeDays === null) return 1;
  return 0.5 ** (Math.max(0, now - at) / (settings.halfLifeDays * DAY_MS));
}

/** Whether a vote belongs to a stratum. */
export function isIn(vote: Vote, stratum: Stratum): boolean {
  return stratum.every(([name, value]) => conditionOf(vote.conditions, name) === value);
}

/** The value of a condition, null where there is none of that name. */
export function conditionOf(pairs: Stratum, name: string): string | null {
  return pairs.find(([own]) => own === name)?.[1] ?? null;
}

interface Sum extends CandidateVotes {
  key: string;
  said: number;
  silent: number;
}

export interface Tally {
  /** Most wanted first; ties in alphabetical order. */
  candidates: readonly CandidateVotes[];
  /** The first of them, unless nobody is for it. */
  top: CandidateVotes | null;
  confidence: number;
  sampleSize: number;
  failures: number;
  lastRefreshed: number | null;
}

/**
 * Counts the votes of one stratum. A value's `for` is what users said for it plus what silence adds, which is at most
 * `implicitShare` times as much: a default that nobody checks must not confirm itself. Failures are counted and weigh
 * nothing: they say where a value does not hold, not that nobody wants it.
 *
 * confidence = lower bound of top / (top + all other values + votes against top); 0 without votes.
 */
export function tally(votes: readonly Vote[], settings: DefaultSettings, now: number): Tally {
  const sums = new Map<string, Sum>();
  let [sampleSize, failures] = [0, 0];
  let lastRefreshed: number | null = null;
  for (const vote of votes) {
    if (vote.signal === 'failure') {
      failures++;
      continue;
    }
    const key = sameValue(vote.value);
    const known = sums.get(key);
    const sum = known ?? { key, value: '', docId: null, for: 0, against: 0, said: 0, silent: 0 };
    if (known === undefined) sums.set(key, sum);
    const weight = ageWeight(vote.at, now, settings);
    if (vote.signal === 'explicit_no') sum.against += weight;
    else if (vote.signal === 'explicit_yes') sum.said += weight;
    else sum.silent += weight * settings.implicitWeight;
    // Votes come in order: the newest spelling and document stand.
    sum.value = vote.value;
    sum.docId = vote.docId ?? sum.docId;
    sampleSize++;
    lastRefreshed = Math.max(lastRefreshed ?? 0, vote.at);
  }
  for (const sum of sums.values())
    sum.for = sum.said + Math.min(sum.silent, sum.said * settings.implicitShare);
  const ordered = [...sums.values()].sort((a, b) => b.for - a.for || (a.key < b.key ? -1 : 1));
  const candidates = ordered.map(({ value, docId, for: yes, against }) => ({
    value,
    docId,
    for: yes,
    against,
  }));
  const first = candidates[0];
  const top = first !== undefined && first.for > 0 ? first : null;
  const others = candidates.slice(1).reduce((total, candidate) => total + candidate.for, 0);
  const { firstDefault, applyAt } = settings;
  const level = firstDefault === null ? settings.level : levelFor(firstDefault, applyAt);
  const confidence = top === null ? 0 : lowerBound(top.for, others + top.against, level);
  return { candidates, top, confidence, sampleSize, failures, lastRefreshed };
}
