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
  'where',
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
  /** Of an identifier what it is: the title that has it, or what a passage says of it. Left out where nothing retrieved tells. */
  about: z.string().optional(),
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

/** Fields of a `ParsedQuestion` that a user may be asked to fill. */
export const TARGET_FIELDS = [
  'intent',
  'fields',
  'conditions',
  'scope.entities',
  'scope.time',
  'scope.where',
] as const;
type TargetField = (typeof TARGET_FIELDS)[number];

const TARGETS: Readonly<Record<VariableKind, TargetField>> = {
  identifier: 'scope.entities',
  term: 'scope.entities',
  reference: 'scope.entities',
  name: 'scope.entities',
  comparison: 'scope.entities',
  modifier: 'fields',
  aspect: 'fields',
  required: 'conditions',
  condition: 'conditions',
  time: 'scope.time',
  subject: 'scope.where',
  where: 'scope.where',
};

/** The request to the user, by the names of the paper: which field of the question it would fill, and what would be taken. */
export const ClarificationRequest = z.strictObject({
  schema: z.literal('pragaura.clarification-request/2'),
  targetField: z.enum(TARGET_FIELDS),
  questionToUser: z.string(),
  /** What is proposed stands first. */
  candidateValues: z.array(z.string()),
  proposedDefault: z.string().nullable(),
  /** One sentence: why that value. */
  proposedDefaultReason: z.string().nullable(),
  /** The query, the index and the models are named by the decision that it stands in. */
  audit: z.strictObject({
    /** Id of the learned default that was looked at; null where none is learned. */
    default: z.string().nullable(),
  }),
});
export type ClarificationRequest = z.infer<typeof ClarificationRequest>;

/** The request behind a question back; null for `question` where only words of the user's own would help. */
export function clarificationRequest(
  asked: { message: string; suggestions: readonly string[]; question: AskedQuestion | null },
  proposed: { value: string; reason: string } | null,
  audit: ClarificationRequest['audit'],
): ClarificationRequest {
  const { message, suggestions, question } = asked;
  const values = question?.options.map(({ value }) => value) ?? suggestions;
  const rest = values.filter((value) => value !== proposed?.value);
  return {
    schema: 'pragaura.clarification-request/2',
    targetField: question === null ? 'intent' : TARGETS[question.kind],
    questionToUser: message,
    candidateValues: proposed === null ? rest : [proposed.value, ...rest],
    proposedDefault: proposed?.value ?? null,
    proposedDefaultReason: proposed?.reason ?? null,
    audit,
  };
}

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
