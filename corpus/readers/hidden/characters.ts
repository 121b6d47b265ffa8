/** Text that is written in characters which nobody sees, in any format. */
import type { SourceDocument } from '../../types.ts';
import { blanked, bothHidden, HiddenNotes } from './notes.ts';

/**
 * Unicode tags that spell something (not those of a flag), runs of variation selectors, which can carry bytes, and of
 * zero-width characters, which can carry bits.
 */
const INVISIBLE =
  /(?<!\u{1f3f4})(?<![\u{e0020}-\u{e007e}])[\u{e0020}-\u{e007e}]{4,}\u{e007f}?|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{4,}|[\u200b-\u200d\u2060-\u2064\ufeff]{8,}/gu;

/** What tags spell, and bytes in variation selectors, in letters; of other characters their number in words. */
function spelled(hidden: string): string {
  const codes = Array.from(hidden, (character) => character.codePointAt(0)!);
  const letters = codes.map((code) => {
    if (code >= 0xe0020 && code <= 0xe007e) return code - 0xe0000;
    if (code >= 0xe0100) return code - 0xe0100 + 16;
    return code >= 0xfe00 && code <= 0xfe0f ? code - 0xfe00 : 0;
  });
  const text = String.fromCharCode(...letters.slice(0, 1_000)).replace(/\p{Cc}/gu, ' ');
  return /\p{L}{2}/u.test(text) ? text : `${codes.length} characters of no width`;
}

/** The document with blanks in the place of invisible text: offsets stay, and what it said is noted. */
export function withoutInvisible(document: SourceDocument): SourceDocument {
  const ranges = Array.from(document.text.matchAll(INVISIBLE), ({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
  }));
  const title = document.title.replace(INVISIBLE, '').trim();
  if (ranges.length === 0 && title === document.title.trim()) return document;
  const notes = new HiddenNotes();
  for (const [found] of document.title.matchAll(INVISIBLE))
    notes.add('invisible characters', spelled(found), 'title');
  for (const { start, end } of ranges) {
    notes.add('invisible characters', spelled(document.text.slice(start, end)), document.positionAt(start));
  }
  const hidden = bothHidden(document.hidden, notes.finish());
  return {
    ...document,
    title,
    text: blanked(document.text, ranges),
    ...(hidden !== undefined && { hidden }),
  };
}
