/** Largest term frequency that is kept. */
export const MAX_TF = 0xffff;

const encoder = new TextEncoder();

function bytesOf(array: Uint32Array | Uint16Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/**
 * Gathers the terms of one field, passage by passage, and lays them out as postings. Segments, each named
 * `postings.<field>.<part>`: `terms` (UTF-8, sorted by bytes), `term-ends` (Uint32), `ends` (Uint32: where a term's
 * postings end), `docs` (Uint32 ordinals, ascending within a term), `tfs` (Uint16), `lengths` (Uint32, one a passage).
 */
export class FieldWriter {
  readonly #name: string;
  readonly #ids = new Map<string, number>();
  readonly #terms: string[] = [];
  readonly #lengths = new Growable();
  readonly #postingTerms = new Growable();
  readonly #postingDocs = new Growable();
  readonly #postingTfs = new Growable();
  /** Term frequencies within the open passage, by term id. */
  readonly #open = new Map<number, number>();
  #openLength = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** Counts `term` for the open passage, `weight` times. */
  add(term: string, weight = 1): void {
    let id = this.#ids.get(term);
    if (id === undefined) {
      id = this.#terms.length;
      this.#ids.set(term, id);
      this.#terms.push(term);
    }
    this.#open.set(id, (this.#open.get(id) ?? 0) + weight);
    this.#openLength += weight;
  }

  /** Closes the open passage; the next `add` belongs to the passage with the next ordinal. */
  endPassage(): void {
    const ordinal = this.#lengths.length;
    for (const [id, tf] of this.#open) {
      this.#postingTerms.push(id);
      this.#postingDocs.push(ordinal);
      this.#postingTfs.push(Math.min(tf, MAX_TF));
    }
    this.#lengths.push(this.#openLength);
    this.#open.clear();
    this.#openLength = 0;
  }

  segments(): Record<string, Uint8Array> {
    const encoded = this.#terms.map((term, id) => ({ id, bytes: encoder.encode(term) }));
    encoded.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
    const rank = new Uint32Array(encoded.length);
    const termEnds = new Uint32Array(encoded.length);
    let size = 0;
    encoded.forEach(({ id, bytes }, place) => {
      rank[id] = place;
      size += bytes.length;
      termEnds[place] = size;
    });
    const terms = new Uint8Array(size);
    encoded.forEach(({ bytes }, place) => {
      terms.set(bytes, termEnds[place]! - bytes.length);
    });
    const { ends, docs, tfs } = this.#byTerm(rank);
    return {
      [`postings.${this.#name}.terms`]: terms,
      [`postings.${this.#name}.term-ends`]: bytesOf(termEnds),
      [`postings.${this.#name}.ends`]: bytesOf(ends),
      [`postings.${this.#name}.docs`]: bytesOf(docs),
      [`postings.${this.#name}.tfs`]: bytesOf(tfs),
      [`postings.${this.#name}.lengths`]: bytesOf(this.#lengths.view().slice()),
    };
  }

  /** Counting sort of the postings by term; passages stay in order within a term. */
  #byTerm(rank: Uint32Array): { ends: Uint32Array; docs: Uint32Array; tfs: Uint16Array } {
    const postingTerms = this.#postingTerms.view();
    const postingDocs = this.#postingDocs.view();
    const postingTfs = this.#postingTfs.view();
    const ends = new Uint32Array(rank.length);
    for (const id of postingTerms) ends[rank[id]!]!++;
    let sum = 0;
    for (let place = 0; place < ends.length; place++) {
      const count = ends[place]!;
      ends[place] = sum;
      sum += count;
    }
    const docs = new Uint32Array(postingTerms.length);
    const tfs = new Uint16Array(postingTerms.length);
    for (let i = 0; i < postingTerms.length; i++) {
      const place = rank[postingTerms[i]!]!;
      const to = ends[place]!++;
      docs[to] = postingDocs[i]!;
      tfs[to] = postingTfs[i]!;
    }
    return { ends, docs, tfs };
  }
}

/** A Uint32Array that grows by doubling. */
class Growable {
  length = 0;
  #items = new Uint32Array(1024);

  push(value: number): void {
    if (this.length === this.#items.length) {
      const larger = new Uint32Array(this.length * 2);
      larger.set(this.#items);
      this.#items = larger;
    }
    this.#items[this.length++] = value;
  }

  /** The values so far; valid until the next `push`. */
  view(): Uint32Array {
    return this.#items.subarray(0, this.length);
  }
}
