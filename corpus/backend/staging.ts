/** What is made of pieces of documents before there is a generation of them: it lies beside the index in its engine, whole or not at all. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { sha256 } from '../store/files.ts';

/** Values by name, a megabyte or so each, that lie in an engine beside the generations of one index. */
export interface Shelf {
  get(names: readonly string[]): Promise<Map<string, Buffer>>;
  /** What has a name already is replaced. Durable when it resolves. */
  put(values: ReadonlyMap<string, Buffer>): Promise<void>;
  /** All that are there. */
  names(): Promise<string[]>;
  remove(names: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Bytes of a part, and parts of one request. */
const PART = 1 << 20;
const AT_A_TIME = 8;
/** Heads that one request asks for. */
const HEADS = 500;

/** Says, once all parts are there, who wrote them and what they are together. */
const Head = z.strictObject({ writer: z.string(), parts: z.number().int(), sha256: z.string() });
type Head = z.infer<typeof Head>;

const headOf = (key: string) => `head/${key}`;
const partOf = (writer: string, part: number) => `part/${writer}/${part}`;

function* inGroups<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}

/**
 * Keeps values of any size by key. Writing one twice is writing it once: each writer has parts of its own, and the last head that
 * was written counts. Throws BACKEND_UNAVAILABLE and BACKEND_UNUSABLE.
 */
export class Staging {
  readonly #shelf: Shelf;

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
  }

  /** Which of these keys have a value, as far as their heads tell. */
  async has(keys: readonly string[]): Promise<Set<string>> {
    return new Set((await this.#heads(keys)).keys());
  }

  /** The value of a key, null where there is none. One that is not what was written is none, and is removed. */
  async read(key: string): Promise<Buffer | null> {
    const head = (await this.#heads([key])).get(key);
    if (head === undefined) return null;
    const parts: Buffer[] = [];
    for (const group of inGroups(namesOf(head), AT_A_TIME)) {
      const found = await this.#shelf.get(group);
      parts.push(...group.map((name) => found.get(name) ?? Buffer.alloc(0)));
    }
    const value = Buffer.concat(parts);
    if (sha256(value) === head.sha256) return value;
    await this.#shelf.remove([headOf(key)]);
    return null;
  }

  async write(key: string, value: Buffer): Promise<void> {
    const head: Head = {
      writer: randomUUID(),
      parts: Math.ceil(value.length / PART),
      sha256: sha256(value),
    };
    const parts = namesOf(head).map((name, i) => [name, value.subarray(i * PART, (i + 1) * PART)] as const);
    for (const group of inGroups(parts, AT_A_TIME)) await this.#shelf.put(new Map(group));
    await this.#shelf.put(new Map([[headOf(key), Buffer.from(JSON.stringify(head))]]));
  }

  /** Removes all but the values of these keys, also what was never finished; says how many keys that were. */
  async keepOnly(keys: readonly string[]): Promise<number> {
    const kept = new Set(keys.map(headOf));
    for (const head of (await this.#heads(keys)).values()) for (const name of namesOf(head)) kept.add(name);
    const old = (await this.#shelf.names()).filter((name) => !kept.has(name));
    // Heads go first: none is without its parts.
    old.sort();
    for (const group of inGroups(old, HEADS)) await this.#shelf.remove(group);
    return old.filter((name) => name.startsWith(headOf(''))).length;
  }

  close(): Promise<void> {
    return this.#shelf.close();
  }

  async #heads(keys: readonly string[]): Promise<Map<string, Head>> {
    const heads = new Map<string, Head>();
    for (const group of inGroups(keys, HEADS)) {
      const found = await this.#shelf.get(group.map(headOf));
      for (const key of group) {
        const bytes = found.get(headOf(key));
        const head = bytes && Head.safeParse(JSON.parse(bytes.toString()));
        if (head?.success) heads.set(key, head.data);
      }
    }
    return heads;
  }
}

function namesOf({ writer, parts }: Head): string[] {
  return Array.from({ length: parts }, (_, part) => partOf(writer, part));
}
