import type { DataDocument } from '../../datasets/types.ts';
import { canardRows, NO_ANSWER, turnsOf } from '../../rewrite/canard.ts';
import type { DecisionQuery, DecisionSet } from '../types.ts';
import { nameOf } from './rows.ts';

const SOURCE = 'canard/dev.json.gz';

/** CANARD dev, that is, turns of QuAC's dialogues, with what their teachers quoted of the section given. */
export async function loadCanardDecisions(dir: string): Promise<DecisionSet> {
  const rows = await canardRows(dir);
  const sections = new Map<string, DataDocument>();
  const replies = new Map<string, string>();
  for (const { History, QuAC_dialog_id, Question_no } of rows) {
    const [article, section, ...turns] = History as [string, string, ...string[]];
    const answer = turns.at(-1);
    if (answer === undefined) continue;
    replies.set(`${QuAC_dialog_id} ${Question_no - 1}`, answer);
    const title = `${article} > ${section}`;
    const docId = docIdOf(title);
    const document = sections.get(docId) ?? { docId, title, text: '', source: SOURCE };
    sections.set(docId, document);
    // Several dialogues may be about one section, and several answers may quote the same words.
    if (answer === NO_ANSWER || document.text.includes(answer)) continue;
    document.text += `${document.text === '' ? '' : '\n'}${answer}`;
  }
  const queries = rows.flatMap(({ History, Question, QuAC_dialog_id, Question_no }): DecisionQuery[] => {
    const id = `${QuAC_dialog_id} ${Question_no}`;
    const reply = replies.get(id);
    const docId = docIdOf(`${History[0]} > ${History[1]}`);
    if (reply === undefined || sections.get(docId)!.text === '') return [];
    const answered = reply !== NO_ANSWER;
    return [
      {
        id: `canard:${id}`,
        query: Question,
        history: turnsOf(History),
        filters: { docId: [docId] },
        action: answered ? 'ANSWER' : 'ABSTAIN',
        ...(answered && { answers: [reply] }),
        group: History[0]!,
        source: 'canard',
        fits: true,
      },
    ];
  });
  return {
    about:
      'CANARD dev, turns of QuAC dialogues: "I don\'t know." is ABSTAIN, every other reply ANSWER (the last turn of a ' +
      'dialogue has none and is left out); the section is given as far as the replies of its dialogues quote it, for ' +
      'the whole of it is not in the data; groups are articles',
    documents: [...sections.values()].filter(({ text }) => text !== ''),
    queries,
  };
}

function docIdOf(title: string): string {
  return `section-${nameOf(title)}`;
}
