import type { Act } from '../../profiles/index.ts';
import { type Features, type Measured, scoreOf, type UncertaintyScore } from '../../router/index.ts';
import type { SelectiveItem } from '../metrics/selective.ts';
import { type Documents, documentIn } from '../splits/documents.ts';
import type { Observation } from '../types.ts';

/** One labelled query as a score is fitted on it. */
export interface FitItem extends Measured {
  /** What is never divided between folds. */
  group: string;
  act: Act;
  /** Null when a gate was closed or there was no candidate: never answered, whatever the score says. */
  features: Features | null;
  /** Whether the candidate, given as the answer, would be wrong. True where there is none. */
  wrong: boolean;
}

/**
 * The labelled ones of the observations. Those whose measurement failed, that have no act, or of which `wrong` knows
 * nothing (null), are left out and counted: an unknown label is neither right nor wrong. Without `documents` groups are
 * taken as they are, whatever they share.
 */
export function fitItems(
  observations: readonly Observation[],
  wrong: (observation: Observation) => boolean | null,
  documents?: Documents,
): { items: FitItem[]; unlabelled: number; failed: number } {
  const items: FitItem[] = [];
  let unlabelled = 0;
  let failed = 0;
  for (const observation of observations) {
    const { act, closed, features, sources, planned, example } = observation;
    const isWrong = wrong(observation);
    if (observation.error !== null || act === null) failed++;
    else if (isWrong === null) unlabelled++;
    else {
      const open = closed === null && features !== null && features.answerScore !== null;
      const group = documents === undefined ? example.group : documentIn(documents, example);
      items.push({ group, act, features: open ? features : null, sources, planned, wrong: isWrong });
    }
  }
  return { items, unlabelled, failed };
}

/** Items in the order that a score gives them; those that are never answered come last. Loss: wrong or not. */
export function ranked(items: readonly FitItem[], score: UncertaintyScore): SelectiveItem[] {
  return items.map((item) => ({
    uncertainty: item.features === null ? null : scoreOf(score, item.features, item),
    loss: item.wrong ? 1 : 0,
  }));
}
