import { loadSquadJson } from './squad.ts';
import type { DataDocument, DataQuery, Dataset, DatasetOptions } from './types.ts';

const FILES = [
  'squad/squad2-dev-cs224n.json.gz',
  'squad/squad2-dev-san-slice.json',
  'squad/squad2-dev-small.json',
];

/**
 * What the data folder has of the SQuAD 2.0 dev set, half of it unanswerable: three slices that overlap. A paragraph
 * is taken once, a question once for its paragraph; ids are those of the first slice that has it.
 */
export async function loadSquad2(dir: string, options: DatasetOptions = {}): Promise<Dataset> {
  const documents = new Map<string, DataDocument>();
  const queries = new Map<string, DataQuery>();
  const paragraphs = new Map<string, number>();
  for (const file of FILES) {
    const slice = await loadSquadJson(dir, { name: 'squad2-dev', about: '', file }, options);
    const articles = new Map(slice.documents.map(({ docId, text }) => [docId, text]));
    for (const document of slice.documents) {
      if (documents.has(document.text)) continue;
      const article = document.docId.slice(0, document.docId.lastIndexOf('#'));
      const place = paragraphs.get(article) ?? 0;
      paragraphs.set(article, place + 1);
      documents.set(document.text, { ...document, docId: `${article}#${place}` });
    }
    for (const query of slice.queries) {
      const text = articles.get(slice.askedOf.get(query.id)!)!;
      const key = JSON.stringify([text, query.query]);
      if (queries.has(key)) continue;
      const { docId } = documents.get(text)!;
      queries.set(key, { ...query, relevant: query.answerable === false ? [] : [{ docId, grade: 1 }] });
    }
  }
  return {
    name: 'squad2-dev',
    about: 'SQuAD 2.0 dev, 13 articles, a paragraph is a document; half of the questions have no answer',
    documents: [...documents.values()],
    queries: [...queries.values()],
  };
}
