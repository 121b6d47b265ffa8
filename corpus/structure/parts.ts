import { PragauraError } from '../../common/index.ts';
import { PART_KINDS, type Part, type SegmentSource, type Segments } from '../types.ts';

/** Name of the block in the index folder. */
export const PARTS_SEGMENT = 'structure.parts';
const TERMS_SEGMENT = 'structure.terms';

/** Numbers to a part: start, end, list, position (both plus 1, 0: none), term (its number plus 1), shape. */
const WIDTH = 6;
/** Of the shape: the kind in four bits, one for `ordered`, the rest is the depth. */
const ORDERED = 1 << 4;
const DEPTH = 5;
const MAX_DEPTH = 0xffff;

function bytesOf(array: Uint32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function shapeOf({ kind, ordered, depth }: Part): number {
  return PART_KINDS.indexOf(kind) | (ordered ? ORDERED : 0) | (Math.min(depth, MAX_DEPTH) << DEPTH);
}

/**
 * The parts of documents, in the order of the index. Segments: `structure.parts` (Uint32: how many documents, where
 * each one's parts end, then six numbers a part) and `structure.terms` (UTF-8, one line a term, none twice).
 */
export function encodeParts(documents: readonly (readonly Part[])[]): Segments {
  const total = documents.reduce((sum, parts) => sum + parts.length, 0);
  const data = new Uint32Array(1 + documents.length + total * WIDTH);
  const terms = new Map<string, number>();
  const numberOf = (term: string | null): number => {
    if (term === null) return 0;
    const known = terms.get(term);
    if (known !== undefined) return known;
    terms.set(term, terms.size + 1);
    return terms.size;
  };
  data[0] = documents.length;
  let count = 0;
  documents.forEach((parts, place) => {
    for (const part of parts) {
      const { start, end, list, position, term } = part;
      const at = 1 + documents.length + count * WIDTH;
      data.set([start, end, (list ?? -1) + 1, (position ?? -1) + 1, numberOf(term), shapeOf(part)], at);
      count += 1;
    }
    data[1 + place] = count;
  });
  return {
    [PARTS_SEGMENT]: bytesOf(data),
    [TERMS_SEGMENT]: new TextEncoder().encode([...terms.keys()].join('\n')),
  };
}

/** The parts of an index's documents, read where they lie: opening costs one pass over the numbers. */
export class StoredParts {
  readonly #data: Uint32Array;
  readonly #documents: number;
  readonly #terms: readonly string[];
  /** How far the parts of the document reach up to and with each one. */
  readonly #reach: Uint32Array;

  /** Throws INDEX_UNUSABLE when the segments are missing or do not hold so many documents. */
  constructor(source: SegmentSource, documents: number) {
    const bytes = source.segment(PARTS_SEGMENT);
    const terms = new TextDecoder().decode(source.segment(TERMS_SEGMENT));
    const fits = bytes.byteLength >= 4 * (1 + documents) && bytes.byteLength % 4 === 0;
    this.#data = fits
      ? new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
      : new Uint32Array(1);
    this.#documents = documents;
    this.#terms = terms === '' ? [] : terms.split('\n');
    const count = documents === 0 ? 0 : this.#data[documents]!;
    if (!fits || this.#data[0] !== documents || this.#data.length !== 1 + documents + count * WIDTH) {
      throw new PragauraError('INDEX_UNUSABLE', "The index's structure is damaged.", {
        hint: 'Build the index again with: pragaura index PATH... --out DIR',
      });
    }
    this.#reach = new Uint32Array(count);
    for (let document = 0; document < documents; document += 1) {
      let reach = 0;
      for (let i = this.#first(document); i < this.#last(document); i += 1) {
        reach = Math.max(reach, this.#number(i, 1));
        this.#reach[i] = reach;
      }
    }
  }

  #first(document: number): number {
    return document === 0 ? 0 : this.#data[document]!;
  }

  #last(document: number): number {
    return this.#data[document + 1]!;
  }

  #number(part: number, column: number): number {
    return this.#data[1 + this.#documents + part * WIDTH + column]!;
  }

  #part(i: number): Part {
    const list = this.#number(i, 2);
    const position = this.#number(i, 3);
    const term = this.#number(i, 4);
    const shape = this.#number(i, 5);
    return {
      kind: PART_KINDS[shape & (ORDERED - 1)]!,
      start: this.#number(i, 0),
      end: this.#number(i, 1),
      depth: shape >>> DEPTH,
      list: list === 0 ? null : list - 1,
      position: position === 0 ? null : position - 1,
      ordered: (shape & ORDERED) !== 0,
      term: term === 0 ? null : this.#terms[term - 1]!,
    };
  }

  /** All parts of a document, by its place in the index. */
  of(document: number): Part[] {
    const parts: Part[] = [];
    for (let i = this.#first(document); i < this.#last(document); i += 1) parts.push(this.#part(i));
    return parts;
  }

  /** Those that overlap a stretch of the document's text. */
  within(document: number, start: number, end: number): Part[] {
    const first = this.#first(document);
    let low = first;
    let high = this.#last(document);
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#number(middle, 0) < end) low = middle + 1;
      else high = middle;
    }
    const parts: Part[] = [];
    for (let i = low - 1; i >= first && this.#reach[i]! > start; i -= 1) {
      if (this.#number(i, 1) > start) parts.push(this.#part(i));
    }
    return parts.reverse();
  }
}
