import { isPreposition } from './statement-answer.ts';
import { isBase, isParticiple } from './verbs.ts';

/** Where the parts of an English question are: auxiliary, main verb, predicate. Words are in small letters. */

export const BE = new Set(['is', 'are', 'was', 'were', "isn't", "aren't", "wasn't", "weren't"]);
export const DO = new Set(['do', 'does', 'did', "don't", "doesn't", "didn't"]);
export const HAVE = new Set(['has', 'have', 'had']);
export const MODAL = new Set('can could will would shall should may might must cannot'.split(' '));
export const WH = new Set('who whom whose what which when where why how'.split(' '));
export const DETERMINERS = new Set(
  'the a an this that these those my your our their his her its every each all'.split(' '),
);
export const RELATIVE = new Set(['that', 'which', 'who', 'whom', 'whose', 'where', 'when']);
export const SCALES = new Set(
  'long old tall high deep wide far big large heavy fast thick hot cold'.split(' '),
);
export const PREDICATES = new Set(
  'responsible able present eligible available required necessary needed allowed likely similar different equal'.split(
    ' ',
  ),
);
/** What may stand between an auxiliary and its verb. */
const ADVERBS = new Set('also ever first hardly never not often once originally still usually'.split(' '));
/** Bases that are more often nouns. */
const NOUNS = new Set(
  'last store state house name force group host study place share land form issue trade market'.split(' '),
);
export const NAMING = new Set(
  'called named known termed titled nicknamed considered labeled dubbed'.split(' '),
);

/** The main verb behind an auxiliary: the first base form that is no noun of the subject; -1 when unsure. */
export function mainVerb(lower: readonly string[], aux: number): number {
  const participle = HAVE.has(lower[aux]!);
  for (let i = aux + 2; i < lower.length; i += 1) {
    const before = lower[i - 1]!;
    if (DETERMINERS.has(before) || isPreposition(before) || before.endsWith("'s")) continue;
    const fits = participle ? isParticiple : isBase;
    if (!fits(lower[i]!)) continue;
    return fits(lower[i + 1] ?? '') && NOUNS.has(lower[i]!) ? i + 1 : i;
  }
  return -1;
}

/** Where the predicate behind an auxiliary begins; `aux + 1` when there is no subject, -1 when unsure. */
export function predicate(lower: readonly string[], aux: number): number {
  let next = aux + 1;
  while (ADVERBS.has(lower[next] ?? '') || /[a-z]ly$/.test(lower[next] ?? '')) next += 1;
  const first = lower[next] ?? '';
  if (isParticiple(first) || first === 'be' || first === 'been' || (!BE.has(lower[aux]!) && isBase(first))) {
    return aux + 1;
  }
  if (!BE.has(lower[aux]!)) {
    const passive = lower.findIndex((word, i) => i > aux + 1 && (word === 'be' || word === 'been'));
    return passive > 0 ? passive : mainVerb(lower, aux);
  }
  const words = lower.slice(aux + 1);
  const found = words.findIndex(
    (word, i) =>
      !DETERMINERS.has(lower[aux + i]!) &&
      !afterRelative(words, i) &&
      (isParticiple(word) || PREDICATES.has(word) || (i > 0 && /^\p{Ll}{3,}ing$/u.test(word))),
  );
  return found < 0 ? -1 : aux + 1 + found;
}

/** Whether a question word is the subject itself: "Who is seen in Rome?", not "Who is the mayor?" */
export function followsDirectly(lower: readonly string[], aux: number): boolean {
  return predicate(lower, aux) === aux + 1 || isPreposition(lower[aux + 1] ?? '');
}

/** Whether one of the four words before `at` opens a relative clause. */
export function afterRelative(words: readonly string[], at: number): boolean {
  for (let i = Math.max(1, at - 4); i < at; i += 1) if (RELATIVE.has(words[i]!)) return true;
  return false;
}

/** Forms of be, do and have, and modal verbs. */
export function isAuxiliary(word: string): boolean {
  return BE.has(word) || DO.has(word) || HAVE.has(word) || MODAL.has(word);
}

/** An auxiliary without its "not": "is" of "isn't", "will" of "won't"; other words as they are. */
export function affirmed(word: string): string {
  if (word === 'cannot' || word === "can't") return 'can';
  return word === "won't" ? 'will' : word.replace(/n't$/, '');
}

/** The words from `from` up to `to`, as text. */
export function join(tokens: readonly string[], from: number, to = tokens.length): string {
  return tokens.slice(from, to).join(' ');
}
