/** A question back and conflicting statements as they stand in the decision record. */
import { z } from 'zod';

const VARIABLE_KINDS = [
  'identifier',
  'term',
  'reference',
  'condition',
  'modifier',
  'aspect',
  'time',
  'name',
  'subject',
  'comparison',
  'required',
] as const;
export type VariableKind = (typeof VARIABLE_KINDS)[number];

/** A value that the user may choose. `value` stands verbatim in the title or text of each of `passageIds`. */
export const Option = z.strictObject({
  value: z.string(),
  /** Empty only for a value from a list of the whole corpus that no retrieved passage holds. */
  passageIds: z.array(z.string()),
  /** How likely it is meant, in [0, 1], by the evidence alone. */
  weight: z.number().min(0).max(1),
  /** The query with this value in it, to be routed again. */
  query: z.string(),
});
export type Option = z.infer<typeof Option>;

/** One question back; its words are the clarification's message. */
export const AskedQuestion = z.strictObject({
  kind: z.enum(VARIABLE_KINDS),
  /** The missing piece, in words of the query, of the passage (a condition) or of labelled queries (what is required). */
  variable: z.string(),
  /** Likeliest first. None: the user is asked for words of their own. */
  options: z.array(Option).max(4),
  /** Expected information gain in bits, see `expectedGain`; of options without evidence log2 of their number. */
  gain: z.number().min(0),
  /** Expected gain in resolution, Eq. 16, in [0, 1]. */
  resolution: z.number().min(0).max(1).nullable(),
});
export type AskedQuestion = z.infer<typeof AskedQuestion>;

/** One of two statements that contradict each other. `text` is what the document says, `start`/`end` its UTF-16 offsets there. */
export const ConflictingStatement = z.strictObject({
  text: z.string(),
  docId: z.string(),
  passageId: z.string(),
  title: z.string(),
  source: z.string(),
  position: z.string(),
  start: z.number().int().min(0),
  end: z.number().int().min(0),
});
export type ConflictingStatement = z.infer<typeof ConflictingStatement>;
