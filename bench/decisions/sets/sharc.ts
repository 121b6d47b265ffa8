import { z } from 'zod';
import type { Action } from '../../../router/index.ts';
import { unreadable } from '../../datasets/files.ts';
import type { DecisionQuery, DecisionSet } from '../types.ts';
import { Documents, exchanges, readJson, readLines, type Turns } from './rows.ts';

const SHARC = 'sharc/sharc_dev.json.gz';
const OPEN = 'or-sharc/open_retrieval_sharc_dev.jsonl';
const RULES = 'or-sharc/id2snippet.json';

const Row = z.object({
  utterance_id: z.string(),
  question: z.string(),
  scenario: z.string(),
  answer: z.string(),
  history: z.array(z.object({ follow_up_question: z.string(), follow_up_answer: z.string() })),
});
type Row = z.infer<typeof Row>;

const ABOUT =
  'Yes and No are ANSWER, a follow-up question is ASK; the scenario and the follow-up questions answered so far are ' +
  'the conversation; groups are rule texts';

/** ShARC dev, the rule text given. */
export async function loadSharc(dir: string): Promise<DecisionSet> {
  const documents = new Documents();
  const rows = await readJson(dir, SHARC, z.array(Row.extend({ snippet: z.string() })));
  const queries = rows.map((row) => {
    const docId = documents.add('sharc', row.snippet, SHARC);
    return { ...queryOf(row, row.snippet, 'sharc'), filters: { docId: [docId] } };
  });
  return {
    about: `ShARC dev, the rule text given: ${ABOUT}, Irrelevant is ABSTAIN`,
    documents: documents.all,
    queries,
  };
}

/** OR-ShARC dev: the same questions, the rule text to be found among 651. */
export async function loadOrSharc(dir: string): Promise<DecisionSet> {
  const documents = new Documents();
  const rules = await readJson(dir, RULES, z.record(z.string(), z.string()));
  for (const rule of Object.values(rules)) documents.add('rule', rule, RULES);
  const rows = await readLines(dir, OPEN, Row.extend({ gold_snippet_id: z.string() }));
  const queries = rows.map((row) => {
    const rule = rules[row.gold_snippet_id];
    if (rule === undefined) throw unreadable(OPEN, `there is no rule text ${row.gold_snippet_id}`);
    return queryOf(row, rule, 'or-sharc');
  });
  return {
    about: `OR-ShARC dev, the rule text to be found among ${documents.all.length}: ${ABOUT}; nothing to abstain from`,
    documents: documents.all,
    queries,
  };
}

function queryOf(row: Row, rule: string, set: string): DecisionQuery {
  const said: Turns = row.scenario.trim() === '' ? [] : [{ role: 'user', text: row.scenario }];
  const asked = exchanges(
    'assistant',
    row.history.map((each) => ({ question: each.follow_up_question, answer: each.follow_up_answer })),
  );
  return {
    id: `${set}:${row.utterance_id}`,
    query: row.question,
    history: [...said, ...asked],
    action: actionOf(row.answer),
    // One rule text may have several dialogue trees, and stand in both sets.
    group: rule.trim(),
    source: 'sharc',
    fits: true,
  };
}

function actionOf(answer: string): Action {
  if (/^(?:yes|no)$/i.test(answer.trim())) return 'ANSWER';
  return answer.trim() === 'Irrelevant' ? 'ABSTAIN' : 'ASK';
}
