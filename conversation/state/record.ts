/** The information state of a query as it stands in the decision record. */
import { z } from 'zod';

const unit = z.number().min(0).max(1);

export const KNOWN_KINDS = [
  'person',
  'place',
  'organization',
  'name',
  'identifier',
  'date',
  'quantity',
  'quotation',
  /** A thing or property without a name of its own: "battery", "annual membership fee". */
  'attribute',
] as const;

/** `from`: who said it. `grounded`: one retrieved passage holds it, or an index of the corpus knows it. */
export const Known = z.strictObject({
  text: z.string(),
  kind: z.enum(KNOWN_KINDS),
  from: z.enum(['query', 'history', 'answer']),
  grounded: z.boolean(),
});
export type Known = z.infer<typeof Known>;

export const MISSING_KINDS = [
  /** A pronoun without anything that it could stand for. */
  'reference',
  /** An identifier that the corpus does not name. */
  'identifier',
  /** A word that the corpus does not know. */
  'term',
  /** A name that stands in none of the retrieved passages. */
  'entity',
  /** A comparison with one side only. */
  'comparison',
  /** Passages give different answers: which interpretation is meant is not said. */
  'interpretation',
  /** The answer depends on something about the asker that was not said. */
  'condition',
  /** No passage states an answer. */
  'answer',
  /** Labelled queries of this kind lacked it, and their owner said that users are to be asked for it. */
  'required',
] as const;

/** `text`: the words that name it, from the query or a passage. `recoverable`: a reply of the user could supply it. */
export const Missing = z.strictObject({
  kind: z.enum(MISSING_KINDS),
  text: z.string(),
  recoverable: z.boolean(),
});
export type Missing = z.infer<typeof Missing>;

export const CONSTRAINT_KINDS = [
  'time',
  'quantity',
  'place',
  'source',
  'exclusion',
  'condition',
  'order',
  'resolved',
] as const;

/** What restricts the answer, in the query's words; `resolved`: what the user replied to a question of ours. */
export const Constraint = z.strictObject({ kind: z.enum(CONSTRAINT_KINDS), text: z.string() });
export type Constraint = z.infer<typeof Constraint>;

/** The five heuristics of Amb(q), each in [0, 1]. */
export const AmbiguitySignals = z.strictObject({
  shortQuery: unit,
  danglingPronoun: unit,
  vagueQuantifier: unit,
  noNamedEntity: unit,
  halfComparison: unit,
});
export type AmbiguitySignals = z.infer<typeof AmbiguitySignals>;

export const InformationState = z.strictObject({
  known: z.array(Known),
  missing: z.array(Missing),
  constraints: z.array(Constraint),
  /** Replies of the user to questions of ours that this state has taken in. */
  turn: z.number().int().min(0),
  /** Eq. 2; null when nothing is known and nothing missing. */
  incompleteness: unit.nullable(),
  /** Eq. 15; 1 - incompleteness. */
  resolutionRate: unit.nullable(),
  /** Eq. 10; null when no passage was ranked. */
  confidence: unit.nullable(),
  /** Eq. 11; null for a query without content words. */
  coverage: unit.nullable(),
  /** Eq. 12. `because`: the words behind the signals that fired. */
  ambiguity: z.strictObject({ score: unit, signals: AmbiguitySignals, because: z.array(z.string()) }),
  /** `contradiction`: C of the signals. `cosine`: Eq. 13, for comparison. Null where nothing could be compared. */
  conflict: z.strictObject({ contradiction: unit.nullable(), cosine: unit.nullable() }),
  /** Eq. 14; null when a factor is. */
  answerability: unit.nullable(),
});
export type InformationState = z.infer<typeof InformationState>;

/** Whether something is missing that the user could tell. */
export function hasRecoverable(state: InformationState | null): boolean {
  return state?.missing.some(({ recoverable }) => recoverable) ?? false;
}
