import { tagsOf } from './names.ts';
import { type Token, tokensOf, withoutGenitive } from './tokens.ts';
import { AUXILIARIES, FUNCTION_WORDS } from './words.ts';

const DETERMINERS: ReadonlySet<string> = new Set(['the', 'a', 'an', 'his', 'her', 'its', 'their']);
const MAX_WORDS = 6;
const ENDS_PHRASE = /^(?:Adverb|PastTense|Gerund|Preposition)$/;
/** Nouns that say nothing that could be looked up. */
export const EMPTY_NOUNS: ReadonlySet<string> = new Set(
  (
    'article thing things way time times year years lot aspect aspects reason name end beginning first last most same ' +
    'section information detail details fact facts kind kinds type types sort sorts part'
  ).split(' '),
);

/** What an "it" says nothing about: "is it true", "does it say". */
const EXPLETIVE =
  /^(?:true|possible|likely|known|clear|sure|that|when|because|said|say|says|state|states|mention|mentions|raining|snowing|late|time)$/;
/** "Does it take long to reset the password?": the infinitive has an object of its own, and "it" stands for all that. */
const EXTRAPOSED =
  /^(?:takes?|costs?|allowed|forbidden|permitted|impossible|necessary|required|legal|illegal|mandatory|ok|okay|worth|safe)(?: \S+){0,2}? to \S+ \S/;

/** Whether an "it" stands for nothing that was named; `after`: the words behind it, in small letters. */
export function isExpletive(after: readonly string[]): boolean {
  return EXPLETIVE.test(after[0] ?? '') || EXTRAPOSED.test(after.slice(0, 6).join(' '));
}

/**
 * The last noun phrase of a question that "it" may mean: "the gold watch", "Frank Zappa's first album"; null when
 * there is none. By word lists alone: a phrase ends before a function word, an adverb or a verb in the past.
 */
export function lastNounPhrase(text: string): { phrase: string; plural: boolean } | null {
  const tokens = tokensOf(text);
  for (let at = tokens.length - 1; at >= 0; at--) {
    const token = tokens[at]!;
    const possessor =
      /['’]s$/u.test(token.text) && !/^(?:what|who|where|that|it|there|how)'s$/.test(token.lower);
    if (!DETERMINERS.has(token.lower) && !possessor) continue;
    let end = phraseEnd(text, tokens, at + 1);
    // "What does the lamp weigh?": behind an auxiliary comes the subject, and the verb after it.
    if (end === tokens.length && /^(?:do|does|did)$/.test(tokens[at - 1]?.lower ?? '')) end -= 1;
    if (end <= at + 1) continue;
    const head = withoutGenitive(tokens[end - 1]!.lower);
    if (EMPTY_NOUNS.has(head)) continue;
    let start = at;
    while (possessor && start > 0 && tokens[start - 1]!.capital && start > at - 5) start -= 1;
    const phrase = text.slice(tokens[start]!.start, tokens[end - 1]!.end).replace(/^an? /i, 'the ');
    return { phrase, plural: /[^s]s$/.test(head) };
  }
  return null;
}

function phraseEnd(text: string, tokens: readonly Token[], from: number): number {
  let end = from;
  while (end < tokens.length && end - from < MAX_WORDS) {
    const { lower, start } = tokens[end]!;
    if (end > from && /[,;:"“”()]/.test(text.slice(tokens[end - 1]!.end, start))) break;
    if (FUNCTION_WORDS.has(lower) || AUXILIARIES.has(lower)) break;
    const tags = tagsOf(lower);
    if (end > from && tags.some((tag) => ENDS_PHRASE.test(tag))) break;
    end += 1;
  }
  return end;
}
