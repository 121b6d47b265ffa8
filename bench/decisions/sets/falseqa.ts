import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { readDataFile } from '../../datasets/files.ts';
import type { DecisionSet } from '../types.ts';
import { checked, Documents } from './rows.ts';

const FILE = 'falseqa/train.csv';

const Rows = z.array(z.object({ question: z.string(), answer: z.string(), label: z.enum(['0', '1']) }));

/** FalseQA train: half of the questions take something false for granted. */
export async function loadFalseqa(dir: string): Promise<DecisionSet> {
  const documents = new Documents();
  const rows = checked(parse(await readDataFile(dir, FILE), { columns: true }), FILE, Rows);
  const queries = rows.map(({ question, answer, label }, place) => {
    documents.add('remark', answer, FILE);
    const holds = label === '0';
    return {
      id: `falseqa:${place}`,
      query: question,
      action: holds ? ('ANSWER' as const) : ('ABSTAIN' as const),
      ...(holds && { answers: [answer] }),
      group: `falseqa:${question.trim().toLowerCase()}`,
      source: 'falseqa',
      fits: false,
    };
  });
  return {
    about:
      'FalseQA train: a false premise is ABSTAIN, else ANSWER; it has no documents, and the answers and corrections of ' +
      'all its questions stand for them; no terms stated: never fitted on',
    documents: documents.all,
    queries,
  };
}
