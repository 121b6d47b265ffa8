import { type Graded, unanswered } from './graded.ts';
import type { Abstentions, Evaluation } from './types.ts';

/** What was rightly and what was needlessly not answered: together, asked and abstained apart, and by reason. */
export function abstentionsOf(items: readonly Graded[]): Evaluation['abstentions'] {
  const refused = items.filter(unanswered);
  const reasons = [...new Set(refused.map(({ reason }) => reason!))].sort();
  return {
    all: countsOf(refused),
    byAction: {
      ASK: countsOf(refused.filter(({ action }) => action === 'ASK')),
      ABSTAIN: countsOf(refused.filter(({ action }) => action === 'ABSTAIN')),
    },
    byReason: Object.fromEntries(
      reasons.map((reason) => [reason, countsOf(refused.filter((item) => item.reason === reason))]),
    ),
  };
}

export function countsOf(refused: readonly Graded[]): Abstentions {
  const counts = { unanswerable: 0, prevented: 0, withoutCandidate: 0, needless: 0, unknown: 0 };
  for (const item of refused) counts[classOf(item)]++;
  return { n: refused.length, ...counts };
}

function classOf({ answerable, wrong, observation }: Graded): Exclude<keyof Abstentions, 'n'> {
  if (answerable === false) return 'unanswerable';
  if (observation.candidate === null) return 'withoutCandidate';
  if (wrong === null) return 'unknown';
  return wrong ? 'prevented' : 'needless';
}
