import type { Passage } from '../../contracts.ts';

/** What is embedded for a passage: its title and headings, then its text. */
export function passageText(passage: Pick<Passage, 'title' | 'text'>): string {
  return passage.title === '' ? passage.text : `${passage.title}: ${passage.text}`;
}
