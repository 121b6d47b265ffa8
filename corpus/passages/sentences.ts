import { clip } from '../readers/offsets.ts';

/** A stretch of a text, UTF-16 offsets, `end` exclusive. */
export interface Range {
  start: number;
  end: number;
}

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The segmenter's time grows with the square of its input, so it sees this much at a time. */
const WINDOW = 1500;

// Words after which a full stop does not end a sentence.
const TITLES =
  /(?:^|[\s("'“‘[])(?:Dr|Mr|Mrs|Ms|Mx|Prof|Gen|Col|Maj|Capt|Cpt|Lt|Sgt|Cmdr|Adm|Rev|Fr|Hon|St|Ste|Gov|Sen|Rep|Pres|Amb|Mt|Ft|Fig|Figs|Eq|Eqs|Sec|Ch|Chap|Art|Vol|Ed|eds?|pp?|vs|cf|viz|approx|ca|e\.g|i\.e|v)\.\s*$/i;
const NUMBERED = /(?:^|[\s("'“‘[])(?:No|Nos|Nr|Op|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.\s*$/;
const INITIAL = /(?:^|[\s("'“‘[.])\p{Lu}\.\s*$/u;
const LIST_NUMBER = /^\s*\(?\d{1,3}[.)]\s*$/;
// After initials and acronyms ("the U.S. Army", "the U.S. It"), these words begin a sentence all the same.
const STARTERS =
  /^["'“‘(]*(?:The|A|An|It|Its|In|On|At|He|She|They|We|I|You|This|That|These|Those|There|But|And|However|When|While|As|If|For|After|Before|By|From|Since|His|Her|Their|Our|Some|Many|Most|Both|Although|Because|During|With|What|Who|How|Why)\b/;

/** Whether what the segmenter parted belongs together. `alone`: nothing was joined to the first part before. */
function continues(segment: string, after: string, alone: boolean): boolean {
  const before = segment.length > 40 ? segment.slice(-40) : segment;
  if ((alone && LIST_NUMBER.test(before)) || TITLES.test(before)) return true;
  if (/^\s*\p{Ll}/u.test(after)) return true;
  if (NUMBERED.test(before)) return /^\s*\d/.test(after);
  return INITIAL.test(before) && !STARTERS.test(after);
}

/** Raw segments of `flat`, linear in its length: each window ends where a segment surely ends. */
function* segments(flat: string): Generator<Range> {
  let from = 0;
  while (from < flat.length) {
    const window = clip(flat.slice(from, from + WINDOW + 1), WINDOW);
    const last = from + window.length >= flat.length;
    let held: Range | null = null;
    for (const part of SEGMENTER.segment(window)) {
      if (held !== null) yield held;
      held = { start: from + part.index, end: from + part.index + part.segment.length };
    }
    if (held === null) return;
    // The last segment may go on behind the window: look at it again, unless it filled the window.
    if (last || held.start === from) {
      yield held;
      from = held.end;
    } else from = held.start;
  }
}

/**
 * Sentences of `text` between two offsets, without the white space around them, in order. Line breaks inside the
 * stretch are white space. Abbreviations, initials, acronyms and list numbers do not end a sentence; text without
 * any punctuation is parted every 1,500 units.
 */
export function sentences(text: string, start: number, end: number): Range[] {
  const flat = text.slice(start, end).replace(/[\r\n\u2028\u2029\u0085]/g, ' ');
  const merged: Range[] = [];
  let before = '';
  for (const part of segments(flat)) {
    const segment = flat.slice(part.start, part.end);
    const previous = merged.at(-1);
    const alone = previous !== undefined && previous.end - previous.start === before.length;
    const joined =
      previous !== undefined && part.end - previous.start <= 2 * WINDOW && continues(before, segment, alone);
    if (joined) previous.end = part.end;
    else merged.push({ ...part });
    before = segment;
  }
  return merged.flatMap((range) => trimmed(text, start + range.start, start + range.end));
}

/** The range without white space at its ends; none when nothing is left. */
export function trimmed(text: string, start: number, end: number): Range[] {
  let from = start;
  let to = end;
  while (from < to && /\s/.test(text[from]!)) from += 1;
  while (to > from && /\s/.test(text[to - 1]!)) to -= 1;
  return from < to ? [{ start: from, end: to }] : [];
}

/** How far to either side of a span its sentence is looked for. */
const REACH = 1_000;

/** The sentence (or sentences) of a text that hold a stretch of it, within one paragraph. UTF-16 offsets. */
export function sentenceAt(text: string, { start, end }: Range): Range {
  const breakBefore = Math.max(0, start - REACH, text.lastIndexOf('\n\n', start));
  const next = text.indexOf('\n\n', end);
  const breakAfter = Math.min(text.length, end + REACH, next < 0 ? text.length : next);
  const held = sentences(text, breakBefore, breakAfter).find((range) => range.end > start);
  return { start: Math.min(held?.start ?? start, start), end: Math.max(held?.end ?? end, end) };
}
