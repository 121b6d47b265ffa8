import { oneLine } from '../../common/index.ts';
import { conditionsOf, dependsOnAsker, openConditions } from './conditions.ts';
import type { AmbiguitySignals, Known, Missing } from './record.ts';
import type { StateInput, TaggedWord } from './types.ts';

const MOST = 8;
/** Least relevance of a passage whose conditions are the question's. */
const RULE_RELEVANCE = 0.5;
/** Least score of an answer (a probability, see `answerScore`) that counts as one, and share of the best one's. */
const READING_SCORE = 0.15;
const READING_SHARE = 0.5;
/** How much of the query and of each of the last turns may speak of a condition. */
const SAID_CHARS = 1_000;
const TURNS = 16;
/** Below this probability nothing that was read counts as an answer. */
const ANSWER_SCORE = 0.1;

/**
 * V_missing, Eq. 1 and 4: what it would take to resolve the query and what nobody has said. At most 8, each once.
 * A variable is recoverable when a reply of the user could supply it (Eq. 6).
 */
export function missingVariables(
  input: StateInput,
  known: readonly Known[],
  ambiguity: { signals: AmbiguitySignals; because: readonly string[] },
  pronoun: string | null,
  compared: string | null,
  words: readonly TaggedWord[],
): Missing[] {
  const { query, history = [], evidence, coverage, identifiers, answers, report } = input;
  const missing: Missing[] = [];
  const add = (kind: Missing['kind'], text: string, recoverable: boolean): void => {
    const line = oneLine(text);
    if (missing.length < MOST && !missing.some((one) => one.kind === kind && one.text === line)) {
      missing.push({ kind, text: line, recoverable });
    }
  };
  // What the history offers for it stands in the query by now.
  if (pronoun !== null && ambiguity.signals.danglingPronoun > 0) {
    add('reference', pronoun, true);
  }
  for (const { id, known: exists, near } of identifiers) if (!exists) add('identifier', id, near.length > 0);
  const spoken = new Set(
    known.filter(({ kind }) => kind === 'identifier').map(({ text }) => text.toLowerCase()),
  );
  for (const term of coverage.unknown) {
    if (names(words, term) && ![...spoken].some((id) => id.includes(term.toLowerCase())))
      add('term', term, false);
  }
  if (evidence.length > 0) {
    for (const { text, kind, from, grounded } of known) {
      const named = kind === 'person' || kind === 'place' || kind === 'organization' || kind === 'name';
      const unknown = coverage.unknown.some((term) => text.toLowerCase().includes(term.toLowerCase()));
      if (named && from === 'query' && !grounded && !unknown) add('entity', text, false);
    }
  }
  if (compared !== null) add('comparison', compared, true);
  const best = answers.clusters[0]?.score ?? 0;
  const readings = answers.clusters.filter(
    ({ score }) => score >= READING_SCORE && score >= READING_SHARE * best,
  );
  const disputed =
    readings.length > 1 && (report.rivals.length > 0 || (report.C ?? 0) > 0 || (report.D ?? 0) > 0);
  if (disputed)
    add(
      'interpretation',
      readings
        .map(({ text }) => text)
        .slice(0, 3)
        .join(' | '),
      true,
    );
  const [rule] = evidence;
  if (dependsOnAsker(query) && rule !== undefined && (rule.scores.relevance ?? 0) >= RULE_RELEVANCE) {
    const said = [
      query.slice(0, SAID_CHARS),
      ...history.slice(-TURNS).map(({ text }) => text.slice(0, SAID_CHARS)),
    ].join('\n');
    const span = answers.byPassage.get(rule.passageId)?.span ?? null;
    const conditions = conditionsOf(rule.text, query, span);
    for (const { text } of openConditions(conditions, said)) add('condition', text, true);
  }
  const judged = evidence.some(({ scores }) => scores.relevance !== null);
  if (evidence.length === 0 || (judged && best < ANSWER_SCORE)) add('answer', 'answer', false);
  return missing;
}

/** Whether an unknown word names something: "payroll", "caching", not "allowed" or "highest". Beyond the tags: yes. */
function names(words: readonly TaggedWord[], term: string): boolean {
  const word = words.find(({ text }) => text.toLowerCase().includes(term.toLowerCase()));
  return word === undefined || word.tags.has('Noun') || word.tags.has('Gerund');
}
