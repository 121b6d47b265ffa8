import {
  buildPostings,
  type CorpusIndex,
  embeddedBackend,
  type IndexBackend,
  type Passage,
} from '../../../corpus/index.ts';
import {
  type AllocationProfile,
  BRANCHES,
  type BranchName,
  GENRES,
  type Genre,
} from '../../../profiles/index.ts';

export const DIMENSION = 6;

/** A unit vector that depends on the text alone. */
export function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(DIMENSION);
  for (let i = 0; i < text.length; i++)
    vector[(text.charCodeAt(i) * 7 + i) % DIMENSION]! += text.charCodeAt(i) % 11;
  const norm = Math.hypot(...vector) || 1;
  return vector.map((x) => x / norm);
}

interface Row {
  text: string;
  title?: string;
  docId?: string;
  source?: string;
  genre?: Genre;
}

/** An index in memory: the postings are the real ones, the vectors depend on the text. */
export function indexOf(rows: readonly (string | Row)[]): CorpusIndex {
  const passages = rows.map((row, i): Passage => {
    const {
      text,
      title = '',
      docId = `d${i}`,
      source = 's',
      genre = 'narrative',
    } = typeof row === 'string' ? { text: row } : row;
    return {
      docId,
      passageId: `${docId}:${i}`,
      start: 0,
      end: text.length,
      text,
      title,
      genre,
      source,
      position: '1:1',
    };
  });
  const segments = buildPostings(passages);
  const vectors = new Float32Array(passages.length * DIMENSION);
  passages.forEach(({ text }, i) => {
    vectors.set(vectorOf(text), i * DIMENSION);
  });
  return {
    dir: 'memory',
    folder: null,
    manifest: {
      schema: 'pragaura.index/1',
      hash: '',
      createdBy: '',
      counts: {
        documents: passages.length,
        passages: passages.length,
        failed: 0,
        genres: Object.fromEntries(GENRES.map((genre) => [genre, 0])) as Record<Genre, number>,
      },
      embedder: { name: 'test', sha256: 'test', dimension: DIMENSION },
      settings: { maxTokens: 220, splitter: 1, analysis: 1 },
      segments: {},
    },
    passages,
    documents: [],
    vectors,
    dimension: DIMENSION,
    segment: (name) => segments[name]!,
    partsOf: () => [],
    entriesOf: () => [],
  };
}

/** The same, open for queries. */
export function backendOf(rows: readonly (string | Row)[]): IndexBackend {
  return embeddedBackend(indexOf(rows));
}

/** A profile that grants these branches, without genre preferences unless given. */
export function profileOf(
  branches: Partial<Record<BranchName, number>>,
  rest: Partial<AllocationProfile> = {},
): AllocationProfile {
  return {
    schema: 'pragaura.profile/1',
    act: 'FACT',
    why: '',
    branches: {
      ...(Object.fromEntries(BRANCHES.map((name) => [name, 0])) as Record<BranchName, number>),
      ...branches,
    },
    rerankDepth: 0,
    nliPairs: 0,
    contextTokens: 0,
    genres: {
      preference: Object.fromEntries(GENRES.map((genre) => [genre, 0])) as Record<Genre, number>,
      weight: 0,
      floor: 1,
    },
    degrade: ['dense', 'lexical'],
    ...rest,
  };
}
