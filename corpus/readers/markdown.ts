import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import type { Block, Part } from '../types.ts';
import { boldTerm, shortTerm } from './entry-terms.ts';
import { cleanTitle } from './offsets.ts';
import { Outline } from './outline.ts';
import { addText } from './text.ts';

type Root = ReturnType<typeof fromMarkdown>;
type Node = Root['children'][number];
type List = Extract<Node, { type: 'list' }>;
type Table = Extract<Node, { type: 'table' }>;

// Only blocks are of interest. Without its inline constructs the parser is faster and has fewer slow inputs.
const BLOCKS_ONLY = {
  disable: {
    null: [
      'attention',
      'autolink',
      'characterEscape',
      'characterReference',
      'codeText',
      'hardBreakEscape',
      'htmlText',
      'labelEnd',
      'labelStartImage',
      'labelStartLink',
    ],
  },
};

/** The parser's time grows with the square of a few things, so it is given this much at a time. */
const SOFT_CHUNK = 4096;
const HARD_CHUNK = 8192;
const MAX_LINES = 150;
const MAX_UNDERLINES = 20;
/** Containers nested this deep in one line are no document. A rule (`- - -`) is none of them, however long it is. */
const DEEP = /^(?![ \t]*([*-])(?:[ \t]*\1)*[ \t]*$)[ \t]*(?:>[ \t]*|(?:[*+-]|\d{1,9}[.)])[ \t]+){40,}/m;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const FRONT_MATTER =
  /^---[ \t]*(?:\r\n|\n|\r)([\s\S]{0,20000}?)(?:\r\n|\n|\r)(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|$)/;

interface Chunk {
  start: number;
  end: number;
  /** Begins within fenced code. */
  code: boolean;
  /** Ends where a blank line is, so that what follows stands on its own. */
  whole: boolean;
}

/** Cuts Markdown into stretches that can be parsed alone: at blank lines outside of code, or where it gets long. */
function* chunks(text: string, from: number): Generator<Chunk> {
  const lines = /([^\n\r]*)(\r\n|\n|\r|$)/g;
  lines.lastIndex = from;
  let start = from;
  let fence = '';
  let code = false;
  let count = 0;
  let underlines = 0;
  for (;;) {
    const line = lines.exec(text);
    if (line === null || line[0] === '') break;
    const content = line[1]!;
    const end = line.index + line[0].length;
    const mark = FENCE.exec(content)?.[1];
    let closed = false;
    if (fence === '' && mark !== undefined) fence = mark;
    else if (fence !== '' && mark?.startsWith(fence) && content.trim() === mark) {
      fence = '';
      closed = true;
    }
    if (/^\s*(?:=+|-+)\s*$/.test(content)) underlines += 1;
    count += 1;
    const whole = (fence === '' && content.trim() === '') || closed;
    const long = end - start >= HARD_CHUNK || count >= MAX_LINES || underlines >= MAX_UNDERLINES;
    if ((whole && end - start >= SOFT_CHUNK) || long || (code && closed)) {
      yield { start, end, code, whole };
      start = end;
      code = fence !== '';
      count = 0;
      underlines = 0;
    }
  }
  if (start < text.length) yield { start, end: text.length, code, whole: true };
}

/** The end of the rows at the start of a stretch that go on with the table before it. */
function rowsEnd(text: string, { start, end }: Chunk): number {
  let at = start;
  for (const line of text.slice(start, end).matchAll(/[^\n\r]*(?:\r\n|\n|\r|$)/g)) {
    if (!line[0].includes('|')) break;
    at = start + line.index + line[0].length;
  }
  return at;
}

function headingText(raw: string): string {
  const unlinked = raw.replace(/!?\[([^\][]*)\]\([^()]*\)/g, '$1');
  return cleanTitle(unlinked.replace(/[*`]|~~|(?<!\w)_|_(?!\w)/g, ''));
}

function textOf(node: { children?: readonly object[] } | object): string {
  const children = 'children' in node ? (node.children as readonly object[]) : [];
  return children.map((child) => ('value' in child ? child.value : '')).join(' ');
}

function firstLine(text: string, start: number, end: number): Block['header'] {
  const line = /^[^\n\r]*/.exec(text.slice(start, end))![0];
  return { text: cleanTitle(line), end: start + line.length };
}

const KINDS: Partial<Record<Node['type'], Block['kind']>> = {
  paragraph: 'prose',
  blockquote: 'prose',
  footnoteDefinition: 'prose',
  list: 'list',
  table: 'table',
  code: 'code',
};

/** A list that a stretch ends in, which the next one may go on with. */
interface OpenList {
  number: number;
  ordered: boolean;
  position: number;
  /** The number that its next item would have. */
  next: number;
}

/** What a paragraph or item begins with in bold, followed by something else. */
function leadTerm(text: string, start: number, end: number): string | null {
  const match = /^(\*\*|__)(?=\S)([^*_\n\r]{1,200})\1[ \t]*[^\s*_]/.exec(
    text.slice(start, Math.min(end, start + 300)),
  );
  return match === null ? null : boldTerm(headingText(match[2]!));
}

/** One stretch that was parsed: its nodes' places in the whole text, and the parts that they are. */
class Stretch {
  readonly #outline: Outline;
  readonly #text: string;
  readonly #from: number;
  /** Set where the last node is a list. */
  open: OpenList | null = null;

  constructor(outline: Outline, text: string, from: number) {
    this.#outline = outline;
    this.#text = text;
    this.#from = from;
  }

  range(node: { position?: Node['position'] }): { start: number; end: number } {
    const start = this.#from + (node.position?.start.offset ?? 0);
    return { start, end: this.#from + (node.position?.end.offset ?? 0) };
  }

  #paragraph(node: Node, depth: number): void {
    const { start, end } = this.range(node);
    this.#outline.part('paragraph', start, end, { depth, term: leadTerm(this.#text, start, end) });
  }

  /** Code without its fences. */
  #code(node: Node, depth: number): void {
    let { start, end } = this.range(node);
    const fence = FENCE.exec(this.#text.slice(start, start + 80))?.[1];
    if (fence !== undefined) {
      const lines = [...this.#text.slice(start, end).matchAll(/[^\n\r]+/g)];
      const closed = lines.length > 1 && lines.at(-1)![0].trim().startsWith(fence);
      const content = lines.slice(1, closed ? -1 : undefined);
      if (content.length === 0) return;
      end = start + content.at(-1)!.index + content.at(-1)![0].length;
      start += content[0]!.index;
    }
    this.#outline.part('code', start, end, { depth });
  }

  #table(node: Table, depth: number): void {
    const list = this.#outline.nextList();
    node.children.forEach((row, position) => {
      const { start, end } = this.range(row);
      const [first] = row.children;
      const name =
        position > 0 && first !== undefined && row.children.length > 1 ? headingText(textOf(first)) : '';
      this.#outline.part('row', start, end, { depth, list, position, term: name === '' ? null : name });
    });
  }

  #list(node: List, depth: number, before: OpenList | null): void {
    const ordered = node.ordered === true;
    const goesOn = before?.ordered === ordered && (!ordered || node.start === before.next);
    const number = goesOn ? before.number : this.#outline.nextList();
    let position = goesOn ? before.position : 0;
    for (const item of node.children) {
      position += 1;
      const [first] = item.children;
      if (first === undefined) continue;
      const { start } = this.range(first);
      const { end } = this.range(item);
      const paragraph = first.type === 'paragraph';
      const term = paragraph ? leadTerm(this.#text, start, end) : null;
      this.#outline.part('item', start, end, { depth, list: number, position, ordered, term });
      // An item of one paragraph is that paragraph.
      const alone = paragraph && item.children.length === 1;
      for (const child of item.children) if (!(alone && child === first)) this.add(child, depth + 1);
    }
    this.open = { number, ordered, position, next: (node.start ?? 1) + node.children.length };
  }

  /** The parts of a node that stands in so many lists; `before` is the list that a first node may go on with. */
  add(node: Node, depth = 0, before: OpenList | null = null): void {
    this.open = null;
    if (node.type === 'paragraph' || node.type === 'html') this.#paragraph(node, depth);
    else if (node.type === 'code') this.#code(node, depth);
    else if (node.type === 'table') this.#table(node, depth);
    else if (node.type === 'list') this.#list(node, depth, before);
    else if (node.type === 'heading') {
      const { start, end } = this.range(node);
      this.#outline.part('heading', start, end, { depth: node.depth - 1 });
    } else if (node.type === 'blockquote' || node.type === 'footnoteDefinition') {
      for (const child of node.children) this.add(child, depth);
      this.open = null;
    }
  }
}

interface DefinitionLine {
  start: number;
  end: number;
  text: string;
  /** What it describes begins behind a colon. */
  mark: number;
}

/** Entries written as a term and, on the lines below it, ": description". False: the paragraph holds none. */
function addDefinitions(outline: Outline, text: string, start: number, end: number): boolean {
  const found = text.slice(start, end).matchAll(/[^\n\r]+/g);
  const lines = Array.from(found, ({ 0: line, index }): DefinitionLine => {
    const mark = /^ {0,3}:[ \t]+(?=\S)/.exec(line)?.[0].length ?? 0;
    return { start: start + index, end: start + index + line.trimEnd().length, text: line, mark };
  });
  const begins = (at: number) => lines[at]!.mark === 0 && (lines[at + 1]?.mark ?? 0) > 0;
  if (lines.length < 2 || !begins(0)) return false;
  const list = outline.nextList();
  let position = 0;
  for (let at = 0; at < lines.length; ) {
    let to = at + 1;
    while (to < lines.length && !begins(to)) to += 1;
    position += 1;
    const first = lines[at]!;
    const last = lines[to - 1]!;
    const term = headingText(first.text);
    outline.part('term', first.start, first.end, { list, position, term });
    for (let i = at + 1; i < to; i += 1) {
      if (lines[i]!.mark === 0) continue;
      let until = i;
      while (until + 1 < to && lines[until + 1]!.mark === 0) until += 1;
      const from = lines[i]!.start + lines[i]!.mark;
      outline.part('description', from, lines[until]!.end, { list, position, term });
    }
    const headings = [...outline.headings(), shortTerm(term)];
    outline.add({ kind: 'list', start: first.start, end: last.end, headings, entry: true });
    at = to;
  }
  return true;
}

function addParsed(
  outline: Outline,
  text: string,
  from: number,
  to: number,
  before: OpenList | null,
): OpenList | null {
  const source = text.slice(from, to);
  if (DEEP.test(source)) {
    addText(outline, text, from, to);
    return null;
  }
  const tree = fromMarkdown(source, {
    extensions: [gfm(), BLOCKS_ONLY],
    mdastExtensions: [gfmFromMarkdown()],
  });
  const stretch = new Stretch(outline, text, from);
  tree.children.forEach((node, place) => {
    const { start, end } = stretch.range(node);
    const kind = KINDS[node.type];
    if (node.type === 'heading') {
      const [first] = node.children;
      const words = first === undefined ? start : stretch.range(first).start;
      outline.heading(node.depth, headingText(textOf(node)), start, end, words);
    } else if (node.type === 'paragraph' && addDefinitions(outline, text, start, end)) return;
    else if (kind !== undefined) {
      stretch.add(node, 0, place === 0 ? before : null);
      const header = kind === 'table' ? { header: firstLine(text, start, end)! } : {};
      outline.add({ kind, start, end, ...header });
    } else if (node.type === 'html' && /\w/.test(node.value.replace(/<!--[\s\S]*?-->|<[^>]*>/g, ''))) {
      stretch.add(node);
      outline.add({ kind: 'prose', start, end });
    }
  });
  return tree.children.at(-1)?.type === 'list' ? stretch.open : null;
}

/** Rows of a table that goes on in another stretch. */
function addRows(outline: Outline, text: string, start: number, end: number): void {
  const last = outline.parts.at(-1);
  let position = last?.kind === 'row' ? (last.position ?? 0) : 0;
  const list = last?.kind === 'row' && last.list !== null ? last.list : outline.nextList();
  for (const line of text.slice(start, end).matchAll(/[^\n\r]+/g)) {
    position += 1;
    const row = line[0].trim();
    const name = headingText(row.replace(/^\|/, '').split('|')[0]!);
    const from = start + line.index + line[0].indexOf(row);
    outline.part('row', from, from + row.length, { list, position, term: name === '' ? null : name });
  }
}

/**
 * Structure of a Markdown text (GFM tables included, and terms with ": description" below them) and its title: that of the front matter, else a first heading of
 * level one, else "". Front matter itself is not indexed. Inline markup stays in the text as it was written.
 */
export function markdownBlocks(text: string): { title: string; blocks: Block[]; parts: Part[] } {
  const front = FRONT_MATTER.exec(text);
  const outline = new Outline();
  const named = /^title:[ \t]*(["']?)(.+?)\1[ \t]*$/m.exec(front?.[1] ?? '')?.[2];
  if (named !== undefined) outline.title = cleanTitle(named);

  let before: Chunk | undefined;
  let list: OpenList | null = null;
  for (const chunk of chunks(text, front?.[0].length ?? 0)) {
    const last = outline.blocks.at(-1);
    let { start } = chunk;
    if (before?.whole === false && last?.kind === 'table' && text.slice(last.end, start).trim() === '') {
      start = rowsEnd(text, chunk);
      const end = chunk.start + text.slice(chunk.start, start).trimEnd().length;
      addRows(outline, text, chunk.start, end);
      outline.add({ kind: 'table', start: chunk.start, end, ...(last.header && { header: last.header }) });
    }
    before = chunk;
    if (chunk.code) {
      const end = start + text.slice(start, chunk.end).trimEnd().length;
      outline.part('code', start, end);
      outline.add({ kind: 'code', start, end });
      list = null;
    } else list = addParsed(outline, text, start, chunk.end, list);
  }
  outline.finish();
  return { title: outline.title, blocks: outline.blocks, parts: outline.parts };
}
