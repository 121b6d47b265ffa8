import { type DocumentEntry, fold } from '../../corpus/index.ts';

/** Fewer names than this are the chapters of one book, not a collection whose documents speak of each other. */
const LEAST_NAMES = 100;
/** A longer title is a sentence. */
const MOST_WORDS = 8;
/** Documents of one name at most; what more share is a subject ("France"), a form or a chapter. */
const MOST_ALIKE = 4;
/** UTF-16 units of a text that are read. */
const MOST_CHARS = 8_000;
/** Documents found in one text at most. */
const MOST_FOUND = 16;

/** Words that a name may hold in small letters, and that are none alone. */
const SMALL = new Set(
  (
    'a an and as at but by for from he her his i in into is it its not of off on or she so than that the their then ' +
    'there they this to was we with you de del der di du e el et la le les van von y'
  ).split(' '),
);

/** The documents of a collection by their names. */
export interface Titles {
  /**
   * Documents (places in `index.documents`) whose name stands in the text, in the order of their mention, each once. The
   * longest name at a place counts. Linear in the text, of which the first 8,000 units are read.
   */
  namedIn(text: string): number[];
  /** The document of a passage. */
  documentOf(ordinal: number): number;
}

/** A place in the tree of names, word by word. */
interface Node {
  next: Map<string, Node>;
  documents: number[];
}

/**
 * Names of documents: titles as far as they are written like names. A part in brackets at the end ("Kiss and Tell (1945
 * film)") tells it from others of the name and is left out. Null where there are too few to link anything.
 */
export function openTitles(
  documents: readonly Pick<DocumentEntry, 'title' | 'first' | 'passages'>[],
): Titles | null {
  const root: Node = { next: new Map(), documents: [] };
  const names = new Set<Node>();
  for (const [place, { title }] of documents.entries()) {
    const words = nameWords(title);
    if (words === null) continue;
    let node = root;
    for (const word of words) {
      let next = node.next.get(word);
      if (next === undefined) {
        next = { next: new Map(), documents: [] };
        node.next.set(word, next);
      }
      node = next;
    }
    node.documents.push(place);
    names.add(node);
  }
  for (const node of names) {
    if (node.documents.length <= MOST_ALIKE) continue;
    node.documents = [];
    names.delete(node);
  }
  if (names.size < LEAST_NAMES) return null;
  const last = documents.at(-1)!;
  const documentOf = new Uint32Array(last.first + last.passages);
  for (const [place, { first, passages: count }] of documents.entries()) {
    documentOf.fill(place, first, first + count);
  }
  return {
    namedIn: (text) => namedIn(root, text.slice(0, MOST_CHARS)),
    documentOf: (ordinal) => documentOf[ordinal]!,
  };
}

interface Word {
  /** Folded. */
  text: string;
  start: number;
  end: number;
  /** Begins with a capital or a digit. */
  capital: boolean;
  small: boolean;
}

function wordsOf(text: string): Word[] {
  return [...text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].map(({ 0: word, index }) => {
    const folded = fold(word);
    const capital = /^[\p{Lu}\p{Lt}\p{N}]/u.test(word);
    return { text: folded, start: index, end: index + word.length, capital, small: SMALL.has(folded) };
  });
}

/** The folded words of a title that is a name; null for one that is none. */
function nameWords(title: string): string[] | null {
  const words = wordsOf(title.split(' > ', 1)[0]!.replace(/\s\([^()]*\)\s*$/, ''));
  if (words.length > MOST_WORDS) return null;
  if (!words.some(({ capital, small, text }) => capital && !small && /\p{L}/u.test(text))) return null;
  return words.map(({ text }) => text);
}

function namedIn(root: Node, text: string): number[] {
  const words = wordsOf(text);
  const found = new Set<number>();
  for (let at = 0; at < words.length && found.size < MOST_FOUND; at += 1) {
    if (!words[at]!.capital) continue;
    let node: Node | undefined = root;
    let last = -1;
    let documents: readonly number[] = [];
    for (let to = at; to < words.length; to += 1) {
      const { capital, small, text: word }: Word = words[to]!;
      node = capital || small ? node.next.get(word) : undefined;
      if (node === undefined) break;
      if (node.documents.length > 0) [last, documents] = [to, node.documents];
    }
    if (last < at || (last === at && isPartOfName(text, words, at))) continue;
    for (const document of documents) found.add(document);
    at = last;
  }
  return [...found];
}

/** Whether a capitalised word stands beside another one: "Paris" in "Paris Hilton" is not the city. */
function isPartOfName(text: string, words: readonly Word[], at: number): boolean {
  const { start, end } = words[at]!;
  const [before, after] = [words[at - 1], words[at + 1]];
  const follows = before?.capital && !before.small && text.slice(before.end, start) === ' ';
  return (follows || (after?.capital && text.slice(end, after.start) === ' ')) ?? false;
}
