import type { Relevance } from '../../scorers/index.ts';
import type { Candidate } from './types.ts';

/**
 * What the fused score (in [0, 1]) weighs beside the relevance logit: about what `pragaura bench general` fits on its sets
 * (conditional logit: which of the passages read for a question would a person take?). The cross-encoder asks whether the answer stands in a
 * passage; what a question needs besides, its second paragraph or the background, fusion knows better.
 */
export const FUSED_WEIGHT = 21;

/**
 * What it weighs that the document of a passage is named by the question, and by a passage that is surely sought: by the
 * same fit on the 49 questions of HotpotQA's training set that were read, which need two documents each. What the second
 * one is about the question does not say, so its relevance alone is low.
 */
const ASKED_WEIGHT = 3;
const NAMED_WEIGHT = 10;

/** What names are worth to a passage: one in the question, and one in a passage that is sought with a probability. */
export function linkLogit(asked: boolean, named: number): number {
  return (asked ? ASKED_WEIGHT : 0) + NAMED_WEIGHT * named;
}

type Found = Pick<Candidate, 'fused' | 'link'>;

/** Log odds of being a passage that is sought, of what fusion and links say before it is read. */
export function priorLogit({ fused, link = 0 }: Found): number {
  return FUSED_WEIGHT * (fused - 0.5) + link;
}

/** The same with what the cross-encoder says. */
export function rankLogit({ logit }: Pick<Relevance, 'logit'>, candidate: Found): number {
  return logit + priorLogit(candidate);
}
