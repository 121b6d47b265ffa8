/** Successive halving (Jamieson and Talwalkar 2016): many trials see few questions, the best half of them twice as many. Pure. */

/** `questions`: that each trial of the rung has seen when it is judged. */
export interface Rung {
  trials: number;
  questions: number;
}

/** Trials of the last rung at least, where there are so many. */
const LAST = 4;

/** From all trials on the first questions to the last few on all of them; a rung costs about as much as the one before. */
export function rungsOf(trials: number, questions: number): Rung[] {
  const counts = [trials];
  while (counts.at(-1)! / 2 >= LAST) counts.push(Math.ceil(counts.at(-1)! / 2));
  return counts.map((count, place) => ({
    trials: count,
    questions: Math.max(1, Math.ceil(questions / 2 ** (counts.length - 1 - place))),
  }));
}

/** What a trial is worth on the questions it has seen. `allowed`: it does not cost more than it may. */
export interface Judged {
  value: number;
  allowed: boolean;
}

/**
 * The trials from best to worst: those that are allowed before all others, by value; among equals the earlier one, so that
 * what comes first has to be beaten.
 */
export function ranked<T>(trials: readonly T[], judge: (trial: T) => Judged): T[] {
  return trials
    .map((trial, place) => ({ trial, place, ...judge(trial) }))
    .sort((a, b) => Number(b.allowed) - Number(a.allowed) || b.value - a.value || a.place - b.place)
    .map(({ trial }) => trial);
}

/** Asks `see` to show each rung's trials its questions, and gives the last rung's trials, best first. */
export async function halved<T>(
  trials: readonly T[],
  rungs: readonly Rung[],
  see: (trials: readonly T[], questions: number) => Promise<(trial: T) => Judged>,
): Promise<T[]> {
  let left = [...trials];
  for (const { trials: count, questions } of rungs) {
    left = left.slice(0, count);
    left = ranked(left, await see(left, questions));
  }
  return left;
}
