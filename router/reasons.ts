/** Why a query was not answered; one code for each kind of cause, whichever part of the router found it. */
export const REASONS = [
  'NOT_A_QUESTION',
  'EMPTY_QUERY',
  'QUERY_TOO_LONG',
  /** More questions in one query than are looked at. */
  'TOO_MANY_QUESTIONS',
  'NO_RESULTS',
  'TOO_DISTANT',
  /** The documents are about something else altogether: neither meaning nor words come near. */
  'OUT_OF_SCOPE',
  'UNKNOWN_IDENTIFIER',
  /** The query names a record that exists, but what was found belongs to another one. */
  'IDENTIFIER_NOT_IN_EVIDENCE',
  /** The query asks what a term means and the vocabulary does not have it. */
  'UNKNOWN_TERM',
  /** The vocabulary has several concepts of the name that the query uses. */
  'AMBIGUOUS_TERM',
  'UNRESOLVED_REFERENCE',
  /** The query names an attribute, and several things of the documents have one. */
  'UNDERSPECIFIED',
  'TERMS_NOT_COVERED',
  /** What the question takes for granted is denied by the documents. */
  'FALSE_PREMISE',
  /** The answer's passage talks to a machine instead of about its subject. */
  'POISONED_EVIDENCE',
  'CONFLICTING_EVIDENCE',
  /** Fewer independent sources say the same than are demanded. */
  'TOO_FEW_SOURCES',
  'BRANCHES_DISAGREE',
  'NO_SUPPORTED_ANSWER',
  /** Confidence lies in the lowest band. */
  'LOW_CONFIDENCE',
  'UNCERTAIN',
  'DEADLINE_EXCEEDED',
  /** The engine that holds the index failed, or did not look at all of it. */
  'INDEX_UNAVAILABLE',
] as const;
export type Reason = (typeof REASONS)[number];
