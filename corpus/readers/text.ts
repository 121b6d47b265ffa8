import type { Block, Part } from '../types.ts';
import { Outline } from './outline.ts';

const LIST_ITEM = /^[ \t]*(?:[-*+•‣▪–]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])[ \t]+(?=\S)/;
const NUMBERED = /^[ \t]*\(?(?:\d|[a-zA-Z][.)])/;
const UNDERLINE = /^[ \t]*(=|-|~){3,}[ \t]*$/;

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

/**
 * Adds the blocks of plain text between two offsets: paragraphs parted by blank lines; a paragraph most of whose lines
 * begin like list items is a list; a line underlined with "===" or "---" is a heading.
 */
export function addText(outline: Outline, text: string, from = 0, to = text.length): void {
  const above = outline.headings();
  let headings = above;
  let paragraph: Line[] = [];

  const close = () => {
    const first = paragraph[0];
    const last = paragraph.at(-1);
    if (first === undefined || last === undefined) return;
    const underline = paragraph[1];
    let body = paragraph;
    if (underline !== undefined && UNDERLINE.test(underline.text) && first.text.trim().length <= 200) {
      headings = [...above, first.text.trim()];
      const title = trimmed(text, first.start, first.end);
      outline.part('heading', title.start, title.end, { depth: above.length });
      // A heading with nothing below it in its paragraph stays text: the next paragraph carries it as a heading.
      body = paragraph.slice(2);
    }
    paragraph = [];
    if (body.length === 0) return;
    const items = body.filter((line) => LIST_ITEM.test(line.text)).length;
    const range = trimmed(text, body[0]!.start, body.at(-1)!.end);
    if (range.start === range.end) return;
    const list = items >= 2 && items * 2 >= body.length;
    if (list) addItems(outline, body, range.end);
    else outline.part('paragraph', range.start, range.end);
    outline.add({ ...range, headings, kind: list ? 'list' : 'prose' });
  };

  for (const line of linesOf(text, from, to)) {
    if (/\S/.test(line.text)) paragraph.push(line);
    else close();
  }
  close();
}

/** Blocks and parts of a plain text, see `addText`. */
export function textBlocks(text: string): { blocks: Block[]; parts: Part[] } {
  const outline = new Outline();
  addText(outline, text);
  return { blocks: outline.blocks, parts: outline.parts };
}
