import { basename } from 'node:path';
import type { Collected } from './collect.ts';
import { sha256 } from './store/files.ts';

/** Texts shorter than this, in characters, are the same page only if they also have the same title. */
const SHORT = 200;
/** Pages of fewer words are compared as a whole. */
const MIN_WORDS = 60;
const SHINGLE = 5;
/** Jaccard similarity over runs of five words. */
const NEAR = 0.95;
/** Pages that share one of their smallest hashes are compared; of so many others at most. */
const SKETCH = 4;
const MAX_COMPARED = 20;

function textOf({ passages }: Collected): string {
  return passages
    .map(({ text }) => text)
    .join('\n')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim();
}

function hashOf(words: readonly string[], from: number): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < from + SHINGLE; i += 1) {
    for (const char of words[i]!) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193);
    hash = Math.imul(hash ^ 0x20, 0x01000193);
  }
  return hash >>> 0;
}

interface Words {
  words: ReadonlySet<string>;
  shingles: ReadonlySet<number>;
}

function wordsOf(text: string): Words | null {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length < MIN_WORDS) return null;
  const shingles = new Set<number>();
  for (let i = 0; i + SHINGLE <= words.length; i += 1) shingles.add(hashOf(words, i));
  return { words: new Set(words), shingles };
}

function smallest(shingles: ReadonlySet<number>): number[] {
  const found: number[] = [];
  for (const hash of shingles) {
    if (found.length === SKETCH && hash > found[SKETCH - 1]!) continue;
    found.push(hash);
    found.sort((a, b) => a - b);
    found.length = Math.min(found.length, SKETCH);
  }
  return found;
}

/** Nearly the same, and nothing in the one that is not said in the other: no other number, no other name. */
function isNear(one: Words, kept: Words): boolean {
  let shared = 0;
  for (const hash of one.shingles) if (kept.shingles.has(hash)) shared += 1;
  if (shared < NEAR * (one.shingles.size + kept.shingles.size - shared)) return false;
  for (const word of one.words) if (!kept.words.has(word)) return false;
  return true;
}

/** An index page that is another page is the one to leave out. */
function byWorth(a: Collected, b: Collected): number {
  const index = ({ entry }: Collected) => (/^(?:index|default)\./i.test(basename(entry.source)) ? 1 : 0);
  return index(a) - index(b) || (a.entry.docId < b.entry.docId ? -1 : 1);
}

/**
 * Pages that are other pages, by id: the same text but for white space and capitals, or nearly the same with no word
 * that the other has not. Each is named with the one that stays. Only whole files are compared: a record has an id of
 * its own for a reason.
 */
export function duplicates(documents: Iterable<Collected>): Map<string, string> {
  const files = [...documents].filter(({ entry }) => entry.docId === entry.source).sort(byWorth);
  const found = new Map<string, string>();
  const same = new Map<string, string>();
  const near = new Map<number, string[]>();
  const kept = new Map<string, Collected>();
  for (const file of files) {
    const { docId, title } = file.entry;
    const text = textOf(file);
    const key = sha256(text.length < SHORT ? `${title}\n${text}` : text);
    const twin = same.get(key);
    if (twin !== undefined) {
      found.set(docId, twin);
      continue;
    }
    same.set(key, docId);
    const own = wordsOf(text);
    if (own === null) continue;
    const sketch = smallest(own.shingles);
    const others = new Set(sketch.flatMap((hash) => near.get(hash) ?? []).slice(0, MAX_COMPARED));
    const other = [...others].find((id) => isNear(own, wordsOf(textOf(kept.get(id)!))!));
    if (other !== undefined) {
      found.set(docId, other);
      continue;
    }
    kept.set(docId, file);
    for (const hash of sketch) {
      const ids = near.get(hash);
      if (ids === undefined) near.set(hash, [docId]);
      else ids.push(docId);
    }
  }
  return found;
}
