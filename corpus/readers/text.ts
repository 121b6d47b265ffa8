import type { Block, Part } from '../types.ts';
import { boldTerm, shortTerm } from './entry-terms.ts';
import { cleanTitle } from './offsets.ts';
import { Outline } from './outline.ts';

const LIST_ITEM = /^[ \t]*(?:[-*+•‣▪–]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])[ \t]+(?=\S)/;
const NUMBERED = /^[ \t]*\(?(?:\d|[a-zA-Z][.)])/;
const UNDERLINE = /^[ \t]*([=~-]{3,}|([`^"*+])\2{2,})[ \t]*$/;
/** "== Heading ==", as wikis have it. */
const WIKI_HEADING = /^(={2,6})[ \t]*([^=\s](?:[^\n]{0,198}[^=\s])?)[ \t]*\1[ \t]*$/;
/** Of DokuWiki and Zim, where the heading of a page has most signs; elsewhere it has fewest. */
const MOST_SIGNS_FIRST = /^={5,6}[^=\n]/m;
const MOST_SIGNS = 6;
/** What a page of Zim begins with. */
const WIKI_HEADER = /^Content-Type: text\/x-zim-wiki\b/;
/** "Q: Why?" and "A: Because", as lists of questions have them. */
const QUESTION = /^[ \t]*Q(?:uestion)?[ \t]?\d{0,3}:[ \t]+(?=\S)/;
const ANSWER = /^[ \t]*A(?:nswer)?[ \t]?\d{0,3}:[ \t]+(?=\S)/;
/** How many of both at least, and how long a question is that can be a heading. */
const LEAST_QUESTIONS = 3;
const MOST_ASKED = 200;
/** How many paragraphs at least, and what share of all, have to look like entries to be such: a few may be chance. */
const LEAST_ENTRIES = 3;
const LEAST_SHARE = 0.02;
/** Columns that what is said of a term is set in further than it, and words of a term, at least and at most. */
const HANGING = 2;
const TERM_WORDS = 4;
/** What ends a sentence, announces something, or is code. */
const NO_TERM = /[.,;:!?{}()]$|[{};]| = |="/;
/** What may stand behind a term. */
const BEHIND = / \([\p{L} ]+\)$/u;
/** How letters begin and end, and what counts: it has something set in below it, and is explained by none of that. */
const NO_THING =
  /^(?:dear|hi|hello|best|kind|warm|regards|sincerely|yours|thanks|(?:step|day|week|part|chapter|section|figure|table|act|scene|verse)\s+(?:\d|[ivxlc]+\b).*)\b/i;
/** Sections of a manual page: what is set in below one of them is no description of its name. */
const SECTION =
  /^(?:NAME|SYNOPSIS|DESCRIPTION|OPTIONS|COMMANDS|USAGE|ARGUMENTS|ENVIRONMENT(?: VARIABLES)?|FILES|CONFIGURATION|EXAMPLES?|NOTES?|DIAGNOSTICS|(?:EXIT|RETURN) (?:STATUS|VALUES?|CODES?)|SEE ALSO|AUTHORS?|BUGS|REPORTING BUGS|COPYRIGHT|HISTORY|STANDARDS|SECURITY)$/;

export interface Line {
  start: number;
  /** Without the line break. */
  end: number;
  text: string;
}

export function* linesOf(text: string, from: number, to: number): Generator<Line> {
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

export function isListItem(line: string): boolean {
  return LIST_ITEM.test(line);
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
export function indentOf(line: string): number {
  let columns = 0;
  for (const char of line) {
    if (char === '\t') columns += 8 - (columns % 8);
    else if (char === ' ') columns += 1;
    else break;
  }
  return columns;
}

function leastIndent(lines: readonly Line[]): number {
  return lines.reduce((least, { text }) => Math.min(least, indentOf(text)), Number.POSITIVE_INFINITY);
}

/** A paragraph that says something of a term: the line of the term, and the lines of what is said. */
interface Explained {
  term: string;
  head: Line;
  rest: readonly Line[];
}

/**
 * The term of a paragraph whose other lines are set in further than the first; null: it is none of an entry. `column`: of manual
 * pages, where what is said of a short term begins beside it, in this column if it is no longer than the line.
 */
function explainedIn(body: readonly Line[], column: number | null): Explained | null {
  const [head, ...rest] = body;
  if (head === undefined || LIST_ITEM.test(head.text)) return null;
  if (leastIndent(rest) < indentOf(head.text) + HANGING) return null;
  const apart = column === null || head.text.includes('\t') ? null : besideIn(body, column);
  if (apart !== null && /\s{2}$/.test(apart.head.text)) return apart;
  const term = rest.length === 0 ? null : termIn(head.text);
  return term === null ? apart : { term, head, rest };
}

/** A paragraph with what is said of its term beside it: where its other lines begin, or in a column where it has none. */
function besideIn([head, ...rest]: readonly Line[], column: number): Explained | null {
  const at = rest.length === 0 ? column : leastIndent(rest);
  const [beside, said] = [head!.text.slice(0, at), head!.text.slice(at)];
  const isApart = rest.length === 0 ? /\S {2,}$/.test(beside) : /\S +$/.test(beside);
  const term = isApart && /^\S/.test(said) ? termIn(beside) : null;
  if (term === null) return null;
  const middle = head!.start + at;
  return {
    term,
    head: { start: head!.start, end: middle, text: beside },
    rest: [{ start: middle, end: head!.end, text: said }, ...rest],
  };
}

function termIn(line: string): string | null {
  const term = line.trim();
  if (NO_TERM.test(term.replace(BEHIND, '')) || NO_THING.test(term)) return null;
  if (!term.startsWith('-') && term.split(/\s+/).length > TERM_WORDS) return null;
  return boldTerm(term);
}

/** Lines that are the title of a section: one that is underlined, or one of a manual page with what is set in below it. */
function titleLines([first, second, ...more]: readonly Line[], entries: boolean): 0 | 1 | 2 {
  if (first === undefined || second === undefined) return 0;
  const title = first.text.trim();
  const [, line, other] = UNDERLINE.exec(second.text) ?? [];
  // Three back quotes begin code, and a row of stars may part sections.
  if (line !== undefined && title.length <= 200 && (other === undefined || line.length >= title.length)) {
    return 2;
  }
  const isSet = leastIndent([second, ...more]) >= indentOf(first.text) + HANGING;
  return entries && SECTION.test(first.text) && isSet ? 1 : 0;
}

function wikiHeading(line: Line): { signs: string; start: number; end: number } | null {
  const [, signs, title] = WIKI_HEADING.exec(line.text) ?? [];
  if (signs === undefined || title === undefined) return null;
  const start = line.start + line.text.indexOf(title, signs.length);
  return { signs, start, end: start + title.length };
}

function* paragraphsOf(text: string, from: number, to: number): Generator<Line[]> {
  let paragraph: Line[] = [];
  for (const line of linesOf(text, from, to)) {
    const isText = /\S/.test(line.text);
    const ends = !isText || (line.text.startsWith('==') && wikiHeading(line) !== null);
    if (ends && paragraph.length > 0) {
      yield paragraph;
      paragraph = [];
    }
    if (isText) paragraph.push(line);
  }
  if (paragraph.length > 0) yield paragraph;
}

/**
 * The end of the list that begins with a paragraph, its items parted by blank lines: what is set in below an item goes on with
 * it, but not below numbers at the margin, which sections have. Of no list the end of the paragraph.
 */
function endOfList(paragraphs: readonly Line[][], from: number): number {
  const isItem = (paragraph: Line[]) =>
    LIST_ITEM.test(paragraph[0]!.text) && titleLines(paragraph, false) === 0;
  if (!isItem(paragraphs[from]!)) return from + 1;
  const { text } = paragraphs[from]![0]!;
  const [margin, numbered] = [indentOf(text), NUMBERED.test(text)];
  let [end, items] = [from + 1, 1];
  for (; end < paragraphs.length; end += 1) {
    const paragraph = paragraphs[end]!;
    const further = leastIndent(paragraph) - margin;
    const isAlike = further > 0 || (further === 0 && NUMBERED.test(paragraph[0]!.text) === numbered);
    if (isAlike && isItem(paragraph)) items += 1;
    else if (further < HANGING || (numbered && margin === 0)) break;
  }
  return items > 1 ? end : from + 1;
}

/** Paragraphs, those that are the items of one list put together. */
function withLists(paragraphs: readonly Line[][]): Line[][] {
  const all: Line[][] = [];
  for (let from = 0; from < paragraphs.length; ) {
    const end = endOfList(paragraphs, from);
    all.push(paragraphs.slice(from, end).flat());
    from = end;
  }
  return all;
}

/** Whether a text has entries: enough different terms, which do not come again like the names in a play. */
export function hasEntries(text: string): boolean {
  const terms = new Set<string>();
  let [found, all] = [0, 0];
  for (const paragraph of paragraphsOf(text, 0, text.length)) {
    all += 1;
    const explained = explainedIn(paragraph.slice(titleLines(paragraph, true)), null);
    if (explained === null) continue;
    found += 1;
    terms.add(explained.term);
  }
  return terms.size >= LEAST_ENTRIES && terms.size * 2 > found && found >= LEAST_SHARE * all;
}

/** Whether a text is a list of questions with their answers. */
function hasQuestions(text: string): boolean {
  return [QUESTION, ANSWER].every(
    (mark) => (text.match(new RegExp(mark.source, 'gm')) ?? []).length >= LEAST_QUESTIONS,
  );
}

/** The question that a paragraph begins with, and what stands below it there; null: none. */
function questionIn(paragraph: readonly Line[]): { start: number; end: number; below: Line[] } | null {
  const [first] = paragraph;
  const mark = QUESTION.exec(first!.text)?.[0];
  if (mark === undefined) return null;
  const answer = paragraph.findIndex((line) => ANSWER.test(line.text));
  const asked = answer < 0 ? paragraph : paragraph.slice(0, answer);
  const [start, end] = [first!.start + mark.length, asked.at(-1)!.end];
  return { start, end, below: paragraph.slice(asked.length) };
}

/** Without the mark of an answer. */
function answered([first, ...rest]: readonly Line[]): Line[] {
  const mark = ANSWER.exec(first!.text)?.[0].length ?? 0;
  return [{ ...first!, start: first!.start + mark, text: first!.text.slice(mark) }, ...rest];
}

/** Parts of a paragraph, and what it is. */
function addParagraph(outline: Outline, body: readonly Line[], end: number): Block['kind'] {
  const [items, others] = [true, false].map((is) => body.filter((line) => LIST_ITEM.test(line.text) === is));
  const [first] = body;
  const hang = LIST_ITEM.test(first!.text) && leastIndent(others!) >= indentOf(first!.text) + HANGING;
  const list = items!.length >= 2 && (hang || items!.length >= others!.length);
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
  kind: Block['kind'];
}

/**
 * Adds the blocks of plain text between two offsets: paragraphs parted by blank lines; one most of whose lines begin like list
 * items, or whose other lines are set in below them, is a list, and so are several of them; a line underlined with "===" or
 * "---", or between signs as wikis have it, is a heading. With `entries` a short line with what is set in below it is a term
 * with its description, and what sections of manual pages are called are headings too; with `questions` those that "Q:"
 * stands before. `column`: where what is said of a short term begins beside it, if it may.
 */
export function addText(
  outline: Outline,
  text: string,
  from = 0,
  to = text.length,
  { entries = false, questions = false, column = null as number | null } = {},
): void {
  const above = outline.headings();
  let headings = above;
  const wiki: { level: number; title: string }[] = [];
  let mostFirst: boolean | undefined;
  let entry: Entry | null = null;
  let list: { number: number; position: number } | null = null;

  const finish = () => {
    if (entry === null) return;
    const { start, description, term, kind } = entry;
    const path = [...entry.headings, shortTerm(term)];
    outline.add({ start, end: description.end, headings: path, kind, entry: true });
    entry = null;
  };

  /** A heading below others, which ends what is under way. */
  const begin = (
    { start, end }: Pick<Block, 'start' | 'end'>,
    path: readonly string[],
    title = text.slice(start, end),
  ) => {
    finish();
    list = null;
    outline.part('heading', start, end, { depth: path.length });
    headings = [...path, title];
  };
  const wikiPath = () => [...above, ...wiki.map(({ title }) => title)];

  for (const paragraph of withLists([...paragraphsOf(text, from, to)])) {
    const [first] = paragraph;
    if (first!.start === 0 && WIKI_HEADER.test(first!.text)) continue;
    const found = wikiHeading(first!);
    if (found !== null) {
      const { signs } = found;
      mostFirst ??= MOST_SIGNS_FIRST.test(text);
      const level = mostFirst ? -signs.length : signs.length;
      while (wiki.length > 0 && wiki.at(-1)!.level >= level) wiki.pop();
      const isPage = outline.title === '' && wiki.length === 0 && signs.length === MOST_SIGNS;
      const title = text.slice(found.start, found.end);
      begin(found, wikiPath());
      if (isPage) {
        // Its name stands above all of it.
        outline.title = title;
        headings = above;
      } else wiki.push({ level, title });
    }
    let body = found === null ? paragraph : paragraph.slice(1);
    const asked = questions && body.length > 0 ? questionIn(body) : null;
    if (asked !== null) {
      const question = trimmed(text, asked.start, asked.end);
      if (question.end - question.start <= MOST_ASKED) {
        begin(question, wikiPath(), cleanTitle(text.slice(question.start, question.end)));
        body = asked.below;
      } else {
        // A long one stays text, below no other.
        finish();
        list = null;
        headings = wikiPath();
      }
    }
    if (questions && body.length > 0) body = answered(body);
    const lines = found === null && asked === null ? titleLines(paragraph, entries) : 0;
    if (lines > 0) {
      begin(trimmed(text, first!.start, first!.end), above);
      // A heading with nothing below it in its paragraph stays text: the next paragraph carries it as a heading.
      body = paragraph.slice(lines);
    }
    if (body.length === 0) continue;
    const range = trimmed(text, body[0]!.start, body.at(-1)!.end);
    if (range.start === range.end) continue;
    const explained = entries ? explainedIn(body, column) : null;
    // What is set in belongs to the entry, unless it is one itself.
    if (entry !== null && explained === null && leastIndent(body) > entry.indent) {
      if (addParagraph(outline, body, range.end) === 'list') entry.kind = 'list';
      entry.description.end = range.end;
      continue;
    }
    finish();
    if (explained === null) {
      list = null;
      outline.add({ ...range, headings, kind: addParagraph(outline, body, range.end) });
      continue;
    }
    list ??= { number: outline.nextList(), position: 0 };
    list.position += 1;
    const { term, head, rest } = explained;
    const more = { list: list.number, position: list.position, term };
    const named = trimmed(text, head.start, head.end);
    outline.part('term', named.start, named.end, more);
    const said = trimmed(text, rest[0]!.start, range.end);
    const description = outline.part('description', said.start, said.end, more);
    const kind = addParagraph(outline, rest, range.end);
    entry = { term, indent: indentOf(head.text), start: named.start, headings, description, kind };
  }
  finish();
}

/** Title (of a page of a wiki; others have none), blocks and parts of a plain text with its entries, see `addText`. */
export function textBlocks(text: string): { title?: string; blocks: Block[]; parts: Part[] } {
  const outline = new Outline();
  addText(outline, text, 0, text.length, { entries: hasEntries(text), questions: hasQuestions(text) });
  const { title, blocks, parts } = outline;
  return { ...(title !== '' && { title }), blocks, parts };
}
