import type { CorpusIndex, Passage, Segments } from '../../corpus/index.ts';
import { GENRES, type Genre } from '../../profiles/index.ts';

/** A text as the passage that it would be in an index: nothing but the text differs between engines. */
export function passageOf(text: string, ordinal: number): Passage {
  const id = String(ordinal);
  return {
    docId: id,
    passageId: id,
    start: 0,
    end: text.length,
    text,
    title: '',
    genre: 'narrative',
    source: 'bench',
    position: '1:1',
  };
}

/** An index that was never written, for branches that need no embeddings: each vector is the number 1. */
export function memoryIndex(passages: readonly Passage[], segments: Segments): CorpusIndex {
  return {
    folder: null,
    dir: '(memory)',
    manifest: {
      schema: 'pragaura.index/1',
      hash: '',
      createdBy: 'bench',
      counts: {
        documents: passages.length,
        passages: passages.length,
        failed: 0,
        genres: Object.fromEntries(GENRES.map((genre) => [genre, 0])) as Record<Genre, number>,
      },
      embedder: { name: 'none', sha256: '', dimension: 1 },
      settings: { maxTokens: 0, splitter: 0, analysis: 0 },
      segments: {},
    },
    passages,
    documents: [],
    vectors: new Float32Array(passages.length).fill(1),
    dimension: 1,
    segment: (name) => segments[name]!,
    partsOf: () => [],
    entriesOf: () => [],
  };
}
