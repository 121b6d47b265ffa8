/** What a document holds and its reader does not see: noted, so that it can be named, and never part of a passage. */
import { quoted } from '../../../common/index.ts';
import type { HiddenKind, HiddenTexts } from '../../types.ts';
import { clip } from '../offsets.ts';

/** Stretches of each kind that a document keeps to be named; more are counted. */
const MOST = 20;
/** Characters of one that are kept. */
const LONGEST = 300;
/** Of what was hidden this much is looked at. */
const LOOKED_AT = 4 * LONGEST;
/** A mark, a number or one letter hides nothing that could be said. */
const WORD = /\p{L}{2}/u;

/** Collects what is hidden, in the order of the document; bounded whatever the document holds. */
export class HiddenNotes {
  readonly #texts: HiddenTexts['texts'][number][] = [];
  readonly #kept = new Map<HiddenKind, number>();
  #count = 0;

  /** `position`: where a person finds it in the source. Stretches without a word are no text. */
  add(kind: HiddenKind, text: string, position: string): void {
    const said = text
      .slice(0, LOOKED_AT)
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim();
    if (!WORD.test(said)) return;
    this.#count += 1;
    const kept = this.#kept.get(kind) ?? 0;
    if (kept === MOST) return;
    this.#kept.set(kind, kept + 1);
    this.#texts.push({ kind, text: clip(said, LONGEST), position });
  }

  /** All that was noted; undefined where nothing was. */
  finish(): HiddenTexts | undefined {
    return this.#count === 0 ? undefined : { count: this.#count, texts: this.#texts };
  }
}

/** Both, the first before the second; undefined where neither has any. */
export function bothHidden(
  one: HiddenTexts | undefined,
  other: HiddenTexts | undefined,
): HiddenTexts | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return { count: one.count + other.count, texts: [...one.texts, ...other.texts] };
}

/** Why a document without any text is not indexed, where it is known that a reader would see none either. */
export function noTextBut(hidden: HiddenTexts | undefined): string {
  const told = hidden?.texts.find(({ kind }) => isConcealed(kind));
  if (told === undefined) return 'holds no text';
  return `holds no text that a reader would see; what is in it is ${told.kind}: ${quoted(clip(told.text, 80))}`;
}

/** Whether somebody has taken pains that this is not seen; comments and alternative text are usual. */
export function isConcealed(kind: HiddenKind): boolean {
  return kind !== 'a comment' && kind !== 'alternative text';
}

/** `text` with a space in the place of every character between `start` and `end` that ends no line: offsets stay. */
export function blanked(text: string, ranges: readonly { start: number; end: number }[]): string {
  if (ranges.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of ranges) {
    if (end <= at) continue;
    const from = Math.max(at, start);
    parts.push(text.slice(at, from), text.slice(from, end).replace(/[^\n\r]/g, ' '));
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}
