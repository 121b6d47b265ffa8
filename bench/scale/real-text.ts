/** The public text that generated text is made of, and held against. */
import { sample, seededRandom, shuffled } from '../../common/index.ts';
import { type DatasetName, loadDataset } from '../datasets/index.ts';
import type { DataDocument, DataQuery } from '../datasets/types.ts';

const SETS: readonly DatasetName[] = ['new-wiki', 'articles-a', 'train-44', 'hotpot'];

export interface RealText {
  about: string;
  /** In random order, so that subjects are mixed from the first on. */
  documents: readonly DataDocument[];
  queries: readonly DataQuery[];
}

/** Paragraphs of Wikipedia with their titles, and what was asked about them. Throws NOT_FOUND and UNREADABLE_DOCUMENT. */
export async function loadRealText(data: string): Promise<RealText> {
  const sets = await Promise.all(SETS.map((name) => loadDataset(name, data, { titles: true })));
  const named = sets.flatMap(({ name, documents }) =>
    documents.map((document) => ({ ...document, docId: `${name}/${document.docId}` })),
  );
  return {
    about: `${SETS.join(', ')}: paragraphs of Wikipedia`,
    documents: shuffled(named, seededRandom(1)),
    queries: sets.flatMap(({ name, queries }) =>
      queries.map((query) => ({
        ...query,
        relevant: query.relevant.map(({ docId, grade }) => ({ docId: `${name}/${docId}`, grade })),
      })),
    ),
  };
}

/** Some of the documents with questions about them: `count` documents, and `asked` questions at most. */
export function sampled({ about, documents, queries }: RealText, count: number, asked: number): RealText {
  const some = documents.slice(0, count);
  const ids = new Set(some.map(({ docId }) => docId));
  const about_ = queries.filter(({ relevant }) => relevant.length === 1 && ids.has(relevant[0]!.docId));
  return { about, documents: some, queries: sample(about_, asked, seededRandom(2)) };
}
