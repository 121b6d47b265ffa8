import path from 'node:path';
import { type Example, sample, seededRandom } from '../../calibration/index.ts';
import { toLine } from '../../router/streams/index.ts';
import { writeWholeFile } from '../../whole-file.ts';
import { type ExportableName, loadDataset } from '../datasets/index.ts';
import type { DataQuery } from '../datasets/types.ts';

export interface ExportOptions {
  set: ExportableName;
  data: string;
  out: string;
  titles: boolean;
  /** Questions, a seeded sample; all when undefined. Documents are always all. */
  limit: number | undefined;
}

/**
 * Writes a public set as `documents.jsonl`, which `pragaura index` reads, and `questions.ndjson`, labelled queries
 * whose passages are the ids of these documents. Says in words what was written. Throws what `loadDataset` throws, and
 * WRITE_FAILED.
 */
export async function exportSet(options: ExportOptions): Promise<string> {
  const { set, data, out, titles, limit } = options;
  const { documents, queries, about } = await loadDataset(set, data, { titles });
  const questions = sample(queries, limit ?? queries.length, seededRandom(1));
  const files = {
    documents: path.join(out, 'documents.jsonl'),
    questions: path.join(out, 'questions.ndjson'),
  };
  const hint = 'Name another folder with --out.';
  const corpus = documents.map(({ docId, title, text }) => toLine({ _id: docId, title, text }));
  await writeWholeFile(files.documents, corpus.join(''), hint);
  await writeWholeFile(files.questions, questions.map((query) => toLine(labelled(query))).join(''), hint);
  const empty = documents.filter(({ title, text }) => !/\S/.test(title + text)).length;
  return [
    about,
    `${files.documents}: ${documents.length} documents${empty === 0 ? '' : `, ${empty} of them without text`}`,
    `${files.questions}: ${questions.length} of ${queries.length} questions`,
    `Next: pragaura index ${files.documents} --out ${path.join(out, 'index')}`,
  ].join('\n');
}

function labelled({ id, query, answers, answerable, relevant, group }: DataQuery): Example {
  return {
    id,
    query,
    ...(answers.length === 0 ? {} : { answers: [...answers] }),
    ...(relevant.length === 0 ? {} : { passages: relevant.map(({ docId }) => docId) }),
    ...(relevant.every(({ grade }) => grade === 1) ? {} : { grades: relevant.map(({ grade }) => grade) }),
    ...(answerable === undefined ? {} : { answerable }),
    group,
  };
}
