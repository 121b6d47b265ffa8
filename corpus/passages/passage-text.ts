import { clip } from '../readers/offsets.ts';
import type { Passage } from './passage.ts';

/** Characters of the title at most: with the longest passage, what an embedder of 256 word pieces takes in. */
const MAX_TITLE = 120;
/** Of these the document's title has so many, however long the heading. */
const MIN_FIRST = 30;

/** The name of an option or a sign, which says little without whose it is. */
const BARE = /^[^\p{L}\p{N}]/u;

/**
 * What is embedded for a passage: the document's title and the innermost heading, of an option the one above it too,
 * then the text. The headings
 * between say little that these do not, and would push the end of a long passage out of the embedder's sight.
 */
export function passageText({ title, text }: Pick<Passage, 'title' | 'text'>): string {
  if (title === '') return text;
  const parts = title.split(' > ');
  const first = parts[0]!;
  if (parts.length === 1) return `${clip(first, MAX_TITLE)}: ${text}`;
  const end = parts.at(-1)!;
  const more = parts.length > 2 && (BARE.test(end) || end.length <= 3) ? `${parts.at(-2)} > ${end}` : end;
  // Of a long title the innermost heading tells more than its end.
  const last = clip(more, MAX_TITLE - MIN_FIRST - 3);
  return `${clip(first, MAX_TITLE - last.length - 3)} > ${last}: ${text}`;
}
