/** Files that say nothing of their own: all of several others in one, or another file in another format. */
import { basename, dirname } from 'node:path';
import type { Collected } from './outcomes.ts';

/** Files of fewer words are no editions of anything. */
const MIN_WORDS = 60;
const SHINGLE = 5;
/** Share of the runs of five words of a file that the same in another format holds: page numbers and contents differ. */
const SAME = 0.9;
/** Share of the sentences of a file that the one that holds it has: a page has a foot, which the book has not. */
const HELD = 0.95;
/** What people read best, and we too, comes first. */
const FORMATS = ['html', 'htm', 'md', 'markdown', 'docx', 'txt', 'text', 'pdf'];
const FORMAT = new RegExp(`\\.(${FORMATS.join('|')})(?:\\.gz)?$`, 'i');
const WORD = /[\p{L}\p{N}]+/gu;

/** What a file is instead of a document of its own: which other says it, and why it is left out. */
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
  const books = combined(left);
  // Where that other file is a book of pages, it is the pages that stay.
  const staying = [...found].map(([docId, edition]): [string, Edition] => [
    docId,
    { ...edition, of: books.get(edition.of)?.of ?? edition.of },
  ]);
  return new Map([...staying, ...books]);
}

function textOf({ passages }: Collected): string {
  return passages.map(({ text }) => text.toLowerCase()).join('\n');
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
  const byName = new Map<string, Collected[]>();
  const note = (key: string, file: Collected) => {
    const there = byName.get(key);
    if (there === undefined) byName.set(key, [file]);
    else there.push(file);
  };
  for (const file of files) {
    const stem = stemOf(file.entry.docId);
    if (stem === null) continue;
    const folders = stem.folder.split('/').map((folder) => folder.replace(/\.html?$/i, ''));
    for (const name of new Set([stem.name, ...folders])) note(name, file);
  }
  const found = new Map<string, Edition>();
  for (const file of files) {
    const { docId } = file.entry;
    const stem = stemOf(docId);
    if (stem === null) continue;
    const pages = [`${stem.folder}/${stem.name}/`, `${stem.folder}/${stem.name}.html/`];
    const better = (byName.get(stem.name) ?? []).filter(({ entry }) => {
      const { folder, name, rank } = stemOf(entry.docId)!;
      const beside = name === stem.name && `${folder}/`.startsWith(`${stem.folder}/`);
      return rank < stem.rank && (beside || pages.some((each) => `${folder}/`.startsWith(each)));
    });
    const own = better.length === 0 ? new Set<number>() : shinglesOf([file]);
    if (own.size < MIN_WORDS) continue;
    const known = shinglesOf(better);
    let held = 0;
    for (const hash of own) if (known.has(hash)) held += 1;
    if (held < SAME * own.size) continue;
    const of = better[0]!.entry.docId;
    const more = better.length === 1 ? '' : ` and ${better.length - 1} other files`;
    found.set(docId, { of, reason: `is ${of}${more} in another format` });
  }
  return found;
}

function shinglesOf(files: readonly Collected[]): Set<number> {
  const shingles = new Set<number>();
  for (const file of files) {
    const words = textOf(file).match(WORD) ?? [];
    for (let i = 0; i + SHINGLE <= words.length; i += 1) {
      shingles.add(hashOf(words.slice(i, i + SHINGLE).join(' ')));
    }
  }
  return shingles;
}

/** Files of which every sentence stands in smaller ones, which stand in it. */
function combined(files: readonly Collected[]): Map<string, Edition> {
  const all = files.map((file) => ({ docId: file.entry.docId, sentences: sentencesOf(file) }));
  const holders = new Map<number, number>();
  for (const { sentences } of all)
    for (const each of sentences) holders.set(each, (holders.get(each) ?? 0) + 1);
  const found = new Map<string, Edition>();
  const bySize = all.sort((a, b) => b.sentences.size - a.sentences.size || (a.docId < b.docId ? -1 : 1));
  for (const [place, whole] of bySize.entries()) {
    if (whole.sentences.size === 0 || ![...whole.sentences].every((each) => holders.get(each)! > 1)) continue;
    const parts = bySize.slice(place + 1).filter(({ sentences }) => isHeld(sentences, whole.sentences));
    const said = new Set(parts.flatMap(({ sentences }) => [...sentences]));
    if (parts.length < 2 || ![...whole.sentences].every((each) => said.has(each))) continue;
    const of = parts[0]!.docId;
    found.set(whole.docId, {
      of,
      reason: `holds nothing that is not in ${of} and ${parts.length - 1} other files`,
    });
    for (const each of whole.sentences) holders.set(each, holders.get(each)! - 1);
  }
  return found;
}

function isHeld(part: ReadonlySet<number>, whole: ReadonlySet<number>): boolean {
  // Counted only so far: of a large collection nearly every file is none after two or three sentences.
  let missing = Math.floor((1 - HELD) * part.size);
  for (const each of part) if (!whole.has(each) && --missing < 0) return false;
  return part.size > 0;
}

/** Sentences, items and rows, by the hash of their words. */
function sentencesOf(file: Collected): ReadonlySet<number> {
  const found = new Set<number>();
  for (const sentence of textOf(file).split(/[.!?]\s|\n/)) {
    const words = sentence.match(WORD);
    if (words !== null) found.add(hashOf(words.join(' ')));
  }
  return found;
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
