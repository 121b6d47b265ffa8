import type { Block, Part } from '../types.ts';
import { boldTerm, shortTerm } from './entry-terms.ts';
import { Outline } from './outline.ts';

const LIST_ITEM = /^[ \t]*(?:[-*+•‣▪–]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])[ \t]+(?=\S)/;
const NUMBERED = /^[ \t]*\(?(?:\d|[a-zA-Z][.)])/;
const UNDERLINE = /^[ \t]*([=~`^"*+-])\1{2,}[ \t]*$/;
/** Paragraphs that look like entries, from which on they are such: a single one may be chance. */
const LEAST_ENTRIES = 3;
/** Columns that what is said of a term is set in further than it, and words of a term, at least and at most. */
const HANGING = 2;
const TERM_WORDS = 4;
/** What ends a sentence, announces something, or is code. */
const NO_TERM = /[.,;:!?{}()]$|[{};]| = /;

interface Line {
  start: number;
  /** Without the line break. */
  end: number;
  text: string;
}

function* linesOf(text: string, from: number, to: number): Generator<Line> {
  const breaks = /\r\n|[\n\r]/g;
  breaks.lastIndex = from;
  let start = from;
  while (start < to) {
    const found = breaks.exec(text);
    const end = found === null || found.index > to ? to : found.index;
    yield { start, end, text: text.slice(start, end) };
    if (found === null) return;
    start = found.index + found[0].length;
  }
}

function trimmed(text: string, start: number, end: number): { start: number; end: number } {
  let from = start;
  let to = end;
  while (from < to && /\s/.test(text[from]!)) from += 1;
  while (to > from && /\s/.test(text[to - 1]!)) to -= 1;
  return { start: from, end: to };
}

/** The items of a list: each reaches to the next one that is set in no further than it. */
function addItems(outline: Outline, body: readonly Line[], to: number): void {
  const list = outline.nextList();
  const open: { part: Part; indent: number }[] = [];
  const positions: number[] = [];
  const closeTo = (indent: number, end: number) => {
    while (open.length > 0 && open.at(-1)!.indent >= indent) open.pop()!.part.end = end;
  };
  let solid = body[0]!.start;
  for (const line of body) {
    const mark = LIST_ITEM.exec(line.text)?.[0];
    if (mark !== undefined) {
      const indent = mark.length - mark.trimStart().length;
      closeTo(indent, solid);
      const depth = open.length;
      positions.length = depth + 1;
      positions[depth] = (positions[depth] ?? 0) + 1;
      const start = line.start + mark.length;
      const more = { depth, list, position: positions[depth]!, ordered: NUMBERED.test(mark) };
      open.push({ part: outline.part('item', start, start, more), indent });
    }
    const end = Math.min(line.end, to);
    solid = end - (line.text.length - line.text.trimEnd().length);
  }
  closeTo(-1, solid);
}

/** Columns before the first letter; a tab goes to the next eighth. */
function indentOf(line: string): number {
  let columns = 0;
  for (const char of line) {
    if (char === '\t') columns += 8 - (columns % 8);
    else if (char === ' ') columns += 1;
    else break;
  }
  return columns;
}

function leastIndent(lines: readonly Line[]): number {
  return Math.min(...lines.map(({ text }) => indentOf(text)));
}

/** The term of a paragraph whose other lines are set in further than the first; null: it is none of an entry. */
function hangingTerm([first, ...rest]: readonly Line[]): string | null {
  if (first === undefined || rest.length === 0 || LIST_ITEM.test(first.text)) return null;
  if (leastIndent(rest) < indentOf(first.text) + HANGING) return null;
  const term = first.text.trim();
  const words = term.split(/\s+/).length;
  return NO_TERM.test(term) || (words > TERM_WORDS && !term.startsWith('-')) ? null : boldTerm(term);
}

function* paragraphsOf(text: string, from: number, to: number): Generator<Line[]> {
  let paragraph: Line[] = [];
  for (const line of linesOf(text, from, to)) {
    if (/\S/.test(line.text)) paragraph.push(line);
    else if (paragraph.length > 0) {
      yield paragraph;
      paragraph = [];
    }
  }
  if (paragraph.length > 0) yield paragraph;
}

function hasEntries(text: string): boolean {
  let found = 0;
  for (const paragraph of paragraphsOf(text, 0, text.length)) {
    if (hangingTerm(paragraph) !== null) found += 1;
    if (found === LEAST_ENTRIES) return true;
  }
  return false;
}

/** Parts of a paragraph, and what it is. */
function addParagraph(outline: Outline, body: readonly Line[], end: number): Block['kind'] {
  const items = body.filter((line) => LIST_ITEM.test(line.text)).length;
  const list = items >= 2 && items * 2 >= body.length;
  if (list) addItems(outline, body, end);
  else {
    const { start, text } = body[0]!;
    outline.part('paragraph', start + (text.length - text.trimStart().length), end);
  }
  return list ? 'list' : 'prose';
}

/** An entry under way: what is set in further than its term belongs to it. */
interface Entry {
  term: string;
  indent: number;
  start: number;
  headings: readonly string[];
  description: Part;
}

/**
 * Adds the blocks of plain text between two offsets: paragraphs parted by blank lines; a paragraph most of whose lines
 * begin like list items is a list; a line underlined with "===" or "---" is a heading. With `entries` a short line with what
 * is set in below it is a term with its description.
 */
export function addText(outline: Outline, text: string, from = 0, to = text.length, entries = false): void {
  const above = outline.headings();
  let headings = above;
  let entry: Entry | null = null;
  let list: { number: number; position: number } | null = null;

  const finish = () => {
    if (entry === null) return;
    const { start, description, term } = entry;
    const path = [...entry.headings, shortTerm(term)];
    outline.add({ start, end: description.end, headings: path, kind: 'list', entry: true });
    entry = null;
  };

  for (const paragraph of paragraphsOf(text, from, to)) {
    const [first, underline] = paragraph;
    let body = paragraph;
    if (underline !== undefined && UNDERLINE.test(underline.text) && first!.text.trim().length <= 200) {
      finish();
      list = null;
      headings = [...above, first!.text.trim()];
      const title = trimmed(text, first!.start, first!.end);
      outline.part('heading', title.start, title.end, { depth: above.length });
      // A heading with nothing below it in its paragraph stays text: the next paragraph carries it as a heading.
      body = paragraph.slice(2);
    }
    if (body.length === 0) continue;
    const range = trimmed(text, body[0]!.start, body.at(-1)!.end);
    if (range.start === range.end) continue;
    if (entry !== null && leastIndent(body) > entry.indent) {
      addParagraph(outline, body, range.end);
      entry.description.end = range.end;
      continue;
    }
    finish();
    const term = entries ? hangingTerm(body) : null;
    if (term === null) {
      list = null;
      outline.add({ ...range, headings, kind: addParagraph(outline, body, range.end) });
      continue;
    }
    list ??= { number: outline.nextList(), position: 0 };
    list.position += 1;
    const more = { list: list.number, position: list.position, term };
    const [head, ...rest] = body;
    const named = trimmed(text, head!.start, head!.end);
    outline.part('term', named.start, named.end, more);
    const said = trimmed(text, rest[0]!.start, range.end);
    const description = outline.part('description', said.start, said.end, more);
    addParagraph(outline, rest, range.end);
    entry = { term, indent: indentOf(head!.text), start: named.start, headings, description };
  }
  finish();
}

/** Blocks and parts of a plain text with its entries, see `addText`. */
export function textBlocks(text: string): { blocks: Block[]; parts: Part[] } {
  const outline = new Outline();
  addText(outline, text, 0, text.length, hasEntries(text));
  return { blocks: outline.blocks, parts: outline.parts };
}
