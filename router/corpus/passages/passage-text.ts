import type { Passage } from '../../contracts.ts';
import { clip } from '../readers/offsets.ts';

/** Characters of the title at most: with the longest passage, what an embedder of 256 word pieces takes in. */
const MAX_TITLE = 120;

/**
 * What is embedded for a passage: the document's title and the innermost heading, then the text. The headings
 * between say little that these do not, and would push the end of a long passage out of the embedder's sight.
 */
export function passageText({ title, text }: Pick<Passage, 'title' | 'text'>): string {
  if (title === '') return text;
  const parts = title.split(' > ');
  const shown = parts.length > 2 ? `${parts[0]} > ${parts.at(-1)}` : title;
  return `${clip(shown, MAX_TITLE)}: ${text}`;
}
