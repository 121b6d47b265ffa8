import { asNumber, type Level } from '../levels/level.ts';
import { answerF1, exactMatch, normaliseAnswer } from '../metrics/reading.ts';
import type { Example, Observation, Shown } from '../types.ts';
import { answerableOf, isAboutShown, saysWhatIsShown } from './examples.ts';
import { patternFound } from './patterns.ts';

/** When an answer counts as wrong: by exact match, or by an F1 below `least`. */
export type WrongRule = { kind: 'em' } | { kind: 'f1'; least: Level };

/**
 * F1 is twice a number of words over another: a level of up to six decimals is met exactly or missed by more than
 * this, unless answers have thousands of words, while the floats on the way err by less.
 */
const FLOAT_ERROR = 1e-10;

/**
 * Whether it would be wrong to answer. True where nothing should be answered (not answerable, or the labelled action is
 * another), and where there is nothing to answer with though there should be. Else by what a person would be shown,
 * where the label has patterns, steps or a verdict (see `isWrongAsShown`); by `rule` over the words of the candidate,
 * where it has answers, whatever form they are shown in; and where it has passages alone, when none of them is quoted.
 * Null when the labels do not say, or when what is shown was not made. An observation with an error has nothing.
 */
export function isWrong({ example, candidate, shown, error }: Observation, rule: WrongRule): boolean | null {
  if (answerableOf(example) === false) return true;
  const { answers = [] } = example;
  if (isAboutShown(example)) {
    if (error !== null || shown === null) return true;
    return shown === undefined ? null : isWrongAsShown(shown, example);
  }
  if (answers.length === 0) return null;
  if (candidate === null) return true;
  if (rule.kind === 'em') return exactMatch(candidate.text, answers) === 0;
  return answerF1(candidate.text, answers)! < asNumber(rule.least) - FLOAT_ERROR;
}

/**
 * 1 - EM and 1 - F1 of the candidate, in [0, 1]: 1 where nothing should be answered and where there is no candidate.
 * Where the label says what is to be shown, 1 or 0 by that. Null when it does neither.
 */
export function lossesOf(observation: Observation): { em: number | null; f1: number | null } {
  const { example, candidate } = observation;
  if (answerableOf(example) === false) return { em: 1, f1: 1 };
  if (saysWhatIsShown(example)) {
    const wrong = isWrong(observation, { kind: 'em' });
    const loss = wrong === null ? null : Number(wrong);
    return { em: loss, f1: loss };
  }
  const { answers = [] } = example;
  if (answers.length === 0) return { em: null, f1: null };
  if (candidate === null) return { em: 1, f1: 1 };
  return { em: 1 - exactMatch(candidate.text, answers)!, f1: 1 - answerF1(candidate.text, answers)! };
}

/**
 * A verdict that is given has to be the right one, whatever it rests on. Else one of the patterns has to be found in the
 * text and all steps, in order; where neither is labelled, a passage that is has to be quoted, and a verdict to be given.
 */
function isWrongAsShown(
  { text, verdict, places }: Shown,
  { patterns, steps, verdict: right, passages = [] }: Example,
): boolean {
  if (right !== undefined && verdict !== null) return verdict !== right;
  if (patterns !== undefined || steps !== undefined) {
    const line = text.replace(/\s+/g, ' ').trim();
    const matches = patterns?.some((pattern) => patternFound(pattern, line)) ?? true;
    return !matches || !areInOrder(steps ?? [], text);
  }
  if (right !== undefined) return true;
  return !places.some(({ docId, passageId }) => passages.includes(docId) || passages.includes(passageId));
}

/** What labels can be about of an answer. */
export function shownOf({
  form,
  text,
  verdict,
  quotes,
}: Omit<Shown, 'places'> & { quotes: Shown['places'] }): Shown {
  const places = new Map(quotes.map(({ docId, passageId }) => [passageId, { docId, passageId }]));
  return { form, text, verdict, places: [...places.values()] };
}

/** Whether a text holds all of these, one behind the other, as whole words and as answers are compared. */
export function areInOrder(steps: readonly string[], text: string): boolean {
  const held = ` ${normaliseAnswer(text)} `;
  let from = 0;
  for (const step of steps) {
    const wanted = normaliseAnswer(step);
    if (wanted === '') continue;
    const at = held.indexOf(` ${wanted} `, from);
    if (at === -1) return false;
    from = at + wanted.length + 1;
  }
  return true;
}
