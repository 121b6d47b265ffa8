import type { Block } from '../types.ts';

/** Puts blocks under the headings that stand above them, in the order of the document. */
export class Outline {
  readonly blocks: Block[] = [];
  /** Of the document; a first heading of level one where nothing else named it. */
  title = '';
  #path: { depth: number; text: string }[] = [];
  #lone: { start: number; end: number; depth: number } | null = null;

  #headings(): string[] {
    const path = this.#path.map((heading) => heading.text);
    return path[0] === this.title ? path.slice(1) : path;
  }

  /** A heading of level `depth`, from 1, and where it stands. */
  heading(depth: number, text: string, start: number, end: number): void {
    if (this.#lone !== null && this.#lone.depth >= depth) this.#settle();
    this.#path = this.#path.filter((heading) => heading.depth < depth);
    if (text === '') return;
    if (this.title === '' && this.blocks.length === 0 && depth === 1) this.title = text;
    this.#path.push({ depth, text });
    this.#lone = { start, end, depth };
  }

  /** A heading without anything below it is all the text there is of its section: it becomes a block. */
  #settle(): void {
    const lone = this.#lone;
    this.#lone = null;
    if (lone === null) return;
    const headings = this.#headings().slice(0, -1);
    this.blocks.push({ start: lone.start, end: lone.end, headings, kind: 'prose' });
  }

  add(kind: Block['kind'], start: number, end: number, header?: Block['header']): void {
    if (start >= end) return;
    this.#lone = null;
    this.blocks.push({
      start,
      end,
      kind,
      headings: this.#headings(),
      ...(header === undefined ? {} : { header }),
    });
  }

  finish(): void {
    this.#settle();
  }
}
