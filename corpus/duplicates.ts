import { basename } from 'node:path';
import type { Collected } from './outcomes.ts';
import { sha256 } from './store/files.ts';

/** Texts shorter than this, in characters, are the same page only if they also have the same title. */
const SHORT = 200;
/** Pages of fewer words are compared as a whole. */
export const MIN_WORDS = 60;
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

/** The hashes of all runs of five words, in order. */
export function* shinglesOf(words: readonly string[]): Generator<number> {
  for (let i = 0; i + SHINGLE <= words.length; i += 1) yield hashOf(words, i);
}

/** How many of one set are in another. */
export function shared(one: ReadonlySet<number>, other: ReadonlySet<number>): number {
  let count = 0;
  for (const hash of one) if (other.has(hash)) count += 1;
  return count;
}

interface Words {
  sentences: ReadonlySet<string>;
  shingles: ReadonlySet<number>;
}

export const WORD = /[\p{L}\p{N}]+/gu;

function wordsOf({ passages }: Collected): Words | null {
  const text = passages.map((passage) => passage.text.toLowerCase()).join('\n');
  const words = text.match(WORD) ?? [];
  if (words.length < MIN_WORDS) return null;
  const shingles = new Set(shinglesOf(words));
  const sentences = text.split(/[.!?]\s|\n/).map((sentence) => (sentence.match(WORD) ?? []).join(' '));
  return { sentences: new Set(sentences), shingles };
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

/** Nearly the same, and no sentence in the one that is not in the other. */
function isWithin(one: Words, kept: Words): boolean {
  const both = shared(one.shingles, kept.shingles);
  if (both < NEAR * (one.shingles.size + kept.shingles.size - both)) return false;
  for (const sentence of one.sentences) if (!kept.sentences.has(sentence)) return false;
  return true;
}

interface File {
  file: Collected;
  text: string;
}

/** Where Sphinx keeps what it made a page of: "_sources/guide/install.rst.txt" of "guide/install.html". */
const KEPT_SOURCE = /^(|.*\/)_sources\/(.+?)(?:\.(?:rst|md|ipynb))?(?:\.txt|\.rst|\.md|\.ipynb)$/;

/** The page that a file is the source of, by its name; null: it is none. */
function pageOf(source: string): string | null {
  const [, folder, name] = KEPT_SOURCE.exec(source) ?? [];
  return name === undefined ? null : `${folder}${name}.html`;
}

/** An index page that is another page is the one to leave out, and a page to which something was added stays. */
function byWorth(a: File, b: File): number {
  const index = ({ file }: File) => (/^(?:index|default)\./i.test(basename(file.entry.source)) ? 1 : 0);
  return (
    index(a) - index(b) || b.text.length - a.text.length || (a.file.entry.docId < b.file.entry.docId ? -1 : 1)
  );
}

/**
 * Pages that are other pages, by id: the same text but for white space and capitals, or nearly the same without a
 * sentence that the other has not; and what pages were made of, which would be quoted with its markup. Each is named
 * with the one that stays and why. Only whole files are compared: a record has an id of its own for a reason.
 */
export function duplicates(documents: Iterable<Collected>): Map<string, { of: string; reason: string }> {
  const files: File[] = [];
  for (const file of documents) {
    if (file.entry.docId === file.entry.source) files.push({ file, text: textOf(file) });
  }
  files.sort(byWorth);
  const found = new Map<string, { of: string; reason: string }>();
  const names = new Set(files.map(({ file }) => file.entry.docId));
  const same = new Map<string, string>();
  const near = new Map<number, string[]>();
  const kept = new Map<string, Collected>();
  for (const { file, text } of files) {
    const { docId, title } = file.entry;
    const page = pageOf(docId);
    if (page !== null && names.has(page)) {
      found.set(docId, { of: page, reason: `is what ${page} was made of` });
      continue;
    }
    const key = sha256(text.length < SHORT ? `${title}\n${text}` : text);
    const twin = same.get(key);
    if (twin !== undefined) {
      found.set(docId, { of: twin, reason: `is the same as ${twin}` });
      continue;
    }
    same.set(key, docId);
    const own = wordsOf(file);
    if (own === null) continue;
    const sketch = smallest(own.shingles);
    const others = [...new Set(sketch.flatMap((hash) => near.get(hash) ?? []))].slice(0, MAX_COMPARED);
    const other = others.find((id) => isWithin(own, wordsOf(kept.get(id)!)!));
    if (other !== undefined) {
      found.set(docId, { of: other, reason: `holds nothing that is not in ${other}` });
      continue;
    }
    kept.set(docId, file);
    for (const hash of sketch) {
      const ids = near.get(hash);
      if (ids === undefined) near.set(hash, [docId]);
      else if (ids.length < MAX_COMPARED) ids.push(docId);
    }
  }
  return found;
}
