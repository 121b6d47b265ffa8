import type { Block, Part } from '../types.ts';
import { isBoxTitle, shortTerm } from './entry-terms.ts';

/** What a part says of itself that stands in no list and explains no term. */
export const NO_LIST = { depth: 0, list: null, position: null, ordered: false, term: null } as const;

/** Puts blocks under the headings that stand above them, in the order of the document. */
export class Outline {
  readonly blocks: Block[] = [];
  readonly parts: Part[] = [];
  /** Of the document; a first heading of level one where nothing else named it. */
  title = '';
  #path: { depth: number; text: string }[] = [];
  #lone: { start: number; end: number; depth: number } | null = null;
  #lists = 0;
  /** Blocks that are the title of the document. */
  readonly #titles = new Set<Block>();

  /** Headings above what comes next. */
  headings(): string[] {
    const path = this.#path.map((heading) => heading.text);
    return path[0] === this.title ? path.slice(1) : path;
  }

  /** The number of a list or table that begins. */
  nextList(): number {
    this.#lists += 1;
    return this.#lists;
  }

  /** A part; those that hold others come before them. Give `depth`, `list` and the like where they are not none. */
  part(kind: Part['kind'], start: number, end: number, more: Partial<Part> = {}): Part {
    const part: Part = { kind, start, end, ...NO_LIST, ...more };
    this.parts.push(part);
    return part;
  }

  /**
   * A heading of level `depth`, from 1, and where it stands; its words may begin behind a mark (`from`). "Note", "Warning"
   * and the like are text: what stands below them, and behind their box, is of the section around it.
   */
  heading(depth: number, text: string, start: number, end: number, from = start): void {
    if (isBoxTitle(text)) {
      this.part('paragraph', from, end);
      this.add({ kind: 'prose', start, end, leads: true });
      return;
    }
    if (this.#lone !== null && this.#lone.depth >= depth) this.#settle();
    this.#path = this.#path.filter((heading) => heading.depth < depth);
    if (text === '') return;
    if (from < end) this.part('heading', from, end, { depth: depth - 1 });
    if (this.title === '' && this.blocks.length === 0 && depth === 1) this.title = text;
    this.#path.push({ depth, text });
    this.#lone = { start, end, depth };
  }

  /** A heading without anything below it is all the text there is of its section: it becomes a block. */
  #settle(): void {
    const lone = this.#lone;
    this.#lone = null;
    if (lone === null) return;
    const path = this.#path.map((heading) => heading.text);
    const block: Block = {
      start: lone.start,
      end: lone.end,
      headings: this.headings().slice(0, -1),
      kind: 'prose',
    };
    if (path.length === 1 && path[0] === this.title) this.#titles.add(block);
    this.blocks.push(block);
  }

  /** A block under the headings so far, or those given. */
  add(block: Omit<Block, 'headings'> & { headings?: readonly string[] }): void {
    if (block.start >= block.end) return;
    this.#lone = null;
    this.blocks.push({ ...block, headings: block.headings ?? this.headings() });
  }

  /** An entry of a list, under the headings so far and its term. */
  entry(term: string, start: number, end: number): void {
    this.add({ kind: 'list', start, end, headings: [...this.headings(), shortTerm(term)], entry: true });
  }

  finish(): void {
    this.#settle();
    // The title stands above every passage; it is text where there is no other.
    if (this.blocks.every((block) => this.#titles.has(block))) return;
    let kept = 0;
    for (const block of this.blocks) {
      if (this.#titles.has(block)) continue;
      this.blocks[kept] = block;
      kept += 1;
    }
    this.blocks.length = kept;
  }
}
