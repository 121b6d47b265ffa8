/** An answer as it stands in the decision record: what is shown, and the quotes that it is made of. */
import { z } from 'zod';

/**
 * `span`: a name, a date, a number; `list`: several of them; `definition`: what a term means, whole; `steps`: what to do, in
 * order; `explanation`: the sentences that say why or how; `comparison`: what is said of each side; `verdict`: yes, no or
 * it depends; `passage`: the best sentences of a passage that answers, where the words asked for are not sure.
 */
export const FORMS = [
  'span',
  'list',
  'definition',
  'steps',
  'explanation',
  'comparison',
  'verdict',
  'passage',
] as const;
export type Form = (typeof FORMS)[number];

/**
 * What a quote does in the answer. `answer`: the very words asked for; `context`: the sentence that makes them true;
 * `introduction`: what announces the items; `item`: a step, a value, a sentence of several; `condition`: when it holds;
 * `side`: what is said of one of the things compared; `supports` and `denies`: what a verdict rests on.
 */
export const ROLES = [
  'answer',
  'context',
  'introduction',
  'item',
  'condition',
  'side',
  'supports',
  'denies',
] as const;

/** `text` is exactly the slice `start..end` (UTF-16) of the document `docId`. */
export const Quote = z.strictObject({
  text: z.string(),
  docId: z.string(),
  passageId: z.string(),
  start: z.number().int().min(0),
  end: z.number().int().min(0),
  role: z.enum(ROLES),
  /** The side, alternative or term that it is about, where the answer has several. */
  of: z.string().optional(),
});
export type Quote = z.infer<typeof Quote>;

export const Answer = z.strictObject({
  form: z.enum(FORMS),
  /** What a person is shown: the quotes put together. Nothing in it is generated but labels and numbers of steps. */
  text: z.string(),
  /** In the order in which they are shown; the first is what the answer rests on. */
  quotes: z.array(Quote).min(1),
  /** Of the form `verdict` alone. */
  verdict: z.enum(['yes', 'no', 'depends']).nullable(),
  /** What was left out, in words; null: nothing was. */
  cut: z.string().nullable(),
  /** LOW: the passage answers, but which of its words do is not sure. */
  band: z.enum(['HIGH', 'LOW']),
  /** The question with the answer in it, whose entailment was measured; null where there is no such statement. */
  claim: z.string().nullable(),
  /**
   * Independent sources that say the same as the passage that it rests on, from 1 (`supportOf`); of several questions the
   * least. Absent where a vocabulary answers.
   */
  support: z.number().int().min(1).optional(),
});
export type Answer = z.infer<typeof Answer>;

/** What would be shown of a query, whatever was decided; null where there is nothing to show. */
export interface Composed {
  /** Where the best span is taken for the answer. */
  span: Answer | null;
  /** Where the best passage is. */
  passage: Answer | null;
}

/** The span that answers, placed in its document: `start`/`end` are UTF-16 offsets, `text` is that slice. */
export interface SpanAnswer {
  text: string;
  claim: string;
  docId: string;
  passageId: string;
  start: number;
  end: number;
}
