import { list, quoted } from '../../common/index.ts';
import { type Evidence, sentenceAt } from '../../corpus/index.ts';
import type { ConflictingStatement } from './record.ts';
import type { ClarifyInput } from './types.ts';

/** Why nothing is said: the corpus has nothing, or it contradicts itself. */
export type AbstentionText =
  | { kind: 'NOTHING'; message: string; missing: string[]; nearest: { title: string; passageId: string }[] }
  | { kind: 'CONTRADICTION'; message: string; conflict: [ConflictingStatement, ConflictingStatement] };

const NAMED = 3;
/** Least C that is told as a contradiction. */
const LEAST_CONFLICT = 0.2;

/**
 * What to say when no question would help. A contradiction needs two sources that speak against each other (C of
 * at least .2 and a passage for either side); else the corpus has nothing, and the message says of what.
 */
export function abstentionText(input: ClarifyInput): AbstentionText {
  return contradiction(input) ?? nothing(input);
}

function contradiction({ answers, report, evidence }: ClarifyInput): AbstentionText | null {
  const [chosen] = answers.clusters;
  if (chosen === undefined || !((report.C ?? 0) >= LEAST_CONFLICT)) return null;
  const place = (key: string): ConflictingStatement | null => {
    const passage = evidence.find(({ passageId }) => passageId === key);
    const own = answers.byPassage.get(key);
    return passage === undefined || own === undefined ? null : sideOf(passage, own.span);
  };
  const against = report.verdicts
    .filter(({ key, stance }) => stance === 'contradicts' && answers.byPassage.get(key)?.cluster !== 0)
    .map(({ key, contradiction: p }) => ({ key, weight: p * (answers.byPassage.get(key)?.score ?? 0) }))
    .sort((a, b) => b.weight - a.weight);
  const ours = place(chosen.voices[0]!.key);
  const theirs = against.map(({ key }) => place(key)).find((side) => side !== null);
  if (ours === null || theirs === undefined) return null;
  const message = `The documents contradict each other, and nothing says which one holds. ${told(ours)} But ${told(theirs)}`;
  return { kind: 'CONTRADICTION', message, conflict: [ours, theirs] };
}

function sideOf(passage: Evidence, span: { start: number; end: number }): ConflictingStatement {
  const { docId, passageId, title, source, position } = passage;
  const { start, end } = sentenceAt(passage.text, span);
  return {
    text: passage.text.slice(start, end),
    docId,
    passageId,
    title,
    source,
    position,
    start: passage.start + start,
    end: passage.start + end,
  };
}

function told({ text, title, source, position }: ConflictingStatement): string {
  const where = title.trim() === '' ? source : `${title}, ${source}`;
  return `${quoted(text)} (${where}, ${position}).`;
}

function nothing({ state, evidence }: ClarifyInput): AbstentionText {
  const missing = state.missing
    .filter(({ kind }) => kind === 'identifier' || kind === 'term' || kind === 'entity')
    .map(({ text }) => text);
  const spoken = state.known
    .filter(({ grounded, from }) => grounded && from !== 'answer')
    .map(({ text }) => text);
  const nearest = evidence.slice(0, NAMED).map(({ title, docId, passageId }) => ({
    title: title.trim() === '' ? docId : title,
    passageId,
  }));
  const near = nearest[0] === undefined ? '' : ` The nearest passage is in ${quoted(nearest[0].title)}.`;
  const said =
    missing.length > 0
      ? `The documents say nothing about ${named(missing)}.`
      : spoken.length > 0 && evidence.length > 0
        ? `The documents speak of ${named(spoken, 'and')}, but no passage says what was asked.`
        : 'The documents hold nothing on this.';
  return { kind: 'NOTHING', message: `${said}${near}`, missing, nearest };
}

function named(names: readonly string[], joint: 'and' | 'or' = 'or'): string {
  return list(names.slice(0, NAMED).map(quoted), joint);
}
