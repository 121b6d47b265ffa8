/** Files that say nothing of their own: all of several others in one, or another file in another format. */
import { basename, dirname } from 'node:path';
import { MIN_WORDS, shared, shinglesOf, WORD } from './duplicates.ts';
import type { Collected } from './outcomes.ts';

/** Words of a file from which on it can be all of several others: of short ones it matters which of them says what. */
const BOOK = 500;
/** Share of the sentences of a page that the book has: a page has a foot, which the book has not. */
const HELD = 0.95;
/** Share of the runs of words of a file that the same in another format holds: page numbers and contents differ. */
const SAME = 0.9;
/** Sentences of a collection that are compared; of a larger one no file is taken for all of others. */
const MOST_SENTENCES = 8_000_000;
/** What people read best, and we too, comes first. */
const FORMATS = ['html', 'htm', 'md', 'markdown', 'docx', 'txt', 'text', 'pdf'];
const FORMAT = new RegExp(`\\.(${FORMATS.join('|')})(?:\\.gz)?$`, 'i');
const NUMBER = /\p{N}+(?:[.,]\p{N}+)*/gu;

/** Which other file says what a file says, and why it is left out. */
export interface Edition {
  of: string;
  reason: string;
}

/**
 * Of whole files those that say what others say, by id: manual.pdf and manual.txt beside manual.html, and the page of the whole
 * manual beside its chapters, each sentence of which stands in one of them. Records have ids of their own for a reason.
 */
export function editions(documents: Iterable<Collected>): Map<string, Edition> {
  const files = [...documents].filter(({ entry }) => entry.docId === entry.source);
  const found = otherFormats(files);
  const left = files.filter(({ entry }) => !found.has(entry.docId));
  return new Map([...found, ...combined(left)]);
}

function linesOf({ passages }: Collected): string[] {
  return passages.flatMap(({ text }) => text.toLowerCase().split('\n'));
}

/** Where a file lies and what it is called; null for a format of which there is no better or worse. */
function stemOf(docId: string): { folder: string; name: string; rank: number } | null {
  const format = FORMAT.exec(docId);
  if (format === null) return null;
  const name = basename(docId.slice(0, format.index));
  return { folder: dirname(docId), name, rank: FORMATS.indexOf(format[1]!.toLowerCase()) };
}

/**
 * Files that say what those of the same name in a better format say: manual.txt beside manual.html, html/manual.html or the
 * pages in manual/ and manual.html/.
 */
function otherFormats(files: readonly Collected[]): Map<string, Edition> {
  const byPlace = new Map<string, { file: Collected; rank: number }[]>();
  const note = (place: string, each: { file: Collected; rank: number }) => {
    const there = byPlace.get(place);
    if (there === undefined) byPlace.set(place, [each]);
    else there.push(each);
  };
  const stems = files.flatMap((file) => {
    const stem = stemOf(file.entry.docId);
    return stem === null ? [] : [{ file, ...stem }];
  });
  for (const { file, folder, name, rank } of stems) {
    note(`${folder}/${name}`, { file, rank });
    for (let above = folder; above.includes('/'); above = dirname(above)) note(`${above}/`, { file, rank });
  }
  const found = new Map<string, Edition>();
  // Best formats first, so that none is held against one that is left out itself.
  for (const { file, folder, name, rank } of stems.sort((a, b) => a.rank - b.rank)) {
    if (rank === 0) continue;
    const { docId } = file.entry;
    const beside = [folder, ...FORMATS.map((format) => `${folder}/${format}`)].map(
      (each) => `${each}/${name}`,
    );
    const pages = [`${folder}/${name}/`, `${folder}/${name}.html/`];
    const better = [...beside, ...pages]
      .flatMap((place) => byPlace.get(place) ?? [])
      .filter((each) => each.rank < rank && !found.has(each.file.entry.docId))
      .map((each) => each.file);
    if (better.length === 0 || !saysNoMore(file, better)) continue;
    const of = better[0]!.entry.docId;
    const more = better.length === 1 ? '' : ` and ${better.length - 1} other files`;
    found.set(docId, { of, reason: `is ${of}${more} in another format` });
  }
  return found;
}

/** Whether nearly all that a file says stands in others, and no number that they do not have. */
function saysNoMore(file: Collected, others: readonly Collected[]): boolean {
  const own = runsOf([file]);
  if (own.size < MIN_WORDS) return false;
  const numbers = new Set(
    others.flatMap((other) => other.passages.flatMap(({ text }) => text.match(NUMBER) ?? [])),
  );
  for (const line of linesOf(file)) {
    // What begins or ends a line may be the number of a section or a page.
    const within = line.replace(/^\W*[\p{N}.]+/u, '').replace(/[\p{N}.\s]+$/u, '');
    for (const [number] of within.matchAll(NUMBER)) if (!numbers.has(number)) return false;
  }
  return shared(own, runsOf(others)) >= SAME * own.size;
}

function runsOf(files: readonly Collected[]): Set<number> {
  const runs = new Set<number>();
  for (const file of files) {
    for (const hash of shinglesOf(linesOf(file).join('\n').match(WORD) ?? [])) runs.add(hash);
  }
  return runs;
}

interface Said {
  docId: string;
  words: number;
  sentences: ReadonlySet<number>;
}

/** Files of which every sentence stands in smaller ones of the same folder or below it, which stand in it. */
function combined(files: readonly Collected[]): Map<string, Edition> {
  const found = new Map<string, Edition>();
  const holders = new Map<number, number>();
  const all: Said[] = [];
  for (const file of files) {
    const said = saidIn(file);
    all.push(said);
    for (const each of said.sentences) holders.set(each, (holders.get(each) ?? 0) + 1);
    if (holders.size > MOST_SENTENCES) return found;
  }
  all.sort((a, b) => b.sentences.size - a.sentences.size || (a.docId < b.docId ? -1 : 1));
  for (const [place, whole] of all.entries()) {
    if (whole.words < BOOK || !isAllOf(whole, (each) => holders.get(each)! > 1)) continue;
    const folder = `${dirname(whole.docId)}/`;
    const parts = all
      .slice(place + 1)
      .filter(({ docId, sentences }) => docId.startsWith(folder) && isHeld(sentences, whole.sentences));
    const said = new Set(parts.flatMap(({ sentences }) => [...sentences]));
    if (parts.filter(({ words }) => words >= MIN_WORDS).length < 2) continue;
    if (!isAllOf(whole, (each) => said.has(each))) continue;
    const of = parts[0]!.docId;
    const reason = `holds nothing that is not in ${of} and ${parts.length - 1} other files`;
    found.set(whole.docId, { of, reason });
    for (const each of whole.sentences) holders.set(each, holders.get(each)! - 1);
  }
  return found;
}

function isAllOf({ sentences }: Said, test: (sentence: number) => boolean): boolean {
  for (const each of sentences) if (!test(each)) return false;
  return true;
}

function isHeld(part: ReadonlySet<number>, whole: ReadonlySet<number>): boolean {
  // Counted only so far: of a large collection nearly every file is none after two or three sentences.
  let missing = Math.floor((1 - HELD) * part.size);
  for (const each of part) if (!whole.has(each) && --missing < 0) return false;
  return part.size > 0;
}

/** Sentences, items and rows of a file, by the hash of their words. */
function saidIn(file: Collected): Said {
  const sentences = new Set<number>();
  let words = 0;
  for (const sentence of linesOf(file).flatMap((line) => line.split(/[.!?]\s/))) {
    const own = sentence.match(WORD);
    if (own === null) continue;
    words += own.length;
    sentences.add(hashOf(own.join(' ')));
  }
  return { docId: file.entry.docId, words, sentences };
}

/** Of 53 bits, so that no two sentences of a large collection have the same. */
function hashOf(text: string): number {
  let [high, low] = [0x811c9dc5, 0x1b873593];
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit, 0x85ebca6b) + high;
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}
