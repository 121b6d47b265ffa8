import { fold } from '../../corpus/index.ts';

/** A word of a text. `form` is folded; `key` is the same for singular and plural. Offsets are UTF-16. */
export interface Word {
  form: string;
  key: string;
  start: number;
  end: number;
}

/**
 * Letters and digits with marks and invisible characters among them, "c++" and "c#", single characters of scripts
 * without spaces. A possessive's "'s" belongs to the word and is not part of it.
 */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}][\p{L}\p{M}\p{N}\p{Cf}]*(?:\+\+|#)?(?:['’]s(?![\p{L}\p{N}]))?/gu;
const POSSESSIVE = /['’]s$/;

/** The words of a text in order, at most `limit`. Time is linear in the text. */
export function wordsOf(text: string, limit = Number.POSITIVE_INFINITY): Word[] {
  const words: Word[] = [];
  for (const { 0: written, index } of text.matchAll(WORD)) {
    if (words.length >= limit) break;
    const bare = written.replace(POSSESSIVE, '');
    const form = fold(bare);
    if (form !== '') words.push({ form, key: singular(form), start: index, end: index + bare.length });
  }
  return words;
}

/** What two spellings of a name have in common: case, accents, plural, hyphens and white space aside. */
export function phraseKey(words: readonly Word[]): string {
  return words.map(({ key }) => key).join(' ');
}

/**
 * An English plural without its ending; other words unchanged. Regular plurals only: "lenses" and "indices" are not
 * found as "lens" and "index", unless the vocabulary says so.
 */
function singular(form: string): string {
  if (form.length < 4 || !form.endsWith('s') || !/^[a-z]+$/.test(form)) return form;
  if (form.endsWith('ies')) return `${form.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|z)es$/.test(form)) return form.slice(0, -2);
  return /[sui]s$/.test(form) ? form : form.slice(0, -1);
}

/** Words that an abbreviation may be written like ("IT", "WHO"): a name of only such words must agree in case. */
const COMMON = new Set(
  (
    'a about after all also am an and any are as at be been but by can could did do does each for from get go had ' +
    'has have he her hers him his how i if in into is it its let may me might mine more most much must my no nor ' +
    'not now of off on once one only or other our out over own per she should so some such than that the their ' +
    'them then there these they this those to too under up us very was we were what when where which while who ' +
    'whom why will with would you your'
  ).split(' '),
);

export function isCommon({ form }: Word): boolean {
  return COMMON.has(form);
}
