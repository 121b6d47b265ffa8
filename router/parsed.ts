/** A question taken apart: what is wanted, where it is to be found, and on what kind of page. */
import { z } from 'zod';
import type { InformationState } from '../conversation/index.ts';
import { ACTS, type ActDistribution, type Allocation, GENRES } from '../profiles/index.ts';

const unit = z.number().min(0).max(1);

/** Everything in words of the question, made whole by its conversation. */
export const ParsedQuestion = z.strictObject({
  schema: z.literal('pragaura.parsed-question/1'),
  /** The speech act, and how likely it is that one. */
  intent: z.strictObject({ act: z.enum(ACTS), confidence: unit }),
  /** Things and properties that are asked about and have no name of their own: "deductible". */
  fields: z.array(z.string()),
  scope: z.strictObject({
    /** What it names: people, records, products, quotations. */
    entities: z.array(z.string()),
    time: z.array(z.string()),
    /** The folder of the collection that is looked in; null: all that may be read and the filters let through. */
    where: z.string().nullable(),
  }),
  /** What else restricts the answer. */
  conditions: z.array(z.string()),
  /** The genre of passages that the act prefers most, and how much; null where it prefers none, or nothing was looked for. */
  pageKind: z.strictObject({ genre: z.enum(GENRES), preference: unit }).nullable(),
});
export type ParsedQuestion = z.infer<typeof ParsedQuestion>;

/** What the router worked out of a question. Without an information state nothing is known but the act. Pure. */
export function parsedQuestion({
  act,
  state,
  allocation,
  where,
}: {
  act: ActDistribution;
  state: InformationState | null;
  allocation: Allocation | null;
  where: string | null;
}): ParsedQuestion {
  const known = (state?.known ?? []).filter(({ from }) => from !== 'history');
  const constraints = state?.constraints ?? [];
  const words = (found: readonly { text: string }[]) => [...new Set(found.map(({ text }) => text))];
  const preference = allocation?.genres.preference;
  const genres =
    preference === undefined ? [] : GENRES.map((genre) => ({ genre, preference: preference[genre] }));
  const most = genres.reduce<(typeof genres)[number] | null>(
    (best, each) => (each.preference > (best?.preference ?? 0) ? each : best),
    null,
  );
  return {
    schema: 'pragaura.parsed-question/1',
    intent: { act: act.label, confidence: act.probabilities[act.label] },
    fields: words(known.filter(({ kind }) => kind === 'attribute')),
    scope: {
      entities: words(known.filter(({ kind }) => !['attribute', 'date', 'quantity'].includes(kind))),
      time: words([
        ...known.filter(({ kind }) => kind === 'date'),
        ...constraints.filter(({ kind }) => kind === 'time'),
      ]),
      where,
    },
    conditions: words(constraints.filter(({ kind }) => kind !== 'time')),
    pageKind: most,
  };
}
