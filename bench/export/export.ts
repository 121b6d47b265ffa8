import path from 'node:path';
import type { Example } from '../../calibration/index.ts';
import { sample, seededRandom, toLine, writeWholeFile } from '../../common/index.ts';
import { type ExportableName, loadDataset } from '../datasets/index.ts';
import type { DataQuery } from '../datasets/types.ts';

export interface ExportOptions {
  sets: readonly ExportableName[];
  data: string;
  out: string;
  titles: boolean;
  /** Questions of each set, a seeded sample; all when undefined. Documents are always all. */
  limit: number | undefined;
}

/**
 * Writes public sets as `documents.jsonl`, which `pragaura index` reads, and `questions.ndjson`, labelled queries
 * whose passages are the ids of these documents. Of several sets every id and group has its set's name before it, so that
 * none is in two. Says in words what was written. Throws what `loadDataset` throws, and WRITE_FAILED.
 */
export async function exportSets(options: ExportOptions): Promise<string> {
  const { sets, data, out, titles, limit } = options;
  const loaded = await Promise.all(
    sets.map(async (set) => {
      const { documents, queries, about } = await loadDataset(set, data, { titles });
      const named = (id: string) => (sets.length === 1 ? id : `${set}/${id}`);
      return {
        about,
        all: queries.length,
        documents: documents.map((document) => ({ ...document, docId: named(document.docId) })),
        questions: sample(queries, limit ?? queries.length, seededRandom(1)).map((query) =>
          labelled(query, named),
        ),
      };
    }),
  );
  const documents = loaded.flatMap((each) => each.documents);
  const questions = loaded.flatMap((each) => each.questions);
  const all = loaded.reduce((sum, each) => sum + each.all, 0);
  const files = {
    documents: path.join(out, 'documents.jsonl'),
    questions: path.join(out, 'questions.ndjson'),
  };
  const hint = 'Name another folder with --out.';
  const corpus = documents.map(({ docId, title, text }) => toLine({ _id: docId, title, text }));
  await writeWholeFile(files.documents, corpus.join(''), hint);
  await writeWholeFile(files.questions, questions.map(toLine).join(''), hint);
  const empty = documents.filter(({ title, text }) => !/\S/.test(title + text)).length;
  const groups = new Set(questions.map(({ group }) => group)).size;
  return [
    ...loaded.map(({ about }) => about),
    `${files.documents}: ${documents.length} documents${empty === 0 ? '' : `, ${empty} of them without text`}`,
    `${files.questions}: ${questions.length} of ${all} questions, ${groups} groups`,
    `Next: pragaura index ${files.documents} --out ${path.join(out, 'index')}`,
  ].join('\n');
}

function labelled(
  { id, query, answers, answerable, relevant, group }: DataQuery,
  named: (id: string) => string,
): Example {
  return {
    id: named(id),
    query,
    ...(answers.length === 0 ? {} : { answers: [...answers] }),
    ...(relevant.length === 0 ? {} : { passages: relevant.map(({ docId }) => named(docId)) }),
    ...(relevant.every(({ grade }) => grade === 1) ? {} : { grades: relevant.map(({ grade }) => grade) }),
    ...(answerable === undefined ? {} : { answerable }),
    group: named(group),
  };
}
