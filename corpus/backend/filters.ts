import { z } from 'zod';
import { GENRES } from '../../profiles/index.ts';
import type { Passage } from '../passages/passage.ts';

/** Restricts retrieval to passages whose fields are one of the values given; an empty list lets nothing through. */
export const Filters = z.strictObject({
  docId: z.array(z.string()).optional(),
  source: z.array(z.string()).optional(),
  genre: z.array(z.enum(GENRES)).optional(),
});
export type Filters = z.infer<typeof Filters>;

export function isAllowed(passage: Passage, { docId, source, genre }: Filters = {}): boolean {
  return (
    (docId?.includes(passage.docId) ?? true) &&
    (source?.includes(passage.source) ?? true) &&
    (genre?.includes(passage.genre) ?? true)
  );
}
