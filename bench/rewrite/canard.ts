import { z } from 'zod';
import type { Turn } from '../../conversation/index.ts';
import { parseJson, readDataFile, unreadable } from '../datasets/files.ts';
import { halfOf } from '../datasets/halves.ts';

const FILE = 'canard/dev.json.gz';

const Row = z.object({
  /** Article, section, then question and answer by turns. */
  History: z.array(z.string()).min(2),
  Question: z.string(),
  Rewrite: z.string(),
  QuAC_dialog_id: z.string(),
  Question_no: z.number().int(),
});
type Row = z.infer<typeof Row>;

/** A question of a dialogue. `history`: article and section as the user's first two turns, then the turns before. */
export interface RewriteExample {
  id: string;
  history: Turn[];
  question: string;
  gold: string;
  article: string;
  section: string;
  /** The passage that answers it, by its key in `passages`; null where the next question is not in the set. */
  answer: string | null;
}

export interface Canard {
  examples: RewriteExample[];
  /** Every answer of the dialogues that says something, with the titles that it stands under. */
  passages: Map<string, string>;
}

export const HALVES = ['report', 'tune', 'all'] as const;
export type Half = (typeof HALVES)[number];

/** No answer of CANARD's: it says so in these words. */
export const NO_ANSWER = "I don't know.";

/** The rows of CANARD dev. Throws NOT_FOUND or UNREADABLE_DOCUMENT. */
export async function canardRows(dir: string): Promise<Row[]> {
  const parsed = z.array(Row).safeParse(parseJson(await readDataFile(dir, FILE), FILE));
  if (!parsed.success) throw unreadable(FILE, z.prettifyError(parsed.error), parsed.error);
  return parsed.data;
}

/** Article and section are the user's first two turns. */
export function turnsOf(history: Row['History']): Turn[] {
  return history.map((text, i) => ({ role: i < 2 || i % 2 === 0 ? 'user' : 'assistant', text }));
}

/**
 * CANARD dev. The rules were chosen on `tune`, half of the articles by the hash of their titles; `report` is the
 * other half. Passages are those of the whole set. Throws NOT_FOUND or UNREADABLE_DOCUMENT.
 */
export async function loadCanard(dir: string, half: Half): Promise<Canard> {
  const rows = await canardRows(dir);
  const answers = new Map<string, string>();
  const passages = new Map<string, string>();
  for (const { History, QuAC_dialog_id, Question_no } of rows) {
    const text = History.at(-1)!;
    if (History.length <= 2 || text === NO_ANSWER) continue;
    const passage = `${History[0]} > ${History[1]}\n${text}`;
    const id = `${QuAC_dialog_id} ${Question_no - 1}`;
    answers.set(id, passage);
    // One passage for each text: several dialogues may be about one section.
    passages.set(passage, passage);
  }
  const examples = rows
    .filter(({ History }) => half === 'all' || halfOf(History[0]!) === half)
    .map(({ History, Question, Rewrite, QuAC_dialog_id, Question_no }) => ({
      id: `${QuAC_dialog_id} ${Question_no}`,
      history: turnsOf(History),
      question: Question,
      gold: Rewrite,
      article: History[0]!,
      section: History[1]!,
      answer: answers.get(`${QuAC_dialog_id} ${Question_no}`) ?? null,
    }));
  return { examples, passages };
}
