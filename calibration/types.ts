/** What the calibration room works on. Each record that is written is declared once, here, as a schema. */
import { z } from 'zod';
import { ACTS } from '../profiles/index.ts';
import {
  ACTIONS,
  Answer,
  FEATURES,
  type FeatureName,
  Plan,
  Query,
  REASONS,
  Receipt,
  SampledOpinion,
} from '../router/index.ts';
import { problemOfPattern } from './labels/patterns.ts';
import { normaliseAnswer } from './metrics/reading.ts';

const Pattern = z.string().superRefine((pattern, { addIssue }) => {
  const problem = problemOfPattern(pattern);
  if (problem !== null) addIssue({ code: 'custom', message: `${JSON.stringify(pattern)} ${problem}` });
});

/** A labelled query, one JSON object a line. What a label does not say stays unknown: never counted as right or wrong. */
export const Labelled = z.strictObject({
  id: z.string().min(1).max(512),
  query: z.string(),
  /** Turns before the query, filters and conditions, as a query has them: it is measured with them. */
  history: Query.shape.history,
  filters: Query.shape.filters,
  conditions: Query.shape.conditions,
  /** Every text that counts as the answer; [] or absent: not said. */
  answers: z.array(z.string()).optional(),
  /** Regular expressions (RE2's syntax, case aside), one of which has to be found in what is shown. */
  patterns: z.array(Pattern).min(1).optional(),
  /** What has to stand in what is shown, all of it and in this order; case, punctuation and articles aside. */
  steps: z
    .array(z.string().refine((step) => normaliseAnswer(step) !== '', 'a step without words'))
    .min(1)
    .optional(),
  /** The right answer to a yes-or-no question. */
  verdict: Answer.shape.verdict.unwrap().optional(),
  /** docIds or passageIds that hold the answer. */
  passages: z.array(z.string()).optional(),
  /** Gains of `passages`, in the same order, where they differ. */
  grades: z.array(z.number().positive()).optional(),
  /** False: nothing in the documents answers it. Absent: true where the label says what answers it, else not said. */
  answerable: z.boolean().optional(),
  action: z.enum(ACTIONS).optional(),
  /** What is never split: article, contract, topic. Absent: the document of the first passage; without one, see `Example`. */
  group: z.string().min(1).optional(),
});
export type Labelled = z.infer<typeof Labelled>;

const share = z.number().min(0).max(1);

/** A labelled query with its group settled. */
const Example = Labelled.extend({
  group: z.string().min(1),
  /** The label names neither group nor passage: `group` is then the query's own words, and no document that could be counted. */
  ungrouped: z.literal(true).optional(),
});
export type Example = z.infer<typeof Example>;

/** An answer as a person gets it, as far as labels are about that. */
export const Shown = z.strictObject({
  form: Answer.shape.form,
  text: z.string(),
  verdict: Answer.shape.verdict,
  /** Where its quotes stand, each passage once. */
  places: z.array(z.strictObject({ docId: z.string(), passageId: z.string() })),
});
export type Shown = z.infer<typeof Shown>;

/**
 * What the router measured of one example, whatever any threshold says: the line of the cache from which thresholds
 * are fitted in seconds. `error`: the query could not be decided; then everything that was measured is null or empty.
 */
export const Observation = z.strictObject({
  schema: z.literal('pragaura.observation/3'),
  /**
   * Hash of the query with its history, filters and conditions, and of everything else that its measurement depends on
   * (index, models, profiles, policy, budget, layers, …).
   */
  key: z.string(),
  example: Example,
  error: z.string().nullable(),
  /** The predicted act, or that in whose form the answer is asked for, see `actByForm`: whose threshold it is held to. */
  act: z.enum(ACTS).nullable(),
  /** The gate that closes before U is looked at; null: all gates are open and U against tau decides. */
  closed: z.enum(REASONS).nullable(),
  /**
   * Whether what is not answered is asked back (else the router abstains): by the closed gate, or, gates open, were U
   * above tau and no band for asking calibrated. Absent or null: not known.
   */
  asks: z.boolean().nullable().optional(),
  features: z.record(z.enum(FEATURES), z.number().nullable()).nullable() as z.ZodType<Record<
    FeatureName,
    number | null
  > | null>,
  /** What C and E are made of, see `sourcesOf`; null where nothing was measured. */
  sources: z
    .array(z.strictObject({ q: share, entailment: share, contradiction: share, chosen: z.boolean() }))
    .nullable(),
  /** What a planner looks at, by name; null where nothing was retrieved. */
  planning: z.record(z.string(), z.number().nullable()).nullable(),
  /** What the planner at hand makes of `planning`. Never in the cache, which serves any planner. */
  planned: Plan.shape.probabilities.nullable().optional(),
  /** A definition of the vocabulary answers it, whatever any threshold says; `candidate` is that. Absent: no. */
  defined: z.boolean().optional(),
  /** The best extractive answer, whether or not it would be given. */
  candidate: z
    .strictObject({
      text: z.string(),
      claim: z.string(),
      docId: z.string(),
      passageId: z.string(),
      /** Share of the claim's content words that its passage holds, in [0, 1]: the paper's token support (SCR). */
      support: share.nullable(),
    })
    .nullable(),
  /**
   * What a person would be shown for the candidate, in the form that the act asks for; null: nothing. Absent: not made,
   * because the label is about the candidate alone (see `isAboutShown`).
   */
  shown: Shown.nullable().optional(),
  /** Passages as the reader saw them, in the order after re-ranking. */
  ranking: z.array(z.strictObject({ docId: z.string(), passageId: z.string() })),
  receipt: Receipt.nullable(),
  /** What a language model made of the evidence, and what that cost; absent where none was asked. */
  opinion: SampledOpinion.optional(),
});
export type Observation = z.infer<typeof Observation>;
