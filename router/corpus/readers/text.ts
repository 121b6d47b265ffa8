import type { Block } from '../types.ts';

const LIST_ITEM = /^[ \t]*(?:[-*+•‣▪–]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])[ \t]+\S/;
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

/**
 * Blocks of plain text between two offsets: paragraphs parted by blank lines; a paragraph most of whose lines begin
 * like list items is a list; a line underlined with "===" or "---" is a heading. The headings of a stretch with
 * headings above it are passed in.
 */
export function textBlocks(text: string, from = 0, to = text.length, above: readonly string[] = []): Block[] {
  const blocks: Block[] = [];
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
      // A heading with nothing below it in its paragraph stays text: the next paragraph carries it as a heading.
      body = paragraph.slice(2);
    }
    paragraph = [];
    if (body.length === 0) return;
    const items = body.filter((line) => LIST_ITEM.test(line.text)).length;
    const range = trimmed(text, body[0]!.start, body.at(-1)!.end);
    if (range.start === range.end) return;
    blocks.push({ ...range, headings, kind: items >= 2 && items * 2 >= body.length ? 'list' : 'prose' });
  };

  for (const line of linesOf(text, from, to)) {
    if (/\S/.test(line.text)) paragraph.push(line);
    else close();
  }
  close();
  return blocks;
}
