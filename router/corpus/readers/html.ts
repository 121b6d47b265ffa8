import { type DefaultTreeAdapterMap, parse } from 'parse5';
import type { Block } from '../types.ts';
import { cleanTitle } from './offsets.ts';
import { Outline } from './outline.ts';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];

const SKIPPED = new Set(
  'audio button canvas datalist dialog embed form iframe map math nav noscript object script select style svg template textarea video'.split(
    ' ',
  ),
);
const BLOCKS = new Set(
  'address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer header hgroup hr html legend li main menu ol p section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
);
const LISTS = new Set(['ul', 'ol', 'dl', 'menu']);

/** Text taken out of HTML, the blocks in it, and where in the source each block begins. */
export interface Extracted {
  title: string;
  text: string;
  blocks: readonly Block[];
  marks: { at: number; position: string }[];
}

function isElement(node: Node): node is Element {
  return 'tagName' in node;
}

function children(node: Node): Node[] {
  return 'childNodes' in node ? node.childNodes : [];
}

/** All text below a node. */
function textBelow(node: Node): string {
  const parts: string[] = [];
  const stack: Node[] = [node];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if ('value' in at) parts.push(at.value);
    for (const child of children(at).toReversed()) stack.push(child);
  }
  return parts.join('');
}

class Extractor {
  readonly outline = new Outline();
  readonly marks: { at: number; position: string }[] = [];
  readonly #out: string[] = [];
  #length = 0;
  #last = '\n';
  /** Start of the block under way. */
  #start = -1;
  /** Its first part in `#out`. */
  #from = 0;
  #lists: { ordered: boolean; item: number }[] = [];
  #tables = 0;
  #cells = 0;
  #header: Block['header'];
  #headerRow = false;
  #heading: { depth: number; text: string } | null = null;
  #pre = 0;

  get text(): string {
    return this.#out.join('');
  }

  #write(text: string): void {
    if (text === '') return;
    this.#out.push(text);
    this.#length += text.length;
    this.#last = text.at(-1)!;
  }

  #begin(node: Node): void {
    if (this.#start !== -1) return;
    this.#start = this.#length;
    this.#from = this.#out.length;
    const location = node.sourceCodeLocation;
    this.marks.push({
      at: this.#length,
      position: location
        ? `${location.startLine}:${location.startCol}`
        : (this.marks.at(-1)?.position ?? '1:1'),
    });
  }

  /** Ends the block under way, without the white space at its end. */
  #close(kind: Block['kind']): void {
    if (this.#start === -1) return;
    let end = this.#length;
    for (let i = this.#out.length - 1; i >= this.#from; i -= 1) {
      const kept = this.#out[i]!.trimEnd().length;
      end -= this.#out[i]!.length - kept;
      if (kept > 0) break;
    }
    const heading = this.#heading;
    if (heading !== null) this.outline.heading(heading.depth, cleanTitle(heading.text), this.#start, end);
    else this.outline.add(kind, this.#start, end, kind === 'table' ? this.#header : undefined);
    this.#start = -1;
    this.#header = undefined;
    this.#write('\n\n');
  }

  #kind(): Block['kind'] {
    if (this.#tables > 0) return 'table';
    if (this.#lists.length > 0) return 'list';
    return this.#pre > 0 ? 'code' : 'prose';
  }

  #text(node: Node, value: string): void {
    if (this.#pre > 0 && this.#tables === 0) {
      if (this.#start === -1 && value.trim() === '') return;
      this.#begin(node);
      this.#write(value);
      return;
    }
    let text = value.replace(/[ \t\n\f\r]+/g, ' ');
    if (this.#last === ' ' || this.#last === '\n') text = text.trimStart();
    if (text === '') return;
    this.#begin(node);
    if (this.#heading !== null) this.#heading.text += text;
    this.#write(text);
  }

  #line(node: Node, text: string): void {
    if (this.#start !== -1 && this.#last !== '\n') {
      if (this.#last === ' ') {
        this.#out.push(this.#out.pop()!.slice(0, -1));
        this.#length -= 1;
      }
      this.#write('\n');
    }
    if (text === '') return;
    this.#begin(node);
    this.#write(text);
  }

  #enterTable(tag: string, node: Element): void {
    if (tag === 'tr' && this.#tables === 1) {
      this.#line(node, '');
      this.#cells = 0;
      this.#headerRow = this.#header === undefined && this.#start === -1;
    } else if ((tag === 'td' || tag === 'th') && this.#tables === 1) {
      if (tag === 'td') this.#headerRow = false;
      if (this.#cells > 0) this.#write(' | ');
      this.#cells += 1;
    } else this.#space();
  }

  #enterList(tag: string, node: Element): void {
    const list = this.#lists.at(-1)!;
    const indent = '  '.repeat(this.#lists.length - 1);
    if (tag === 'li') {
      list.item += 1;
      this.#line(node, `${indent}${list.ordered ? `${list.item}.` : '-'} `);
    } else if (tag === 'dt') this.#line(node, '');
    else if (tag === 'dd' && this.#start !== -1) this.#write(': ');
    else this.#space();
  }

  #space(): void {
    if (this.#start !== -1 && this.#last !== ' ' && this.#last !== '\n') this.#write(' ');
  }

  enter(node: Element): void {
    const tag = node.tagName;
    const nested = this.#tables > 0 || this.#lists.length > 0;
    if (tag === 'br') {
      if (this.#heading !== null || this.#tables > 0) this.#space();
      else if (this.#start !== -1) this.#write('\n');
    } else if (tag === 'table') {
      if (!nested) this.#close(this.#kind());
      this.#tables += 1;
    } else if (this.#tables > 0) {
      if (BLOCKS.has(tag)) this.#enterTable(tag, node);
    } else if (LISTS.has(tag)) {
      if (!nested) this.#close(this.#kind());
      this.#lists.push({ ordered: tag === 'ol', item: 0 });
    } else if (this.#lists.length > 0) {
      if (BLOCKS.has(tag)) this.#enterList(tag, node);
    } else if (/^h[1-6]$/.test(tag)) {
      this.#close(this.#kind());
      this.#heading = { depth: Number(tag[1]), text: '' };
    } else if (tag === 'pre') {
      this.#close(this.#kind());
      this.#pre += 1;
    } else if (BLOCKS.has(tag)) this.#close(this.#kind());
  }

  leave(node: Element): void {
    const tag = node.tagName;
    if (tag === 'tr' && this.#tables === 1 && this.#headerRow && this.#start !== -1) {
      this.#header = { text: cleanTitle(this.#out.slice(this.#from).join('')), end: this.#length };
    }
    if (tag === 'table') {
      if (this.#tables === 1 && this.#lists.length === 0) this.#close('table');
      this.#tables -= 1;
    } else if (this.#tables > 0) return;
    else if (LISTS.has(tag)) {
      if (this.#lists.length === 1) this.#close('list');
      this.#lists.pop();
    } else if (this.#lists.length > 0) return;
    else if (/^h[1-6]$/.test(tag)) {
      this.#close('prose');
      this.#heading = null;
    } else if (tag === 'pre') {
      this.#close('code');
      this.#pre -= 1;
    } else if (BLOCKS.has(tag)) this.#close(this.#kind());
  }

  value(node: Node, value: string): void {
    this.#text(node, value);
  }

  finish(): void {
    this.#close(this.#kind());
    this.outline.finish();
  }
}

function isSkipped(node: Element): boolean {
  return SKIPPED.has(node.tagName) || node.attrs.some(({ name }) => name === 'hidden');
}

/**
 * The text of an HTML page: paragraphs parted by blank lines, list items and table rows on lines of their own
 * ("- item", "cell | cell"). Scripts, styles, forms, navigation and what is `hidden` are left out. Never recursive,
 * so that no nesting is too deep.
 */
export function extractHtml(html: string): Extracted {
  const extractor = new Extractor();
  const stack: { node: Node; leaving: boolean }[] = [
    { node: parse(html, { sourceCodeLocationInfo: true }), leaving: false },
  ];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const { node, leaving } = at;
    if (leaving) extractor.leave(node as Element);
    else if (node.nodeName === '#text' && 'value' in node) extractor.value(node, node.value);
    else if (node.nodeName === 'title' && extractor.outline.title === '') {
      extractor.outline.title = cleanTitle(textBelow(node));
    } else if (!isElement(node) || !isSkipped(node)) {
      if (isElement(node)) {
        extractor.enter(node);
        stack.push({ node, leaving: true });
      }
      for (const child of children(node).toReversed()) stack.push({ node: child, leaving: false });
    }
  }
  extractor.finish();
  const { outline, marks, text } = extractor;
  return { title: outline.title, text, blocks: outline.blocks, marks };
}
