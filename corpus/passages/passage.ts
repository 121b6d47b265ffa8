import { z } from 'zod';
import { GENRES } from '../../profiles/index.ts';

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
