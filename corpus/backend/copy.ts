/** The copy of a generation that an engine holds: what it is made of, how it is opened, and whether it is one. */
import { PragauraError, sample, seededRandom } from '../../common/index.ts';
import { DECLARED_SEGMENT, IDENTIFIERS_SEGMENT, loadIdentifiers } from '../identifiers/index.ts';
import { analyse, FIELDS, type FieldName, Lexicon } from '../postings/index.ts';
import { sha256 } from '../store/files.ts';
import { openIndex, parseLines, type StoredIndex } from '../store/open-index.ts';
import type { CorpusIndex, DocumentEntry, Manifest, SegmentSource } from '../types.ts';
import type { IndexBackend, Search } from './backend.ts';
import { embeddedBackend } from './embedded.ts';

/** Of a field how many terms all passages have together, and how many passages have one. */
export interface FieldTotals {
  total: number;
  holding: number;
}

/** What is read when a generation is opened, by name. */
interface OpeningSegment {
  name: string;
  bytes: Uint8Array;
  sha256: string;
}

/** What became of a generation that was put into an engine. */
export interface Published {
  /** The engine's name of the generation. */
  index: string;
  /** False: it was there already. */
  written: boolean;
  /** Generations that were removed. */
  removed: string[];
}

/** Opens the folder of an index that is to be copied. Throws INDEX_UNUSABLE, also while its vectors are being made. */
export async function openWhole(dir: string): Promise<StoredIndex> {
  const folder = await openIndex(dir);
  if (folder.manifest.pending === undefined) return folder;
  throw new PragauraError('INDEX_UNUSABLE', `Vectors of ${dir} are still being made.`, {
    hint: 'Run the same command without --no-wait.',
  });
}

/** What of a folder is read at opening: documents, identifiers, terms with how many passages hold them. */
export function openingSegments(folder: CorpusIndex): OpeningSegment[] {
  // One text of them all is longer than any may be, from some million documents on.
  const documents = Buffer.concat(
    folder.documents.map((entry, i) => Buffer.from(`${i === 0 ? '' : '\n'}${JSON.stringify(entry)}`)),
  );
  const terms = FIELDS.flatMap((name) =>
    ['terms', 'term-ends', 'ends'].map((part) => `postings.${name}.${part}`),
  );
  const own = [...terms, IDENTIFIERS_SEGMENT, DECLARED_SEGMENT];
  return [
    { name: 'documents', bytes: documents },
    ...own
      .filter((name) => Object.hasOwn(folder.manifest.segments, name))
      .map((name) => ({ name, bytes: Buffer.from(folder.segment(name)) })),
  ].map(({ name, bytes }) => ({ name, bytes, sha256: sha256(bytes) }));
}

export function totalsOf(folder: CorpusIndex): Record<FieldName, FieldTotals> {
  const totals = (name: FieldName): FieldTotals => {
    const bytes = Uint8Array.from(folder.segment(`postings.${name}.lengths`));
    const lengths = new Uint32Array(bytes.buffer);
    let total = 0;
    let holding = 0;
    for (const length of lengths) {
      total += length;
      if (length > 0) holding += 1;
    }
    return { total, holding };
  };
  return Object.fromEntries(FIELDS.map((name) => [name, totals(name)])) as Record<FieldName, FieldTotals>;
}

/**
 * What an engine's backend has in memory, out of what was read at opening. `schema`: the layout on which its rankings depend.
 * Throws INDEX_UNUSABLE where segments are missing or do not fit.
 */
export function openedFrom(
  source: SegmentSource,
  manifest: Manifest,
  schema: string,
): Pick<IndexBackend, 'manifest' | 'documents' | 'identifiers' | 'lexicons'> {
  const lexicon = (name: FieldName) => new Lexicon(source, name, manifest.counts.passages);
  return {
    manifest: { ...manifest, hash: sha256(JSON.stringify([schema, manifest.hash])) },
    documents: parseLines<DocumentEntry>(source.segment('documents')),
    identifiers: loadIdentifiers(source),
    lexicons: Object.fromEntries(FIELDS.map((name) => [name, lexicon(name)])) as Record<FieldName, Lexicon>,
  };
}

/** Segments of the copy called `index`, as they were read. Throws INDEX_UNUSABLE for one that is missing, or not what was written. */
export function checkedSegments(
  index: string,
  wanted: Readonly<Record<string, { sha256: string }>>,
  read: ReadonlyMap<string, Uint8Array>,
): SegmentSource {
  for (const [name, bytes] of read) {
    if (sha256(bytes) !== wanted[name]?.sha256) throw damaged(index, `${name} is not what was written`);
  }
  return {
    segment(name) {
      const bytes = read.get(name);
      if (bytes === undefined) throw damaged(index, `it has no part ${name}`);
      return bytes;
    },
  };
}

/** Whether a backend holds the passages of a folder: the first, the middle and the last are compared. */
export async function isCopyOf(
  backend: Pick<IndexBackend, 'passages'>,
  folder: CorpusIndex,
): Promise<boolean> {
  const last = folder.passages.length - 1;
  const ordinals = [...new Set([0, last >> 1, last])];
  const found = await backend.passages(ordinals);
  return (
    found.length === ordinals.length &&
    found.every(({ ordinal, passage, vector }) => {
      const own = folder.vectors.subarray(ordinal * folder.dimension, (ordinal + 1) * folder.dimension);
      return (
        JSON.stringify(passage) === JSON.stringify(folder.passages[ordinal]) &&
        vector?.length === own.length &&
        vector.every((value, i) => value === own[i])
      );
    })
  );
}

/** Passages that are asked for, and words of one at most. */
const CANARIES = 16;
const CANARY_WORDS = 40;
/** Of the best score over the folder so much has to be found: which of equals is found, and the edge of a graph, are no loss. */
const CANARY_SHARE = 0.95;

/** Whether a backend finds passages of a folder, drawn by its hash, by their own words and vectors as the folder does. */
export async function answersAs(
  backend: Pick<IndexBackend, 'search'>,
  folder: CorpusIndex,
): Promise<boolean> {
  const { manifest, passages, vectors, dimension } = folder;
  const random = seededRandom(Number.parseInt(manifest.hash.slice(0, 8), 16));
  const searches = sample([...passages.keys()], CANARIES, random).flatMap((ordinal): Search[] => {
    const words = [...new Set(analyse(passages[ordinal]!.text))].slice(0, CANARY_WORDS);
    const vector = vectors.slice(ordinal * dimension, (ordinal + 1) * dimension);
    return [
      { field: 'text', terms: words.map((term) => ({ term, weight: 1 })), k: 1 },
      { vector, k: 1 },
    ];
  });
  const wanted = await embeddedBackend(folder).search(searches);
  // One by one: a transaction has one connection.
  for (const [i, search] of searches.entries()) {
    const [[best], [found]] = [wanted[i]!, (await backend.search([search]))[0]!];
    if (best !== undefined && !((found?.score ?? 0) >= CANARY_SHARE * best.score)) return false;
  }
  return true;
}

function damaged(index: string, what: string): PragauraError {
  return new PragauraError('INDEX_UNUSABLE', `The index "${index}" is damaged: ${what}.`, {
    hint: 'Delete it, and run "pragaura index" with --backend again.',
  });
}
