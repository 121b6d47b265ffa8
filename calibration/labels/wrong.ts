import { asNumber, type Level } from '../levels/level.ts';
import { answerF1, exactMatch } from '../metrics/reading.ts';
import type { Observation } from '../types.ts';
import { answerableOf } from './examples.ts';

/** When an answer counts as wrong: by exact match, or by an F1 below `least`. */
export type WrongRule = { kind: 'em' } | { kind: 'f1'; least: Level };

/**
 * F1 is twice a number of words over another: a level of up to six decimals is met exactly or missed by more than
 * this, unless answers have thousands of words, while the floats on the way err by less.
 */
const FLOAT_ERROR = 1e-10;

/**
 * Whether it would be wrong to give the candidate as the answer. True where nothing should be answered (not
 * answerable, or the labelled action is another), and where there is no candidate though there should be; else by
 * `rule` over the answers, or, where only passages are labelled, when the candidate comes from none of them. Null when
 * the labels do not say. An observation with an error has no candidate.
 */
export function isWrong({ example, candidate }: Observation, rule: WrongRule): boolean | null {
  if (answerableOf(example) === false) return true;
  const { answers = [], passages = [] } = example;
  if (answers.length === 0 && passages.length === 0) return null;
  if (candidate === null) return true;
  if (answers.length === 0) {
    return !passages.includes(candidate.docId) && !passages.includes(candidate.passageId);
  }
  if (rule.kind === 'em') return exactMatch(candidate.text, answers) === 0;
  return answerF1(candidate.text, answers)! < asNumber(rule.least) - FLOAT_ERROR;
}

/**
 * 1 - EM and 1 - F1 of the candidate, in [0, 1]: 1 where nothing should be answered and where there is no candidate.
 * Null when the labels name no answers.
 */
export function lossesOf({ example, candidate }: Observation): { em: number | null; f1: number | null } {
  if (answerableOf(example) === false) return { em: 1, f1: 1 };
  const { answers = [] } = example;
  if (answers.length === 0) return { em: null, f1: null };
  if (candidate === null) return { em: 1, f1: 1 };
  return { em: 1 - exactMatch(candidate.text, answers)!, f1: 1 - answerF1(candidate.text, answers)! };
}
