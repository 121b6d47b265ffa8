/** Which sub-conditions a default depends on, found after it failed or was disputed. Pure. */
import { logGamma } from './log-gamma.ts';
import { ageWeight, conditionOf, sameValue } from './tally.ts';
import type { DefaultSettings, Stratum, Vote } from './types.ts';

/** What a vote says: this value, or not this value. A failure says the second as a rejection does. */
function outcomeOf(vote: Vote): string {
  const holds = vote.signal === 'explicit_yes' || vote.signal === 'implicit_ok';
  return `${holds ? '+' : '-'}${sameValue(vote.value)}`;
}

type Counts = Map<string, number>;

const add = (counts: Counts, outcome: string, weight: number) =>
  counts.set(outcome, (counts.get(outcome) ?? 0) + weight);

/**
 * Log of the probability of counts under a share drawn from Dirichlet(1/2, ..., 1/2) over `outcomes` outcomes:
 * lnG(K/2) - lnG(n + K/2) + sum of lnG(n_k + 1/2) - lnG(1/2).
 */
function logEvidence(counts: Counts, outcomes: number): number {
  let total = 0;
  let sum = 0;
  for (const count of counts.values()) {
    total += count;
    sum += logGamma(count + 0.5) - logGamma(0.5);
  }
  return sum + logGamma(outcomes / 2) - logGamma(total + outcomes / 2);
}

/** Weight of what speaks against the value that most votes are for: failures, rejections, votes for others. */
function doubtOf(counts: Counts): number {
  let [best, total] = [0, 0];
  for (const [outcome, count] of counts) {
    total += count;
    if (outcome.startsWith('+')) best = Math.max(best, count);
  }
  return total - best;
}

/**
 * The condition by which these votes are best told apart, or null. Looked for once failures and disagreement weigh
 * `split.doubt`, and taken when the votes are `split.evidence` times as probable with a share for each of its values
 * as with one share for all (a Bayes factor), times the number of conditions tried: a condition that is there by
 * chance hardly ever gets that far. Votes without the condition are a group of their own.
 */
function splitOf(votes: readonly Vote[], settings: DefaultSettings, now: number): string | null {
  const all: Counts = new Map();
  const outcomes = new Map<string, string>();
  const weighed = votes.map((vote) => {
    const weight = ageWeight(vote.at, now, settings);
    // Few different values stand in many votes.
    const written = `${vote.signal} ${vote.value}`;
    const outcome = outcomes.get(written) ?? outcomeOf(vote);
    outcomes.set(written, outcome);
    return {
      vote,
      outcome,
      weight: vote.signal === 'implicit_ok' ? weight * settings.implicitWeight : weight,
    };
  });
  for (const { outcome, weight } of weighed) add(all, outcome, weight);
  if (doubtOf(all) < settings.split.doubt) return null;

  const together = logEvidence(all, all.size);
  const names = new Set(votes.flatMap((vote) => vote.conditions.map(([name]) => name)));
  let best: { name: string; gain: number } | null = null;
  for (const name of [...names].sort()) {
    const groups = new Map<string | null, Counts>();
    for (const { vote, outcome, weight } of weighed) {
      const group = conditionOf(vote.conditions, name);
      const counts = groups.get(group) ?? new Map<string, number>();
      groups.set(group, counts);
      add(counts, outcome, weight);
    }
    if (groups.size < 2) continue;
    let apart = 0;
    for (const counts of groups.values()) apart += logEvidence(counts, all.size);
    if (best === null || apart - together > best.gain) best = { name, gain: apart - together };
  }
  const needed = Math.log(settings.split.evidence * names.size);
  return best !== null && best.gain >= needed ? best.name : null;
}

export interface Leaf {
  stratum: Stratum;
  /** Those since the last change of mind, in the order in which they were cast. */
  votes: readonly Vote[];
}

/** The stratum that a request with these conditions falls into, and its votes. */
export function leafFor(
  votes: readonly Vote[],
  conditions: Stratum,
  settings: DefaultSettings,
  now: number,
): Leaf {
  let leaf: Leaf = { stratum: [], votes };
  while (leaf.stratum.length < settings.split.depth) {
    const name = splitOf(leaf.votes, settings, now);
    if (name === null) break;
    leaf = within(leaf, name, conditionOf(conditions, name));
  }
  return { ...leaf, votes: sinceChange(leaf.votes, settings) };
}

/**
 * The votes since users last changed their minds: those after the latest moment at which the votes before and after
 * it are `split.evidence` times as probable with a share each as with one share for both, times the moments tried.
 * All of them where there is no such moment. Ageing alone would leave a default in doubt for a half-life after a
 * change; it is for what nobody votes on.
 */
function sinceChange(votes: readonly Vote[], settings: DefaultSettings): readonly Vote[] {
  if (!settings.changes) return votes;
  let since = votes;
  for (;;) {
    const cut = changeIn(since, settings);
    if (cut === null) return since;
    since = since.slice(cut);
  }
}

/** Index of the first vote after the best cut, null where none is good enough. */
function changeIn(votes: readonly Vote[], settings: DefaultSettings): number | null {
  const weights = votes.map((vote) => (vote.signal === 'implicit_ok' ? settings.implicitWeight : 1));
  const outcomes = votes.map(outcomeOf);
  const [before, after]: [Counts, Counts] = [new Map(), new Map()];
  for (const [i, outcome] of outcomes.entries()) add(after, outcome, weights[i]!);
  if (doubtOf(after) < settings.split.doubt) return null;
  const kinds = after.size;
  const together = logEvidence(after, kinds);
  let best: { cut: number; gain: number } | null = null;
  for (let cut = 1; cut < votes.length; cut++) {
    add(before, outcomes[cut - 1]!, weights[cut - 1]!);
    add(after, outcomes[cut - 1]!, -weights[cut - 1]!);
    const gain = logEvidence(before, kinds) + logEvidence(after, kinds) - together;
    if (best === null || gain > best.gain) best = { cut, gain };
  }
  const needed = Math.log(settings.split.evidence * Math.max(1, votes.length - 1));
  return best !== null && best.gain >= needed ? best.cut : null;
}

/** Every stratum of these votes. */
export function leavesOf(votes: readonly Vote[], settings: DefaultSettings, now: number): Leaf[] {
  const grown = (leaf: Leaf): Leaf[] => {
    const name = leaf.stratum.length < settings.split.depth ? splitOf(leaf.votes, settings, now) : null;
    if (name === null) return [{ ...leaf, votes: sinceChange(leaf.votes, settings) }];
    const values = new Set(leaf.votes.map((vote) => conditionOf(vote.conditions, name)));
    return [...values].flatMap((value) => grown(within(leaf, name, value)));
  };
  return grown({ stratum: [], votes });
}

function within(leaf: Leaf, name: string, value: string | null): Leaf {
  return {
    stratum: [...leaf.stratum, [name, value]],
    votes: leaf.votes.filter((vote) => conditionOf(vote.conditions, name) === value),
  };
}
