import { z } from 'zod';
import { BRANCHES, GENRES } from '../../profiles/index.ts';

/** `start` and `end` are UTF-16 offsets into the document's text; `text` is exactly that slice. */
export const Passage = z.strictObject({
  docId: z.string(),
  passageId: z.string(),
  start: z.number().int().min(0),
  end: z.number().int().min(0),
  text: z.string(),
  /** Title of the document, then the headings above the passage, joined by " > ". */
  title: z.string(),
  genre: z.enum(GENRES),
  /** The file (or the collection and record) that the document came from. */
  source: z.string(),
  /** Where in the source a person finds it: "12:5" (line:column) or "p. 3". */
  position: z.string(),
});
export type Passage = z.infer<typeof Passage>;

/** The place of a passage in its document, from 0: its id is the document's, "#" and this. */
export function placeOf(passageId: string): number {
  return Number(passageId.slice(passageId.lastIndexOf('#') + 1));
}

/** A passage with every score it got. Scores are absolute, null where the stage did not look at it. */
export const Evidence = Passage.extend({
  branches: z.array(z.enum(BRANCHES)),
  scores: z.strictObject({
    lexical: z.number().nullable(),
    dense: z.number().nullable(),
    fused: z.number(),
    relevance: z.number().nullable(),
    margin: z.number().nullable(),
    entailment: z.number().nullable(),
    contradiction: z.number().nullable(),
  }),
});
export type Evidence = z.infer<typeof Evidence>;
