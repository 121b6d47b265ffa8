/**
 * Every number that the signals depend on, in one place. `answerScore`'s three come from `pragaura bench tuning`:
 * logistic regression (is a passage's best span the gold answer?) over the 20 best passages of 453 questions that the
 * reader before the present one was not trained on. Beside the margin, relevance has nothing to add. For the present
 * reader (212 such questions are left) a fit of its own is no better on groups left out: log loss .084 both. The others
 * were chosen by hand.
 */
export const TUNING = {
  /** `answerScore`: weight of the relevance logit, of the reader's margin, and the offset. */
  relevanceWeight: 0,
  marginWeight: 0.375,
  offset: -2.82,
  /** Share of evidence (as against answers) in the distance of two branches. */
  evidenceShare: 0.25,
  /** Topical gate: a passage less relevant than this is not asked whether it contradicts. */
  topicRelevance: 0.2,
  /** Topical gate: least share of the question's content words in title and window. */
  topicTerms: 0.3,
  /** Least probability at which a source counts as supporting or contradicting. */
  stance: 0.5,
  /** Most mass that either side of a conflict can have: three sources' worth. */
  sideCap: 3,
  /**
   * A passage that is this relevant and whose reader rather finds an answer than none (logits) surely answers: it is asked
   * what it says of the chosen answer and of its own, whatever words it uses and however much surer another one is.
   */
  sureRelevance: 0.5,
  sureMargin: 2.5,
  /** Any other rival answer is looked at when its score is at least this share of the chosen one's. */
  rivalShare: 0.5,
  /** Most rivals looked at. */
  rivals: 3,
} as const;
