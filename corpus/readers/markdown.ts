import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import type { Block, Part } from '../types.ts';
import { endsCode, FENCE } from './code-fences.ts';
import { type Edit, Edited } from './edited.ts';
import { addDefinitions, type Entry, entryAt, leadTerm } from './markdown-entries.ts';
import { type AnyNode, type Node, noteMarks, plainOf, withoutTags } from './markdown-inline.ts';
import { cleanTitle, linePositions } from './offsets.ts';
import { Outline } from './outline.ts';
import { addText } from './text.ts';

type List = Extract<Node, { type: 'list' }>;
type Table = Extract<Node, { type: 'table' }>;
type Row = Table['children'][number];

/** The parser's time grows with the square of a few things, so it is given this much at a time. */
const SOFT_CHUNK = 4096;
const LATE_CHUNK = 6144;
/** How a heading begins, or a name in bold or as code. */
const BEGINS = /^ {0,3}(?:#|\*\*|__|`[^`])/;
const HARD_CHUNK = 8192;
const MAX_LINES = 150;
const MAX_UNDERLINES = 20;
/** Containers nested this deep in one line are no document. A rule (`- - -`) is none of them, however long it is. */
const DEEP = /^(?![ \t]*([*-])(?:[ \t]*\1)*[ \t]*$)[ \t]*(?:>[ \t]*|(?:[*+-]|\d{1,9}[.)])[ \t]+){40,}/m;
/** What stands between the header of a table and its rows. */
const RULE = /^[ \t]*(?:\r\n|\n|\r)[ \t>]*[|:-][|:\- \t]*/;
const MAX_RULE = 10_000;
const LABEL = /\[([^\][\n]{1,200})\]/g;
const DEFINITION = /^[ \t>]{0,12}\[([^\][\n]{1,200})\]:/gm;
const MAX_QUOTED = 40;
/** How an alert of GitHub begins: "> [!NOTE]". */
const ALERT = /^>[ \t]*\[![A-Za-z]{3,20}\]/;
const LAST_FENCE = /(?:\r\n|\n|\r|^)[ \t>]*(?:`{3,}|~{3,})$/;
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
    else if (fence !== '' && endsCode(content, fence)) {
      fence = '';
      closed = true;
    }
    if (/^\s*(?:=+|-+)\s*$/.test(content)) underlines += 1;
    count += 1;
    const whole = (fence === '' && content.trim() === '') || closed;
    const long = end - start >= HARD_CHUNK || count >= MAX_LINES || underlines >= MAX_UNDERLINES;
    // What describes a name is not parted from it where that can be helped.
    const soft = whole && end - start >= (BEGINS.test(text.slice(end, end + 4)) ? SOFT_CHUNK : LATE_CHUNK);
    if (soft || long || (code && closed)) {
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

/** How a manual page in Markdown names itself: `buildah-push "1" "June 2017" "buildah"`. */
const PAGE = /^([\w.+-]+) "(\d\w{0,3})" ".*$/;

function headingOf(node: AnyNode): string {
  return cleanTitle(plainOf(node).replace(/\s*\{[#.:][^{}]*\}\s*$/, '')).replace(PAGE, '$1($2)');
}

/** The names of a table's columns on one line, and where they end. */
function headerOf(table: Table, end: number): NonNullable<Block['header']> {
  return {
    text: cleanTitle(table.children[0]!.children.map((cell) => plainOf(cell).trim()).join(' | ')),
    end,
  };
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

/** One stretch that was parsed: its nodes' places in the whole text, the parts that they are, and what of them is mark. */
class Stretch {
  readonly #outline: Outline;
  readonly #text: string;
  readonly #from: number;
  readonly #to: number;
  readonly #edits: Edit[];
  /** Quotations around what is added. */
  #quoted = 0;
  /** Set where the last node is a list. */
  open: OpenList | null = null;

  constructor(outline: Outline, text: string, from: number, to: number, edits: Edit[]) {
    this.#outline = outline;
    this.#text = text;
    this.#from = from;
    this.#to = to;
    this.#edits = edits;
  }

  range(node: Pick<AnyNode, 'position'>): { start: number; end: number } {
    const start = this.#from + (node.position?.start.offset ?? 0);
    return { start, end: Math.min(this.#to, this.#from + (node.position?.end.offset ?? 0)) };
  }

  marks(node: AnyNode): void {
    noteMarks(node, this.#text, (each) => this.range(each), this.#edits);
  }

  /** Whether a node shows nothing; what is written of it is dropped. */
  isUnseen(node: Node): boolean {
    const { start, end } = this.range(node);
    const nothing =
      /^(?:definition|thematicBreak)$/.test(node.type) ||
      (node.type === 'html' && !/\w/.test(withoutTags(node.value)));
    if (nothing) this.#drop(start, end);
    return nothing || start >= this.#to;
  }

  #drop(start: number, end: number): void {
    if (start < end) this.#edits.push({ start, end, text: '' });
  }

  #paragraph(node: Node, depth: number): void {
    const { start, end } = this.range(node);
    this.#outline.part('paragraph', start, end, { depth, term: leadTerm(node) });
    this.marks(node);
  }

  /** Code without its fences, and without what they are set in by. */
  #code(node: Node, depth: number): void {
    let { start, end } = this.range(node);
    const fence = FENCE.exec(this.#text.slice(start, start + 80))?.[1];
    if (fence !== undefined) {
      const whole = { start, end };
      const lines = [...this.#text.slice(start, end).matchAll(/[^\n\r]+/g)];
      const closed = lines.length > 1 && endsCode(lines.at(-1)![0].replace(/^[ \t>]+/, ''), fence);
      const content = lines.slice(1, closed ? -1 : undefined);
      const [first, last] = [content[0], content.at(-1)];
      if (first === undefined || last === undefined) {
        this.#drop(start, end);
        return;
      }
      const indent = start - 1 - this.#text.lastIndexOf('\n', start - 1);
      end = start + last.index + last[0].length;
      start += first.index + Math.min(indent, /^ */.exec(first[0])![0].length);
      this.#drop(whole.start, start);
      this.#drop(end, whole.end);
    }
    this.#outline.part('code', start, end, { depth });
  }

  #table(node: Table, depth: number): void {
    const list = this.#outline.nextList();
    for (const [position, row] of node.children.entries()) this.row(row, { depth, list, position });
  }

  /** A row as other formats have it: without the bars around it, and a header without the line below it. */
  row(node: Row, place: { depth: number; list: number; position: number }): void {
    const { start, end } = this.range(node);
    const { children: cells } = node;
    const name = place.position > 0 && cells.length > 1 ? cleanTitle(plainOf(cells[0]!)) : '';
    this.#outline.part('row', start, end, { ...place, term: name === '' ? null : name });
    for (const cell of cells) this.marks(cell);
    const raw = this.#text.slice(start, end).trimEnd();
    const from = start + /^\|?[ \t]*/.exec(raw)![0].length;
    const barred = raw.endsWith('|') && !raw.endsWith('\\|');
    const to = start + (barred ? raw.slice(0, -1).trimEnd() : raw).length;
    const rule = place.position === 0 ? RULE.exec(this.#text.slice(end, end + MAX_RULE)) : null;
    this.#drop(start, from);
    this.#drop(Math.max(from, to), end + (rule?.[0].length ?? 0));
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
      const term = paragraph ? leadTerm(first) : null;
      this.#outline.part('item', start, end, { depth, list: number, position, ordered, term });
      // An item of one paragraph is that paragraph.
      const alone = paragraph && item.children.length === 1;
      if (alone) this.marks(first);
      else for (const child of item.children) this.add(child, depth + 1);
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
      this.marks(node);
    } else if (node.type === 'blockquote' || node.type === 'footnoteDefinition') {
      const quoted = node.type === 'blockquote' ? 1 : 0;
      this.#quoted += quoted;
      if (quoted > 0) this.#unquote(node);
      else if (node.children[0] !== undefined)
        this.#drop(this.range(node).start, this.range(node.children[0]).start);
      for (const child of node.children) this.add(child, depth);
      this.#quoted -= quoted;
      this.open = null;
    }
  }

  /** An entry whose names stand alone above what describes it. */
  entry({ terms, said }: Entry, list: number, position: number): void {
    const names: string[] = [];
    for (const node of terms) {
      const { start, end } = this.range(node);
      const term = cleanTitle(plainOf(node));
      names.push(term);
      this.#outline.part('term', start, end, { list, position, term });
      this.marks(node);
    }
    const [term, end] = [names.join(', '), this.range(said.at(-1)!).end];
    this.#outline.part('description', this.range(said[0]!).start, end, { list, position, term });
    for (const node of said) this.add(node, 1);
    this.#outline.entry(term, this.range(terms[0]!).start, end);
  }

  /** The marks in front of the lines of a quotation, as many as it stands in; what else begins with ">" is text. */
  #unquote(node: AnyNode): void {
    const { start, end } = this.range(node);
    const raw = this.#text.slice(start, end);
    this.#drop(start, start + (ALERT.exec(raw) ?? /^>[ \t]?/.exec(raw) ?? [''])[0].length);
    const marks = new RegExp(
      `(?<=[\\n\\r])(?:[ \\t]{0,12}>){1,${Math.min(this.#quoted, MAX_QUOTED)}}[ \\t]?`,
      'g',
    );
    for (const { 0: mark, index } of raw.matchAll(marks)) {
      this.#drop(start + index, start + index + mark.length);
    }
  }
}

function labelled(label: string): string {
  return label.replace(/\s+/g, ' ').trim().toLowerCase();
}

/** The names that links are defined by, in any part of a text. */
function definedIn(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(DEFINITION), ({ 1: label }) => labelled(label!)));
}

/** A stretch with the definitions that its links need and that stand elsewhere. */
function withDefinitions(source: string, defined: ReadonlySet<string>): string {
  if (defined.size === 0) return source;
  const used = new Set(Array.from(source.matchAll(LABEL), ({ 1: label }) => labelled(label!)));
  const needed = [...used].filter((label) => defined.has(label));
  return [source, ...needed.map((label) => `[${label}]: #`)].join('\n\n');
}

function addParsed(
  outline: Outline,
  text: string,
  from: number,
  { end: to, whole }: Chunk,
  before: OpenList | null,
  { edits, defined }: { edits: Edit[]; defined: ReadonlySet<string> },
): OpenList | null {
  const source = text.slice(from, to);
  const found = parsed(whole ? withDefinitions(source, defined) : source);
  if (found === null) {
    addText(outline, text, from, to);
    return null;
  }
  const stretch = new Stretch(outline, text, from, to, edits);
  const nodes = found.filter((node) => !stretch.isUnseen(node));
  let list = { number: 0, position: 0 };
  for (let place = 0; place < nodes.length; place += 1) {
    const node = nodes[place]!;
    const { start, end } = stretch.range(node);
    const kind = KINDS[node.type];
    const entry = entryAt(nodes, place);
    if (entry !== null) {
      list = { number: list.number || outline.nextList(), position: list.position + 1 };
      stretch.entry(entry, list.number, list.position);
      place += entry.terms.length + entry.said.length - 1;
    } else if (node.type === 'heading') {
      list = { number: 0, position: 0 };
      const [first] = node.children;
      const words = first === undefined ? start : stretch.range(first).start;
      outline.heading(node.depth, headingOf(node), start, end, words);
      stretch.marks(node);
    } else if (node.type === 'paragraph' && addDefinitions(outline, text, start, end)) stretch.marks(node);
    else if (kind !== undefined) {
      stretch.add(node, 0, place === 0 ? before : null);
      const header =
        node.type === 'table' ? { header: headerOf(node, stretch.range(node.children[0]!).end) } : {};
      outline.add({ kind, start, end, ...header });
    } else if (node.type === 'html') {
      stretch.add(node);
      outline.add({ kind: 'prose', start, end });
    }
  }
  return nodes.at(-1)?.type === 'list' ? stretch.open : null;
}

/** Rows of a table that goes on in another stretch, parsed below a header that is made for them. */
function addRows(outline: Outline, text: string, start: number, end: number, edits: Edit[]): void {
  const last = outline.parts.at(-1);
  const before = last?.kind === 'row' ? last : null;
  const list = before?.list ?? outline.nextList();
  const rows = text.slice(start, end);
  const columns = 1 + (/^.*/.exec(rows)![0].match(/\|/g) ?? []).length;
  const head = `${'|x'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n`;
  const stretch = new Stretch(outline, text, start - head.length, end, edits);
  for (const table of parsed(`${head}${rows}`) ?? []) {
    if (table.type !== 'table') continue;
    for (const [place, row] of table.children.entries()) {
      if (place > 0) stretch.row(row, { depth: 0, list, position: (before?.position ?? 0) + place });
    }
  }
}

/** Null for what is no document: a line that is too long to be parsed, containers or marks that are nested too deep. */
function parsed(source: string): Node[] | null {
  if (source.length > 2 * HARD_CHUNK || DEEP.test(source)) return null;
  try {
    return fromMarkdown(source, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }).children;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** What a reader of Markdown sees. */
export interface Markdown {
  title: string;
  text: string;
  blocks: Block[];
  parts: Part[];
  positionAt(offset: number): string;
}

/**
 * A Markdown text as it is read (GFM tables included, terms with ": description" below them): without marks of emphasis and
 * quotation, targets of links, escapes, tags of HTML, fences of code and bars around rows. Its title is that of the front
 * matter, else a first heading of level one, else "". Front matter itself is not indexed. `positionAt`: where a person finds an offset of the source.
 */
export function readMarkdown(source: string, positionAt = linePositions(source)): Markdown {
  const { title, blocks, parts, edits } = structureOf(source);
  const edited = new Edited(source, edits);
  const said = <T extends { start: number; end: number }>(each: T) => each.start < each.end;
  return {
    title,
    text: edited.text,
    blocks: blocks.map((block) => edited.block(block)).filter(said),
    parts: parts.map((part) => edited.part(part)).filter(said),
    positionAt: (offset) => positionAt(edited.from(offset)),
  };
}

function structureOf(text: string): Pick<Markdown, 'title' | 'blocks' | 'parts'> & { edits: Edit[] } {
  const front = FRONT_MATTER.exec(text);
  const outline = new Outline();
  const named = /^title:[ \t]*(["']?)(.+?)\1[ \t]*$/m.exec(front?.[1] ?? '')?.[2];
  if (named !== undefined) outline.title = cleanTitle(named);

  const edits: Edit[] = [];
  const defined = definedIn(text);
  let before: Chunk | undefined;
  let list: OpenList | null = null;
  for (const chunk of chunks(text, front?.[0].length ?? 0)) {
    const last = outline.blocks.at(-1);
    let { start } = chunk;
    if (before?.whole === false && last?.kind === 'table' && text.slice(last.end, start).trim() === '') {
      start = rowsEnd(text, chunk);
      const end = chunk.start + text.slice(chunk.start, start).trimEnd().length;
      addRows(outline, text, chunk.start, end, edits);
      outline.add({ kind: 'table', start: chunk.start, end, ...(last.header && { header: last.header }) });
    }
    before = chunk;
    if (chunk.code) {
      const whole = start + text.slice(start, chunk.end).trimEnd().length;
      const fence = chunk.whole ? LAST_FENCE.exec(text.slice(start, whole))?.[0].length : undefined;
      const end = whole - (fence ?? 0);
      outline.part('code', start, end);
      outline.add({ kind: 'code', start, end });
      list = null;
    } else list = addParsed(outline, text, start, chunk, list, { edits, defined });
  }
  outline.finish();
  return { title: outline.title, blocks: outline.blocks, parts: outline.parts, edits };
}
