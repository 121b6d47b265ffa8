/** The closed vocabularies that profiles, retrieval and decisions share. */

/** Speech acts. The first four are the core; the next four refine one of them; the last retrieves nothing. */
export const ACTS = [
  'FACT',
  'QUANTITY',
  'DEFINITION',
  'EXPLANATION',
  'PROCEDURE',
  'COMPARISON',
  'OPINION',
  'VERIFICATION',
  'NOT_A_QUESTION',
] as const;
export type Act = (typeof ACTS)[number];

/** The coarser act that a refinement falls back to; a core act has none. */
export const PARENT_ACT: Readonly<Partial<Record<Act, Act>>> = {
  PROCEDURE: 'EXPLANATION',
  COMPARISON: 'EXPLANATION',
  OPINION: 'EXPLANATION',
  VERIFICATION: 'FACT',
};

/** Retrieval branches. `lexical` and `dense` are general, the others look for the evidence that one act presupposes. */
export const BRANCHES = ['lexical', 'dense', 'definition', 'quantity', 'procedure', 'cause'] as const;
export type BranchName = (typeof BRANCHES)[number];

/** What kind of text a passage is. */
export const GENRES = ['definition', 'steps', 'table', 'numbers', 'causal', 'opinion', 'narrative'] as const;
export type Genre = (typeof GENRES)[number];
