import { z } from 'zod';
import { parseJson, parseTsv, readDataFile, unreadable } from './files.ts';
import type { DataDocument, DataQuery, Dataset, DatasetOptions } from './types.ts';

/** A file in the form of SQuAD, 1.1 or 2.0. */
export const SquadJson = z.object({
  data: z.array(
    z.object({
      title: z.string(),
      paragraphs: z.array(
        z.object({
          context: z.string(),
          qas: z.array(
            z.object({
              id: z.string(),
              question: z.string(),
              answers: z.array(z.object({ text: z.string() })),
              is_impossible: z.boolean().optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** `askedOf`: the paragraph that a question was asked about, answerable or not, by the question's id. */
type SquadSet = Dataset & { askedOf: ReadonlyMap<string, string> };

/** SQuAD-form JSON, 1.1 or 2.0: a paragraph is a document `Article#n`, an article a group. */
export async function loadSquadJson(
  dir: string,
  spec: { name: string; about: string; file: string },
  options: DatasetOptions = {},
): Promise<SquadSet> {
  const parsed = SquadJson.safeParse(parseJson(await readDataFile(dir, spec.file), spec.file));
  if (!parsed.success) throw unreadable(spec.file, 'no SQuAD JSON', parsed.error);
  const documents: DataDocument[] = [];
  const queries: DataQuery[] = [];
  const askedOf = new Map<string, string>();
  for (const article of parsed.data.data) {
    for (const [place, { context, qas }] of article.paragraphs.entries()) {
      const docId = `${article.title}#${place}`;
      documents.push({
        docId,
        title: titleOf(article.title, options),
        text: context.trimEnd(),
        source: spec.file,
      });
      for (const { id, question, answers, is_impossible } of qas) {
        queries.push({
          id,
          query: question.trim(),
          answers: is_impossible === true ? [] : [...new Set(answers.map((answer) => answer.text))],
          ...(is_impossible === undefined ? {} : { answerable: !is_impossible }),
          relevant: is_impossible === true ? [] : [{ docId, grade: 1 }],
          group: article.title,
        });
        askedOf.set(id, docId);
      }
    }
  }
  return { name: spec.name, about: spec.about, documents, queries, askedOf };
}

/** Tab-separated question rows with their paragraph; answers are separated by " | ". */
export async function loadSquadTsv(
  dir: string,
  spec: { name: string; about: string; file: string },
  options: DatasetOptions = {},
): Promise<Dataset> {
  const columns = ['query', 'passage', 'qid', 'docid', 'answers'] as const;
  const documents = new Map<string, DataDocument>();
  const queries = parseTsv(await readDataFile(dir, spec.file), spec.file, columns).map(
    ({ query, passage: text, qid: id, docid: docId, answers }): DataQuery => {
      const group = docId.split('#')[0]!;
      if (!documents.has(docId)) {
        documents.set(docId, { docId, title: titleOf(group, options), text, source: spec.file });
      }
      return { id, query, answers: answers.split(' | '), relevant: [{ docId, grade: 1 }], group };
    },
  );
  return { name: spec.name, about: spec.about, documents: [...documents.values()], queries };
}

function titleOf(article: string, options: DatasetOptions): string {
  return options.titles === true ? article.replaceAll('_', ' ') : '';
}
