/** What answers are put together from: the sentences, items, entries, rows and code of a passage, in order. */

import { innermostHeading, type Part, type Range, sentences } from '../../corpus/index.ts';
import type { Evidence } from '../contracts.ts';
import type { Quote } from './record.ts';

/** A passage that may be quoted, with what its author marked up. */
export interface Source {
  evidence: Evidence;
  parts: readonly Part[];
}

/** Something that is quoted whole. Offsets are into the passage's text. */
export interface Unit extends Range {
  source: Source;
  kind: 'sentence' | 'term' | 'row' | 'code' | 'heading';
  /** The innermost item, entry or row that holds it, else the innermost part; null where nothing was marked up. */
  part: Part | null;
}

/** Characters that may lie between two passages of one text: white space, a bullet. */
const GAP = 8;
/** Passages are short; more than this is one that was made to be slow. */
const MOST_UNITS = 2_000;

/** Units of a passage in the order of its text. Sentences never run across an item, a paragraph or a row. */
export function unitsOf(source: Source): Unit[] {
  const { text, start: offset } = source.evidence;
  const within = source.parts
    .map((part) => ({
      part,
      start: Math.max(0, part.start - offset),
      end: Math.min(text.length, part.end - offset),
    }))
    .filter(({ start, end }) => start < end);
  const edges = new Set([0, text.length]);
  for (const { start, end } of within) edges.add(start).add(end);
  const sorted = [...edges].sort((a, b) => a - b);
  const units: Unit[] = [];
  for (const [i, start] of sorted.slice(0, -1).entries()) {
    if (units.length >= MOST_UNITS) break;
    const end = sorted[i + 1]!;
    const holding = within
      .filter((each) => each.start <= start && each.end >= end)
      .sort((one, other) => one.end - one.start - (other.end - other.start))
      .map(({ part }) => part);
    units.push(...cut(source, holding, start, end));
  }
  return units;
}

const WHOLE: Partial<Record<Part['kind'], Unit['kind']>> = {
  term: 'term',
  row: 'row',
  code: 'code',
  heading: 'heading',
};

/** What stands between two edges of parts: one unit where its kind is quoted whole, else its sentences. */
function cut(source: Source, holding: readonly Part[], from: number, to: number): Unit[] {
  const { text } = source.evidence;
  const [inner] = holding;
  const part = holding.find(({ list }) => list !== null) ?? inner ?? null;
  const kind = inner === undefined ? undefined : WHOLE[inner.kind];
  if (kind !== undefined) {
    return trimmedTo(text, from, to).map((range) => ({ ...range, source, kind, part }));
  }
  // Without parts a blank line is all that parts paragraphs.
  return paragraphs(text, from, to)
    .flatMap(({ start, end }) => sentences(text, start, end))
    .filter(({ start, end }) => WORD.test(text.slice(start, end)) && !BULLET.test(text.slice(start, end)))
    .map((range) => ({ ...range, source, kind: 'sentence', part }));
}

const WORD = /[\p{L}\p{N}]/u;
/** The number of an item is no part of it. */
const BULLET = /^\(?(?:\d{1,3}|[a-z])[.)]$/i;

function trimmedTo(text: string, from: number, to: number): Range[] {
  const slice = text.slice(from, to);
  if (!WORD.test(slice)) return [];
  const start = from + slice.length - slice.trimStart().length;
  return [{ start, end: start + slice.trim().length }];
}

function paragraphs(text: string, from: number, to: number): Range[] {
  const found: Range[] = [];
  let start = from;
  for (const blank of text.slice(from, to).matchAll(/\n[ \t]*\r?\n/g)) {
    found.push({ start, end: from + blank.index });
    start = from + blank.index + blank[0].length;
  }
  found.push({ start, end: to });
  return found;
}

/** The words of a unit, white space as it stands in the document. */
export function textOf({ source, start, end }: Pick<Unit, 'source' | 'start' | 'end'>): string {
  return source.evidence.text.slice(start, end);
}

const LETTER = /[\p{L}\p{M}\p{N}_]/u;
/** What holds the parts of one name together: "subprocess.TimeoutExpired", "~/.bashrc", "--norc". */
const WITHIN = /[./:\\~$@-]/;
/** Longer than this nothing is one word. */
const LONGEST_WORD = 80;

/** A range that ends in the middle of a word or name, as it is written in full. */
export function wholeWords(text: string, { start, end }: Range): Range {
  let [from, to] = [start, end];
  const isLetter = (at: number) => LETTER.test(text[at] ?? '');
  if (isLetter(from)) {
    const least = Math.max(0, from - LONGEST_WORD);
    while (from > least && (isLetter(from - 1) || WITHIN.test(text[from - 1]!))) from -= 1;
  }
  if (isLetter(to - 1)) {
    const most = Math.min(text.length, to + LONGEST_WORD);
    while (to < most && (isLetter(to) || (WITHIN.test(text[to]!) && isLetter(to + 1)))) to += 1;
  }
  return { start: from, end: to };
}

/** A stretch of a passage as a quote. */
export function quoteOf(
  { source: { evidence }, start, end }: Pick<Unit, 'source' | 'start' | 'end'>,
  role: Quote['role'],
  of?: string,
): Quote {
  const { docId, passageId, text, start: offset } = evidence;
  return {
    text: text.slice(start, end),
    docId,
    passageId,
    start: start + offset,
    end: end + offset,
    role,
    ...(of === undefined ? {} : { of }),
  };
}

/** Whether two units stand in the same list, table or definition list. */
export function sameList(a: Unit, b: Unit): boolean {
  return (
    a.source.evidence.docId === b.source.evidence.docId &&
    a.part?.list != null &&
    a.part.list === b.part?.list
  );
}

export function wordsIn(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

/** Whether a passage goes on where the other ends, in the same section or entry. */
export function goesOn({ evidence: one }: Source, { evidence: next }: Source): boolean {
  return (
    next.docId === one.docId &&
    next.title === one.title &&
    next.start > one.start &&
    next.start - one.end <= GAP
  );
}

/** The passage that a quote or a span stands in; undefined where it is none of these. */
export function sourceOf(
  { passageId }: { passageId: string },
  sources: readonly Source[],
): Source | undefined {
  return sources.find(({ evidence }) => evidence.passageId === passageId);
}

/** Passages of one section have the same. */
export function sectionOf({ docId, title }: Evidence): string {
  return JSON.stringify([docId, title]);
}

/** The innermost heading of a passage, without its number. */
export function headingOf({ title }: Evidence): string {
  return innermostHeading(title);
}
