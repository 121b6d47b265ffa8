import { z } from 'zod';
import type { DecisionQuery, DecisionSet } from '../types.ts';
import { Documents, readJson } from './rows.ts';

const FILE = 'ambigqa/dev_light.json.gz';

const Rows = z.array(
  z.object({
    id: z.string(),
    question: z.string(),
    annotations: z.array(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('singleAnswer'), answer: z.array(z.string()) }),
        z.object({
          type: z.literal('multipleQAs'),
          qaPairs: z.array(z.object({ question: z.string(), answer: z.array(z.string()) })),
        }),
      ]),
    ),
  }),
);
type Annotation = z.infer<typeof Rows>[number]['annotations'][number];

/** AmbigQA dev, without the questions on whose ambiguity its annotators disagree. */
export async function loadAmbigqa(dir: string): Promise<DecisionSet> {
  const documents = new Documents();
  const queries: DecisionQuery[] = [];
  for (const { id, question, annotations } of await readJson(dir, FILE, Rows)) {
    const types = new Set(annotations.map(({ type }) => type));
    if (types.size !== 1) continue;
    for (const text of annotations.flatMap((each) => readingsOf(question, each))) {
      documents.add('reading', text, FILE);
    }
    const single = types.has('singleAnswer');
    queries.push({
      id: `ambigqa:${id}`,
      query: question,
      action: single ? 'ANSWER' : 'ASK',
      ...(single && { answers: annotations.flatMap((each) => ('answer' in each ? each.answer : [])) }),
      group: `ambigqa:${id}`,
      source: 'ambigqa',
      fits: true,
    });
  }
  return {
    about:
      'AmbigQA dev, without questions on which annotators disagree: several readings are ASK, one is ANSWER; it has no ' +
      'documents, and each reading with its answer ("Who played it in 1990? Ann Lee.") is one, of all questions together',
    documents: documents.all,
    queries,
  };
}

/** One annotator's readings: the question made unambiguous, with its answer behind it. */
function readingsOf(question: string, annotation: Annotation): string[] {
  const readings =
    annotation.type === 'singleAnswer' ? [{ question, answer: annotation.answer }] : annotation.qaPairs;
  return readings.flatMap(({ question: asked, answer }) =>
    answer.length === 0 ? [] : [`${asked} ${answer[0]!.replace(/\.?$/, '.')}`],
  );
}
