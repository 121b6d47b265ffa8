/** From a question back to what can be learned from its answer. Pure. */
import { oneLine } from '../../common/index.ts';
import type { ClarifyingQuestion, VariableKind } from '../clarify/index.ts';
import { contentStems } from '../state/index.ts';
import type { Conditions } from './types.ts';

/**
 * What users of a tenant may have a habit of: whether the missing piece is named by the query's own words ("which plan?").
 * Not among them: an identifier (a record that does not exist is never answered from another one), a reference (what
 * "it" means depends on the conversation) and a condition (what holds for one asker need not hold for the next).
 */
const LEARNED: Partial<Record<VariableKind, 'named' | 'unnamed'>> = {
  term: 'named',
  modifier: 'named',
  aspect: 'named',
  comparison: 'named',
  where: 'named',
  time: 'unnamed',
  name: 'unnamed',
  subject: 'unnamed',
};

/** Name of the condition that we add: the words of the question, so that failures are told apart by question. */
const QUESTION = 'question';
const MOST_CONDITIONS = 16;
const LONGEST_SCOPE = 200;
const LONGEST_VALUE = 1_000;

/** A missing piece as the store knows it. */
export interface Piece {
  need: { field: string; scope: string; candidates: string[] };
  /** Of the caller. */
  conditions: Conditions;
  /** Ours. */
  derived: Conditions;
  options: { value: string; docId: string | null }[];
}

/**
 * The piece that a question asks for; null where nothing is to be learned from its answer. A piece that the query's
 * words name ("plan") is one for all questions, and the words of the question are a condition of it; of one that they
 * do not name (a time, a name, a document) nothing is carried over to questions of other words: they are its scope. Where users look in the collection is a habit of theirs too.
 * `documentOf`: the document of a passage.
 */
export function pieceOf(
  text: string,
  question: Pick<ClarifyingQuestion, 'kind' | 'variable' | 'options'>,
  conditions: Conditions,
  documentOf: (passageId: string) => string | undefined,
): Piece | null {
  const { kind, variable } = question;
  const how = Object.hasOwn(LEARNED, kind) ? LEARNED[kind] : undefined;
  const field = oneLine(variable.normalize('NFKC')).toLowerCase();
  const options = question.options.filter(
    ({ value }) => value.trim() !== '' && value.length <= LONGEST_VALUE,
  );
  if (how === undefined || field === '' || options.length === 0) return null;
  const words = [...contentStems(text.slice(0, 2_000).normalize('NFKC'))]
    .sort()
    .join(' ')
    .slice(0, LONGEST_SCOPE);
  const free = Object.keys(conditions).length < MOST_CONDITIONS && !Object.hasOwn(conditions, QUESTION);
  return {
    need: {
      field,
      scope: how === 'unnamed' ? words.trim() : '',
      candidates: options.map(({ value }) => value),
    },
    conditions,
    derived: how === 'named' && free && words !== '' ? { [QUESTION]: words } : {},
    options: options.map(({ value, passageIds }) => {
      // Only where the value is the name of a document does the default stand for one.
      const documents = kind === 'subject' ? new Set(passageIds.map(documentOf)) : new Set<string>();
      return { value, docId: documents.size === 1 ? ([...documents][0] ?? null) : null };
    }),
  };
}
