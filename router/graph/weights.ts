import type { Action } from '../contracts.ts';
import type { Edge } from './types.ts';

const ALPHA = 0.5;
/** No single edge decides a path (equation 22). */
const CAP = 0.95;
const REPEATED = 0.03;

/** What an action adds to the reinforcement of the edges behind it (section 6.3). */
const REINFORCEMENT: Record<Action, number> = { ANSWER: 0.2, ASK: 0.05, ABSTAIN: -0.1 };

/** w = min(0.95, 0.5 sem + 0.5 act), in [0, 0.95] (000, equations 17 and 22). */
export function weightOf({ sem, act }: Pick<Edge, 'sem' | 'act'>): number {
  return Math.min(CAP, ALPHA * sem + (1 - ALPHA) * act);
}

/**
 * Semantic grounding in [0, 1]: cosine between the triple as a sentence and its source, plus 0.03 ln(1 + count) for
 * what several passages say (000, section 6.2).
 */
export function grounding(cosine: number, count: number): number {
  return Math.max(0, Math.min(1, cosine + REPEATED * Math.log1p(count)));
}

/** `act` after one more labelled query of that action, kept in [0, 1]. */
export function reinforced(act: number, action: Action): number {
  return Math.max(0, Math.min(1, act + REINFORCEMENT[action]));
}
