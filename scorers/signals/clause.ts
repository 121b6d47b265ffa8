import { BE, DETERMINERS, DO, HAVE, isAuxiliary, MODAL, NAMING, WH } from './grammar.ts';
import { isPreposition } from './statement-answer.ts';
import { isBase, isFiniteVerb, isParticiple } from './verbs.ts';

/** A statement as subject and what is said of it, in its own words. */
export interface Clause {
  subject: string;
  /** The complement; of a passive without one the participle. */
  said: string;
}

const LEAST = 3;
const MOST = 30;
/** Conditions, other clauses, and whoever asks: such a statement is more than one clause, or about nobody in particular. */
const NO_PLAIN_CLAUSE = new Set(
  'that if unless whether because although though while until than i my me mine we our us you your it they he she them'.split(
    ' ',
  ),
);
const JOINTS = new Set(['and', 'or', 'but', 'as', 'to', 'not', 'nor']);
const HARDLY = new Set(
  'also ever first hardly never not often once originally still usually always mostly'.split(' '),
);

/** "It is called", "they are found": without what or where, nothing is said. */
const STATIVE = new Set([...NAMING, ...'found located situated used given made seen held based'.split(' ')]);

/**
 * Subject, verb and complement of a statement that is one whole English clause; null where it is none, or cannot be
 * told for sure: a stranded preposition, a leftover auxiliary or question word, a second clause, no finite verb, a verb
 * that does not follow from its auxiliary, nothing said of the subject. Time linear in the statement.
 */
export function clauseOf(statement: string): Clause | null {
  const tokens = statement.replace(/[.\s]+$/, '').split(' ');
  if (tokens.length < LEAST || tokens.length > MOST) return null;
  const words = tokens.map((token, i) => (i === 0 ? token.toLowerCase() : token));
  if (words.some((word) => WH.has(word) || DO.has(word) || NO_PLAIN_CLAUSE.has(word))) return null;
  const verb = finiteVerb(words);
  if (verb < 1 || !isSubject(words.slice(0, verb))) return null;
  const from = complementAt(words, verb);
  if (from === null) return null;
  const complement = words.slice(from);
  const last = words.at(-1)!;
  const open = isPreposition(last) || DETERMINERS.has(last) || JOINTS.has(last) || isAuxiliary(last);
  if (open || complement.some(isAuxiliary)) return null;
  if (complement.some((word, i) => isPreposition(word) && isPreposition(complement[i + 1] ?? '')))
    return null;
  const passive = complement.length === 0 && BE.has(words[verb]!);
  if (complement.length === 0 && (!passive || STATIVE.has(last))) return null;
  return {
    subject: tokens.slice(0, verb).join(' '),
    said: tokens.slice(passive ? from - 1 : from).join(' '),
  };
}

/** Where the finite verb stands; -1: nowhere that is sure. */
function finiteVerb(words: readonly string[]): number {
  for (let i = 1; i < words.length; i += 1) {
    const [before, word, next] = [words[i - 1]!, words[i]!, words[i + 1] ?? ''];
    if (isAuxiliary(word)) return i;
    if (DETERMINERS.has(before) || isPreposition(before) || before.endsWith("'s")) continue;
    if (isAuxiliary(next) || isFiniteVerb(next)) continue;
    const plural = /(?:[^s]s|people|men|women|children|fish|something)$/.test(before);
    if (isFiniteVerb(word) || (plural && isBase(word))) return i;
  }
  return -1;
}

function isSubject(words: readonly string[]): boolean {
  const [first, last] = [words[0]!, words.at(-1)!];
  if (isPreposition(first) || JOINTS.has(first) || isAuxiliary(first) || isBase(first)) return false;
  return !(isPreposition(last) || DETERMINERS.has(last) || JOINTS.has(last) || /(?:est|ly)$/.test(last));
}

/** Where the complement begins; null where what follows the verb does not belong to it. */
function complementAt(words: readonly string[], verb: number): number | null {
  const word = words[verb]!;
  let next = verb + 1;
  while (HARDLY.has(words[next] ?? '') || /[a-z]ly$/.test(words[next] ?? '')) next += 1;
  const main = words[next];
  if (main === undefined) return isAuxiliary(word) ? null : next;
  if (BE.has(word)) return afterBe(words, next);
  if (MODAL.has(word)) {
    if (main === 'be') return afterBe(words, next + 1);
    return isBase(main) ? next + 1 : null;
  }
  if (HAVE.has(word))
    return main === 'been' ? afterBe(words, next + 1) : isParticiple(main) ? next + 1 : next;
  return isFiniteVerb(main) && !isParticiple(main) ? null : next;
}

/** "Was closed in 1900", "is called X", "is a town", "is in Norway"; not "is recorded incident of". */
function afterBe(words: readonly string[], at: number): number | null {
  const [main, next] = [words[at] ?? '', words[at + 1]];
  if (DETERMINERS.has(main) || isPreposition(main)) return at;
  if (isParticiple(main)) {
    const ends = next === undefined || isPreposition(next) || next === 'to' || /ly$/.test(next);
    return ends || NAMING.has(main) ? at + 1 : null;
  }
  return null;
}
