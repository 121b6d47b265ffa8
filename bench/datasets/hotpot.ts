import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { parseJson, parseJsonLines, readDataFile, unreadable } from './files.ts';
import type { Dataset } from './types.ts';

const CORPUS = 'hotpotqa/pooled-first-500-corpus.jsonl.gz';
const QUERIES = 'hotpotqa/pooled-first-500-queries.jsonl';

const CorpusRow = z.object({ title: z.string(), text: z.string() });
const QueryRow = z.object({
  id: z.string(),
  question: z.string(),
  answer: z.string(),
  gold_titles: z.array(z.string()),
});

/** HotpotQA, the paragraphs of its first 500 dev questions in one pool; each question needs two documents. */
export async function loadHotpot(dir: string): Promise<Dataset> {
  const documents = parseJsonLines(await readDataFile(dir, CORPUS), CORPUS).map((row) => {
    const { title, text } = check(CorpusRow, row, CORPUS);
    return { docId: title, title, text, source: CORPUS };
  });
  const known = new Set(documents.map((doc) => doc.docId));
  const queries = parseJsonLines(await readDataFile(dir, QUERIES), QUERIES).map((row) => {
    const { id, question, answer, gold_titles } = check(QueryRow, row, QUERIES);
    const missing = gold_titles.find((title) => !known.has(title));
    if (missing !== undefined)
      throw unreadable(QUERIES, `the gold document "${missing}" is not in the corpus`);
    return {
      id,
      query: question,
      answers: [answer],
      relevant: gold_titles.map((docId) => ({ docId, grade: 1 })),
      group: id,
    };
  });
  return {
    name: 'hotpot',
    about: 'HotpotQA pooled: paragraphs of the first 500 dev questions, two gold documents each',
    documents,
    queries,
  };
}

const TRAIN_CORPUS = 'hotpotqa/hipporag-train-100-corpus.json';
const TRAIN = 'hotpotqa/hipporag-train-100.json';

const TrainCorpus = z.record(z.string(), z.array(z.string()));
const TrainRow = z.object({
  question: z.string(),
  answer: z.string(),
  supporting_facts: z.array(z.tuple([z.string(), z.number()])),
});

/** HotpotQA, 100 questions of its training set over the paragraphs of all of them. */
export async function loadHotpotTrain(dir: string): Promise<Dataset> {
  const corpus = check(
    TrainCorpus,
    parseJson(await readDataFile(dir, TRAIN_CORPUS), TRAIN_CORPUS),
    TRAIN_CORPUS,
  );
  const rows = check(z.array(TrainRow), parseJson(await readDataFile(dir, TRAIN), TRAIN), TRAIN);
  return {
    name: 'hotpot-train',
    about: 'HotpotQA train: 100 questions, two gold documents each; for tuning only',
    documents: Object.entries(corpus).map(([title, texts]) => ({
      docId: title,
      title,
      text: texts.join('').trim(),
      source: TRAIN_CORPUS,
    })),
    queries: rows.map(({ question, answer, supporting_facts }, place) => {
      const gold = [...new Set(supporting_facts.map(([title]) => title))];
      const missing = gold.find((title) => !Object.hasOwn(corpus, title));
      if (missing !== undefined)
        throw unreadable(TRAIN, `the gold document "${missing}" is not in the corpus`);
      const id = `hotpot-train-${place + 1}`;
      const relevant = gold.map((docId) => ({ docId, grade: 1 }));
      return { id, query: question, answers: [answer], relevant, group: id };
    }),
  };
}

/** Another system's run over the same pool: ranked titles by question id. */
export interface ReferenceRun {
  name: string;
  rankings: ReadonlyMap<string, readonly string[]>;
}

const REFERENCES = [
  ['reference BM25', 'hotpotqa/pooled-first-500-bm25_results.csv'],
  ['reference dense (all-MiniLM-L6-v2)', 'hotpotqa/pooled-first-500-dense_results.csv'],
  ['reference cross-encoder (ms-marco-MiniLM-L-6-v2)', 'hotpotqa/pooled-first-500-rerank_results.csv'],
] as const;

/** The three reference runs of the data folder (rows of the pooled setting). */
export async function loadHotpotReferences(dir: string): Promise<ReferenceRun[]> {
  return Promise.all(
    REFERENCES.map(async ([name, file]) => {
      const rows: Record<string, string>[] = parse(await readDataFile(dir, file), { columns: true });
      const pooled = rows.filter((row) => row.setting === 'pooled');
      if (pooled.length === 0) throw unreadable(file, 'no rows of the pooled setting');
      return {
        name,
        rankings: new Map(pooled.map((row) => [row.example_id!, row.retrieved_titles!.split(' | ')])),
      };
    }),
  );
}

function check<T>(schema: z.ZodType<T>, row: unknown, file: string): T {
  const parsed = schema.safeParse(row);
  if (!parsed.success) throw unreadable(file, z.prettifyError(parsed.error), parsed.error);
  return parsed.data;
}
