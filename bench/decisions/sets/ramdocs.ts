import { z } from 'zod';
import type { DecisionQuery, DecisionSet } from '../types.ts';
import { Documents, readLines } from './rows.ts';

const FILE = 'ramdocs/RAMDocs_test.jsonl.gz';
/** The first questions were looked at while signals were tuned; the others are for reporting. */
const LOOKED_AT = 160;

const Row = z.object({
  question: z.string(),
  documents: z.array(z.object({ text: z.string(), type: z.string(), answer: z.string() })),
  gold_answers: z.array(z.string()).min(1),
  wrong_answers: z.array(z.string()),
});

/** RAMDocs: each question with all of its documents, with those of one answer, and with false ones beside these. */
export async function loadRamdocs(dir: string): Promise<DecisionSet> {
  const documents = new Documents();
  const queries: DecisionQuery[] = [];
  for (const [place, row] of (await readLines(dir, FILE, Row)).entries()) {
    const docs = row.documents.map((each) => ({ ...each, docId: documents.add('found', each.text, FILE) }));
    const [first] = row.gold_answers as [string, ...string[]];
    const one = docs.filter(({ type, answer }) => type === 'correct' && answer === first);
    const wrong = docs.filter(({ type }) => type === 'misinfo');
    const add = (
      variant: string,
      given: typeof docs,
      rest: Pick<DecisionQuery, 'action' | 'also' | 'answers'>,
    ) =>
      queries.push({
        id: `ramdocs:${place}:${variant}`,
        query: row.question,
        filters: { docId: given.map(({ docId }) => docId) },
        group: row.question,
        source: 'ramdocs',
        fits: true,
        half: place < LOOKED_AT ? 'tune' : 'report',
        ...rest,
      });
    if (row.gold_answers.length > 1) add('all', docs, { action: 'ASK', also: 'ABSTAIN' });
    if (one.length === 0) continue;
    add('one', one, { action: 'ANSWER', answers: [first] });
    if (wrong.length > 0) add('wrong', [...one, ...wrong], { action: 'ABSTAIN', also: 'ASK' });
  }
  return {
    about:
      `RAMDocs, its first ${LOOKED_AT} questions for tuning; three variants of each by the documents given: ` +
      'all, which hold several right answers, are ASK; those of one answer are ANSWER; those and the ' +
      'ones that are false are ABSTAIN; ASK and ABSTAIN both count as right where one of them is',
    documents: documents.all,
    queries,
  };
}
