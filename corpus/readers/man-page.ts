import type { Block, Part } from '../types.ts';
import { Edited } from './edited.ts';
import { cleanTitle, linePositions } from './offsets.ts';
import { Outline } from './outline.ts';
import { addText, hasEntries, indentOf, isListItem, type Line, linesOf } from './text.ts';

/** "GREP(1)      User Commands      GREP(1)", with which a page begins. */
const HEADER = /^[ \t]*(\S{1,80}\(\d[\w+]{0,9}\))[ \t]{2,}.*[ \t]\1[ \t]*$/;
/** "Linux      June 2020      Linux", with which one may end. */
const FOOTER = /^(\S.{0,80}?)[ \t]{3,}\S.*[ \t]{3,}\1[ \t]*$/;
/** The hyphen that nothing but the end of a line puts into a word. */
const BROKEN_WORD = /(?<=\p{L})\u2010[ \t]*\r?\n[ \t]*(?=\p{L})/gu;
/** Columns that a term has for itself where what is said of it begins beside it. */
const TAG = 7;
/** Of a header or footer. */
const MOST_COLUMNS = 500;
/** Characters of a heading. */
const MOST_HEADED = 200;
/** What is called so shows how something is called, and explains none of it. */
const SYNOPSIS = /^SYNOPSIS$/i;

/** Whether a text is what `man` prints of manual pages. */
export function isManPage(text: string): boolean {
  for (const line of linesOf(text, 0, text.length)) {
    if (/\S/.test(line.text)) return isHeader(line);
  }
  return false;
}

/** Longer ones are no lines of a page, and would be looked through again and again. */
function isHeader({ text }: Line): boolean {
  return text.length <= MOST_COLUMNS && HEADER.test(text);
}

function isFooter({ text }: Line, name: string): boolean {
  return text.length <= MOST_COLUMNS && (FOOTER.test(text) || text.trimEnd().endsWith(name));
}

/**
 * Manual pages as `man` prints them, one or several: each is called by its name and section, what is set in less than its text
 * is a heading, and words are whole that the end of a line breaks. Headers and footers are no text.
 */
export function readManPage(source: string): {
  title: string;
  text: string;
  blocks: readonly Block[];
  parts: readonly Part[];
  positionAt: (offset: number) => string;
} {
  const breaks = [...source.matchAll(BROKEN_WORD)];
  const whole = new Edited(
    source,
    breaks.map(({ index, 0: { length } }) => ({ start: index, end: index + length, text: '' })),
  );
  const { text } = whole;
  const outline = new Outline();
  const lines = [...linesOf(text, 0, text.length)].filter(({ text }) => /\S/.test(text));
  const entries = hasEntries(text);
  for (let i = 0; i < lines.length; ) {
    const page = i;
    do i += 1;
    while (i < lines.length && !isHeader(lines[i]!));
    addPage(outline, text, lines.slice(page, i), entries);
  }
  outline.finish();
  const lineAt = linePositions(source);
  const { title, blocks, parts } = outline;
  return { title, text, blocks, parts, positionAt: (offset) => lineAt(whole.from(offset)) };
}

/** `lines`: of one page that hold anything, its header first. */
function addPage(
  outline: Outline,
  text: string,
  [header, ...lines]: readonly Line[],
  entries: boolean,
): void {
  const name = HEADER.exec(header!.text)![1]!;
  const at = header!.start + header!.text.indexOf(name);
  outline.heading(1, nameOf(name, lines), at, at + name.length);
  const said = lines.filter((line) => indentOf(line.text) > 0 || !isFooter(line, name));
  // The first section has the name of the page and nothing else.
  const indent = indentOf(said.find(({ text }) => indentOf(text) > 0)?.text ?? '');
  const column = indent + TAG;
  let from: number | null = null;
  let shown = entries;
  const add = (to: number) => {
    if (from !== null && from < to) addText(outline, text, from, to, { entries: shown, column });
    from = null;
  };
  for (let i = 0; i < said.length; i += 1) {
    const line = said[i]!;
    const depth = indentOf(line.text);
    if (depth >= indent || isListItem(line.text)) {
      from ??= line.start;
      continue;
    }
    const first = i;
    while (i + 1 < said.length && indentOf(said[i + 1]!.text) === depth) i += 1;
    const heading = said.slice(first, i + 1);
    const below = said[i + 1];
    const start = line.start + (line.text.length - line.text.trimStart().length);
    const end = heading.at(-1)!.end;
    // Nothing is set in below what is text itself.
    if (below === undefined || indentOf(below.text) < depth || end - start > MOST_HEADED) {
      from ??= line.start;
      continue;
    }
    add(line.start);
    const title = cleanTitle(text.slice(start, end));
    outline.heading(depth === 0 ? 2 : 3, title, start, start + text.slice(start, end).trimEnd().length);
    shown = entries && !SYNOPSIS.test(title);
  }
  add(said.at(-1)?.end ?? 0);
}

/** The name of a page as it writes it itself: "grep(1)". */
function nameOf(name: string, lines: readonly Line[]): string {
  const [bare, section] = name.split('(');
  const own = lines
    .slice(0, 10)
    .flatMap(({ text }) => text.split(/[\s,]+/))
    .find((word) => word !== bare && word.toLowerCase() === bare!.toLowerCase());
  return `${own ?? bare}(${section}`;
}
