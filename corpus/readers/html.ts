import { parse } from 'parse5';
import type { Block, HiddenTexts, Part } from '../types.ts';
import { boldTerm, shortTerm } from './entry-terms.ts';
import { children, type Element, isElement, type Node, Page, textBelow } from './html-page.ts';
import { cleanTitle } from './offsets.ts';
import { Outline } from './outline.ts';

const BLOCKS = new Set(
  'address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu ol p pre section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
);
const LISTS = new Set(['ul', 'ol', 'dl', 'menu']);
const STRONG = new Set(['b', 'strong']);
const HEADING = /^h[1-6]$/;
/** Entries within entries are blocks of their own this deep; further in they are text of the one around them. */
const MAX_LEVELS = 6;
/** Of what may be a term this much is looked at. */
const MAX_TERM = 200;
/** Between names of one thing that stand on lines of their own, and not within the arguments of one: "-n, --dont-detach". */
const NEXT_NAME = /(?<![([,|/]\s*)\s*\n\s*/g;
/** A number in brackets is the term of a footnote. */
const FOOTNOTE = /^[[(]\d{1,4}[\])]$/;

/** Text taken out of HTML, its structure, and where in the source its pieces begin. */
export interface Extracted {
  title: string;
  text: string;
  blocks: readonly Block[];
  parts: readonly Part[];
  marks: { at: number; position: string }[];
  /** Nothing but an index or a table of contents. */
  index?: true;
  /** What the source holds beside it and its reader does not see. */
  hidden?: HiddenTexts;
}

/** A list that is open. */
interface List {
  number: number;
  ordered: boolean;
  /** Of the item or entry under way, from 1. */
  position: number;
  /** What came last of the entry under way; null where there is none, as in a list of items. */
  phase: 'term' | 'description' | null;
  terms: string[];
  /** Of the term under way. */
  term: string;
  /** Whether the entry under way has a level of its own. */
  level: boolean;
}

/** A block that is open, or an entry in one. */
interface Level {
  /** -1: nothing is in it yet. */
  start: number;
  /** Of an entry whose description has begun. */
  term: string | null;
  entries: Block[];
}

/** Text without a block in it: a paragraph, code, a row. */
interface Run {
  part: Part;
  /** Its first piece in the text. */
  from: number;
  /** What it begins with in bold. */
  bold: string;
  /** Something follows that is not. */
  plain: boolean;
}

interface Table {
  number: number;
  rows: number;
  /** In its head. */
  head: boolean;
  /** Its first row names the columns. */
  headed: boolean;
  /** `first`: what stands in the `firstCell`-th cell, the first that is not empty; 0: none so far. */
  row: { cells: number; skipped: number; firstCell: number; first: string; head: boolean } | null;
}

function emptyLevel(): Level {
  return { start: -1, term: null, entries: [] };
}

/** A line in bold and nothing else is a title of what comes below it. */
function isTitle({ bold, plain }: Run, length: number): boolean {
  return !plain && length < MAX_TERM && bold.trim() !== '';
}

class Extractor {
  readonly outline = new Outline();
  readonly marks: { at: number; position: string }[] = [];
  readonly #out: string[] = [];
  #length = 0;
  /** Where the last character that is no white space ends. */
  #solid = 0;
  #last = '\n';
  #levels: Level[] = [emptyLevel()];
  /** Items, terms and descriptions that are open. */
  readonly #holders: Part[] = [];
  /** Those of them that hold nothing yet. */
  #unstarted: Part[] = [];
  #run: Run | null = null;
  #lastRun: Part | null = null;
  /** What stands between the text so far and the next run of the same block. */
  #gap: '' | '\n' | ': ' = '';
  readonly #lists: List[] = [];
  #tables = 0;
  #table: Table | null = null;
  #header: Block['header'];
  /** `from`: where the text before it ends; what began before that is no part of it. */
  #heading: { depth: number; text: string; from: number } | null = null;
  #pre = 0;
  #strong = 0;

  #write(text: string): void {
    if (text === '') return;
    this.#out.push(text);
    const solid = text.trimEnd().length;
    if (solid > 0) this.#solid = this.#length + solid;
    this.#length += text.length;
    this.#last = text.at(-1)!;
  }

  #begin(): void {
    for (const level of this.#levels) if (level.start === -1) level.start = this.#length;
  }

  #mark(node: Node): void {
    const location = node.sourceCodeLocation;
    const before = this.marks.at(-1)?.position ?? '1:1';
    const position = location ? `${location.startLine}:${location.startCol}` : before;
    this.marks.push({ at: this.#length, position });
  }

  /** Goes on at the start of a line. */
  #line(): void {
    if (this.#levels[0]!.start === -1 || this.#last === '\n') return;
    if (this.#last === ' ') this.#back();
    this.#write('\n');
  }

  /** Takes the space back that was written last. */
  #back(): void {
    this.#out.push(this.#out.pop()!.slice(0, -1));
    this.#length -= 1;
  }

  #space(): void {
    if (this.#run !== null && this.#last !== ' ' && this.#last !== '\n') this.#write(' ');
  }

  #openRun(node: Node, kind: Part['kind'], more: Partial<Part> = {}): Run {
    const colon = this.#gap === ': ' && kind === 'paragraph' && this.#levels.at(-1)!.start !== -1;
    if (colon) this.#write(this.#last === ':' ? ' ' : ': ');
    else if (this.#gap !== '') this.#line();
    this.#gap = '';
    // Behind the mark of an item the place was noted with the mark.
    if (this.#last !== ' ' || this.marks.length === 0) this.#mark(node);
    this.#begin();
    for (const part of this.#unstarted) {
      part.start = this.#length;
      this.outline.parts.push(part);
    }
    this.#unstarted = [];
    const depth = kind === 'heading' ? this.#heading!.depth - 1 : this.#lists.length;
    const part = this.outline.part(kind, this.#length, this.#length, { depth, ...more });
    this.#run = { part, from: this.#out.length, bold: '', plain: false };
    return this.#run;
  }

  #closeRun(): void {
    const run = this.#run;
    if (run === null) return;
    const { part } = run;
    part.end = Math.max(part.start, this.#solid);
    if (part.kind === 'paragraph' && run.plain) {
      part.term = boldTerm(run.bold);
      const holder = this.#holders.at(-1);
      if (holder?.kind === 'item' && holder.start === part.start) holder.term = part.term;
    }
    this.#run = null;
    this.#lastRun = part;
    this.#gap = '\n';
  }

  #content(text: string): void {
    this.#write(text);
    const run = this.#run!;
    if (this.#strong === 0) run.plain ||= text.trim() !== '';
    else if (!run.plain && run.bold.length < MAX_TERM) run.bold += text;
    if (this.#heading !== null) this.#heading.text += text;
    this.#term(text);
    const row = this.#table?.row;
    if (row) {
      row.firstCell ||= row.cells;
      if (row.firstCell === row.cells && row.first.length < MAX_TERM) row.first += text;
    }
  }

  #term(text: string): void {
    const list = this.#lists.at(-1);
    if (this.#holders.at(-1)?.kind === 'term' && list!.term.length < MAX_TERM) list!.term += text;
  }

  #hold(kind: 'item' | 'term' | 'description'): void {
    const { number: list, position, ordered } = this.#lists.at(-1)!;
    const depth = this.#lists.length - 1;
    const part: Part = { kind, start: -1, end: -1, depth, list, position, ordered, term: null };
    this.#holders.push(part);
    this.#unstarted.push(part);
  }

  #release(): void {
    this.#closeRun();
    const part = this.#holders.pop()!;
    const list = this.#lists.at(-1)!;
    if (part.kind === 'term') {
      part.term = cleanTitle(list.term.trim().replace(NEXT_NAME, ', '));
      if (part.term !== '') list.terms.push(part.term);
      list.term = '';
    } else if (part.kind === 'description' && list.terms.length > 0) {
      part.term = cleanTitle(list.terms.join(', '));
    }
    if (part.start === -1) {
      this.#unstarted.pop();
      return;
    }
    part.end = Math.max(part.start, this.#solid);
    // A paragraph that is all there is in it says nothing more.
    const last = this.#lastRun;
    if (last?.kind === 'paragraph' && last.start === part.start) last.end = last.start;
  }

  /** Ends the block under way. */
  #close(kind: Block['kind'], entry: string | null = null): void {
    const run = this.#run;
    this.#closeRun();
    this.#gap = '';
    const { start, entries } = this.#levels[0]!;
    if (start === -1) return;
    const end = this.#solid;
    const heading = this.#heading;
    const more = { ...(this.#header && { header: this.#header }), ...(entries.length > 0 && { entries }) };
    if (heading !== null && start >= heading.from) {
      // The heading has no run of its own where it holds nothing but the mark of an empty item.
      const last = this.#lastRun;
      if (last !== null && last.start >= start) last.end = start;
      this.outline.heading(heading.depth, cleanTitle(heading.text), start, end);
    } else if (entry !== null) {
      const headings = [...this.outline.headings(), entry];
      this.outline.add({ kind, start, end, headings, entry: true, ...more });
    } else {
      const leads = kind === 'prose' && run !== null && isTitle(run, end - start);
      this.outline.add({ kind, start, end, ...more, ...(leads && { leads }) });
    }
    this.#levels = [emptyLevel()];
    this.#header = undefined;
    if (this.#last === ' ') this.#back();
    this.#write('\n\n');
  }

  #kind(): Block['kind'] {
    if (this.#tables > 0) return 'table';
    if (this.#lists.length > 0) return 'list';
    return this.#pre > 0 ? 'code' : 'prose';
  }

  #beginEntry(list: List): void {
    list.position += 1;
    list.terms = [];
    list.level = false;
    if (this.#lists.length === 1) {
      this.#close('list');
      this.#levels[0]!.term = null;
    } else {
      this.#closeRun();
      list.level = this.#levels.length < MAX_LEVELS;
      if (list.level) this.#levels.push(emptyLevel());
    }
  }

  #endEntry(list: List): void {
    if (list.phase === null) return;
    list.phase = null;
    const joined = list.terms.join(', ');
    const term = joined === '' || FOOTNOTE.test(joined) ? null : shortTerm(cleanTitle(joined));
    if (this.#lists.length === 1) {
      this.#close('list', term);
      return;
    }
    this.#closeRun();
    if (!list.level) return;
    const { start, entries } = this.#levels.pop()!;
    const above = this.#levels.at(-1)!;
    if (start === -1) return;
    if (term === null) {
      for (const entry of entries) above.entries.push(entry);
      return;
    }
    const path = this.#levels.flatMap((level) => level.term ?? []);
    const headings = [...this.outline.headings(), ...path, term];
    const inner = entries.length > 0 ? { entries } : {};
    above.entries.push({ kind: 'list', start, end: this.#solid, headings, entry: true, ...inner });
  }

  #text(node: Node, value: string): void {
    if (this.#pre > 0 && this.#tables === 0) {
      if (this.#run === null) {
        if (value.trim() === '') return;
        this.#openRun(node, 'code');
      }
      this.#content(value);
      return;
    }
    let text = value.replace(/[ \t\n\f\r]+/g, ' ');
    if (this.#run === null || this.#last === ' ' || this.#last === '\n') text = text.trimStart();
    if (text === '') return;
    const row = this.#table?.row ?? null;
    if (this.#run === null) {
      if (row !== null) this.#openRun(node, 'row', { list: this.#table!.number });
      else this.#openRun(node, this.#heading === null ? 'paragraph' : 'heading');
    }
    if (row !== null && row.skipped > 0) {
      // Where no column has a name an empty cell only indents its row.
      if (row.firstCell > 0 || row.head || this.#table!.headed) {
        this.#write(`${(this.#last === '\n' ? '|' : ' |').padEnd(2 * row.skipped, ' |')} `);
      }
      row.skipped = 0;
    }
    this.#content(text);
  }

  #enterTable(tag: string): void {
    const table = this.#table!;
    if (tag === 'thead' || tag === 'tbody' || tag === 'tfoot') {
      this.#closeRun();
      table.head = tag === 'thead';
    } else if (tag === 'tr') {
      this.#closeRun();
      table.row = { cells: 0, skipped: 0, firstCell: 0, first: '', head: true };
    } else if ((tag === 'td' || tag === 'th') && table.row !== null) {
      if (tag === 'td' && !table.head) table.row.head = false;
      if (table.row.cells > 0) table.row.skipped += 1;
      table.row.cells += 1;
    } else this.#space();
  }

  #leaveTable(tag: string): void {
    const table = this.#table!;
    const { row } = table;
    if (tag !== 'tr' || row === null) return;
    const run = this.#run;
    this.#closeRun();
    table.row = null;
    if (run === null) return;
    const { part } = run;
    if (row.head && table.rows === 0) {
      part.position = 0;
      table.headed = true;
      if (this.#lists.length === 0) {
        this.#header = { text: cleanTitle(this.#out.slice(run.from).join('')), end: part.end };
      }
    } else {
      part.position = table.rows + 1;
      const first = cleanTitle(row.first);
      const isName = row.firstCell === 1 || !table.headed;
      if (isName && row.cells > row.firstCell && first !== '' && first.length < MAX_TERM) part.term = first;
    }
    table.rows += part.position === 0 ? 0 : 1;
  }

  #enterList(tag: string, node: Element): void {
    const list = this.#lists.at(-1)!;
    if (tag === 'li') {
      this.#closeRun();
      list.position += 1;
      this.#line();
      this.#gap = '';
      this.#mark(node);
      this.#begin();
      const indent = '  '.repeat(this.#lists.length - 1);
      this.#write(`${indent}${list.ordered ? `${list.position}.` : '-'} `);
      this.#hold('item');
    } else if (tag === 'dt') {
      if (list.phase !== 'term') {
        this.#endEntry(list);
        this.#beginEntry(list);
      }
      list.phase = 'term';
      this.#hold('term');
    } else if (tag === 'dd') {
      if (list.phase === null) this.#beginEntry(list);
      else this.#closeRun();
      if (list.phase === 'term') this.#gap = ': ';
      list.phase = 'description';
      if (list.level || this.#lists.length === 1) {
        const term = list.terms.length === 0 ? null : shortTerm(cleanTitle(list.terms.join(', ')));
        this.#levels.at(-1)!.term = term;
      }
      this.#hold('description');
    } else this.#closeRun();
  }

  #enterTag(tag: string, node: Element): void {
    if (tag === 'br') {
      if (this.#heading !== null || this.#tables > 0) this.#space();
      else if (this.#run !== null) this.#write('\n');
      this.#term('\n');
    } else if (tag === 'table') {
      if (this.#tables === 0) {
        if (this.#lists.length === 0) this.#close(this.#kind());
        else this.#closeRun();
        this.#table = { number: this.outline.nextList(), rows: 0, head: false, headed: false, row: null };
      } else this.#space();
      this.#tables += 1;
    } else if (this.#tables > 0) {
      if (!BLOCKS.has(tag)) return;
      if (this.#tables === 1) this.#enterTable(tag);
      else this.#space();
    } else if (LISTS.has(tag)) {
      if (this.#lists.length === 0) this.#close(this.#kind());
      else this.#closeRun();
      const number = this.outline.nextList();
      const ordered = tag === 'ol';
      this.#lists.push({ number, ordered, position: 0, phase: null, terms: [], term: '', level: false });
    } else if (HEADING.test(tag)) {
      if (this.#lists.length === 0) this.#close(this.#kind());
      else this.#closeRun();
      this.#heading = { depth: Number(tag[1]), text: '', from: this.#solid };
    } else if (this.#lists.length > 0) {
      if (BLOCKS.has(tag)) this.#enterList(tag, node);
    } else if (BLOCKS.has(tag)) this.#close(this.#kind());
    if (tag === 'pre') this.#pre += 1;
  }

  enter(node: Element, tag: string): void {
    this.#enterTag(tag, node);
    if (STRONG.has(tag)) this.#strong += 1;
  }

  #leaveList(tag: string): void {
    const list = this.#lists.at(-1)!;
    if (LISTS.has(tag)) {
      this.#endEntry(list);
      if (this.#lists.length === 1) this.#close('list');
      else this.#closeRun();
      this.#lists.pop();
    } else if (tag === 'li' || tag === 'dt' || tag === 'dd') this.#release();
    else if (BLOCKS.has(tag)) this.#closeRun();
  }

  leave(tag: string): void {
    if (STRONG.has(tag)) this.#strong -= 1;
    if (tag === 'table') {
      if (this.#tables === 1) {
        this.#closeRun();
        if (this.#lists.length === 0) this.#close('table');
        this.#table = null;
      }
      this.#tables -= 1;
    } else if (this.#tables > 0) {
      if (this.#tables === 1) this.#leaveTable(tag);
    } else if (this.#lists.length > 0) this.#leaveList(tag);
    else if (BLOCKS.has(tag)) this.#close(this.#kind());
    if (this.#tables === 0 && HEADING.test(tag)) this.#heading = null;
    if (tag === 'pre') this.#pre -= 1;
  }

  value(node: Node, value: string): void {
    this.#text(node, value);
  }

  finish(): Extracted {
    this.#close(this.#kind());
    this.outline.finish();
    const { title, blocks, parts } = this.outline;
    return {
      title,
      text: this.#out.join(''),
      blocks,
      // A heading around a list is written after its items, though it begins before them.
      parts: parts.filter(({ start, end }) => start < end).sort((a, b) => a.start - b.start),
      marks: this.marks,
    };
  }
}

/**
 * The text of an HTML page: paragraphs parted by blank lines, list items and table rows on lines of their own
 * ("- item", "cell | cell"), entries of definition lists as "term: description". Scripts, styles, forms, what no
 * reader sees (see `Sight`), and what only leads around the site (see `Page`) are left out. Never recursive, so that no nesting is too
 * deep.
 */
export function extractHtml(html: string): Extracted {
  const root = parse(html, { sourceCodeLocationInfo: true });
  const page = new Page(root);
  const extractor = new Extractor();
  const stack: { node: Node; leaving: boolean; tag: string }[] = [{ node: root, leaving: false, tag: '' }];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const { node, leaving } = at;
    if (leaving) extractor.leave(at.tag);
    else if (node.nodeName === '#text' && 'value' in node) {
      if (page.sight.isInkless(node.parentNode)) page.sight.noteText(node);
      else extractor.value(node, node.value);
    } else if (node.nodeName === 'title' && extractor.outline.title === '') {
      extractor.outline.title = cleanTitle(textBelow(node));
    } else if (!isElement(node) || !page.isLeftOut(node)) {
      if (isElement(node)) {
        const tag = page.isLayout(node) ? 'div' : node.tagName;
        extractor.enter(node, tag);
        stack.push({ node, leaving: true, tag });
      }
      for (const child of children(node).toReversed()) stack.push({ node: child, leaving: false, tag: '' });
    }
  }
  const extracted = extractor.finish();
  const hidden = page.sight.notes.finish();
  return {
    ...extracted,
    ...(page.isIndex(extracted.text) && { index: true as const }),
    ...(hidden !== undefined && { hidden }),
  };
}
