import { z } from 'zod';
import type { DecisionSet } from '../types.ts';
import { Documents, exchanges, readJson } from './rows.ts';

const FILE = 'abg-coqa/coqa_abg_val.json.gz';

const Turn = z.object({ question: z.string(), answer: z.string() });
const Rows = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      story: z.string(),
      target_turn: Turn,
      history_turns: z.array(Turn),
      ambiguity: z.enum(['ambiguous', 'non_ambiguous']),
      source: z.string(),
    }),
  ),
});

/** Stories of which CoQA says that they may be shared and changed; MCTest and RACE have terms of their own. */
const FREE = new Set(['wikipedia', 'gutenberg', 'cnn']);

/** Abg-CoQA val, the story given. */
export async function loadAbgCoqa(dir: string): Promise<DecisionSet> {
  const documents = new Documents();
  const { data } = await readJson(dir, FILE, Rows);
  const queries = data.map(({ id, story, target_turn, history_turns, ambiguity, source }) => {
    const docId = documents.add('story', story, FILE);
    const ambiguous = ambiguity === 'ambiguous';
    return {
      id: `abg-coqa:${id}`,
      query: target_turn.question,
      history: exchanges('user', history_turns),
      filters: { docId: [docId] },
      action: ambiguous ? ('ASK' as const) : ('ANSWER' as const),
      ...(!ambiguous && { answers: [target_turn.answer] }),
      group: docId,
      source: 'abg-coqa',
      fits: FREE.has(source),
    };
  });
  return {
    about:
      'Abg-CoQA val, the story given, the turns before as the conversation: ambiguous is ASK, else ANSWER; groups are ' +
      'stories; those of MCTest and RACE are never fitted on',
    documents: documents.all,
    queries,
  };
}
