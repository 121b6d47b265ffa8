import { z } from 'zod';

/** A turn of the conversation before the query, as it stands in a query record. */
export interface Turn {
  role: 'user' | 'assistant';
  text: string;
}

/** What was done to the query. */
export const REWRITE_RULES = [
  /** The query answers the question that we asked last; it was put into the question that we asked about. */
  'ANSWER',
  /** The query replies to our last question and chooses nothing; the question that we asked about stands as it was. */
  'REFUSAL',
  /** "And in 1970?", "What about K3?", "Why?": the last question, with that part changed. */
  'ELLIPSIS',
  /** A personal or possessive pronoun was replaced by its name. */
  'PRONOUN',
  /** "The band": the name was set beside it. */
  'DESCRIPTION',
  /** "Zappa": the full name was used before. */
  'SHORT_NAME',
  /** The query names nothing: what the conversation is about was added. */
  'TOPIC',
] as const;
export type RewriteRule = (typeof REWRITE_RULES)[number];

/** `from` stood in the query, `to` stands there now; `turn` is the place in the history that `to` was taken from. */
export const RewriteReason = z.strictObject({
  rule: z.enum(REWRITE_RULES),
  from: z.string(),
  to: z.string(),
  turn: z.number().int().min(0),
});
export type RewriteReason = z.infer<typeof RewriteReason>;

/** A word that could mean several things of the history equally well, the likeliest first; the first was taken. */
export const OpenReference = z.strictObject({ word: z.string(), candidates: z.array(z.string()) });
export type OpenReference = z.infer<typeof OpenReference>;

export interface SelfContained {
  /** The query as it can be asked without its history; the query itself where nothing was changed. */
  text: string;
  changed: boolean;
  reasons: RewriteReason[];
  open: OpenReference[];
}

/** A query that replies to our last question: which question of the user that was about, and what was chosen. */
export interface ClarifiedQuestion {
  /** What we asked, and its place in the history. */
  asked: string;
  turn: number;
  /** The question that it was about, as the user put it; its place in the history. */
  question: string;
  questionTurn: number;
  /** The values chosen, of the options offered or in words of the user's own; none where the reply chooses nothing. */
  values: string[];
}
