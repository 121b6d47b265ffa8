import { mentionsIn } from './mentions.ts';
import { tokensOf, withoutGenitive } from './tokens.ts';
import { AUXILIARIES, FUNCTION_WORDS, QUESTION_WORDS } from './words.ts';

const MAX_FRAGMENT_WORDS = 8;
const MAX_MODIFIERS = 4;
const DETERMINER = /^(?:the|an?|this|that|these|those|my|our|your|his|her|its|their)$/;
const LEAD =
  /^\s*(?:(?:ok|okay|well|so|then)[,\s]+)?(?:(?:and\s+)?(?:what|how)\s+about|and(?:\s+(?:what|how)\s+about)?|or|(?:no|sorry|wait|actually)[,\s]+(?:(?:i\s+)?mean(?:t)?|not\s+[^,]{1,60},)?|i\s+meant?)\s+(\S.{0,200}?)[\s?.!]*$/i;
const BARE =
  /^\s*(?:(?:and|but|so)\s+)?(why|how|when|where)(?:\s+(?:not|so|(?:was|is)\s+(?:that|this)))?[\s?!.]*$/i;

/**
 * The last question with the part that a fragment changes: "And in 1970?", "What about K3?", "No, I meant Bob", "Why?".
 * Null where the query is no fragment, or where nothing in the last question is of the fragment's kind.
 */
export function completed(query: string, last: string): string | null {
  const bare = BARE.exec(query)?.[1];
  if (bare !== undefined) return withQuestionWord(last, bare);
  const alone = /^\s*(\S.{0,80}?)\s*\?\s*$/.exec(query)?.[1];
  const lead = LEAD.exec(query)?.[1];
  const fragment = lead ?? alone;
  if (fragment === undefined) return null;
  const tokens = tokensOf(fragment);
  if (tokens.length === 0 || tokens.length > MAX_FRAGMENT_WORDS) return null;
  if (tokens.some(({ lower }) => AUXILIARIES.has(lower) || QUESTION_WORDS.has(lower.replace(/'s$/, ''))))
    return null;
  return withFragment(last, fragment.replace(/,?\s+(?:then|instead|please)$/i, ''));
}

/** "Why did he leave?" from "Did he leave?" and from "When did he leave?"; null where that gives no sentence. */
function withQuestionWord(last: string, word: string): string | null {
  const tokens = tokensOf(last);
  const [first, second] = tokens;
  if (first === undefined || second === undefined) return null;
  const head = word[0]!.toUpperCase() + word.slice(1).toLowerCase();
  if (AUXILIARIES.has(first.lower)) return `${head} ${first.lower}${last.slice(first.end)}`;
  const adverbial = /^(?:why|how|when|where)$/.test(first.lower) && AUXILIARIES.has(second.lower);
  return adverbial ? `${head}${last.slice(first.end)}` : null;
}

/** "Who leads the data team?" from "Who leads the platform team?" and "the data team": phrases with one head noun. */
function withParallel(last: string, fragment: string): string | null {
  const given = tokensOf(fragment);
  const wanted = given.filter(({ lower }) => !FUNCTION_WORDS.has(lower));
  const head = wanted.at(-1);
  if (head === undefined || wanted.length < 2 || head.end !== fragment.length) return null;
  const tokens = tokensOf(last);
  const place = tokens.findLastIndex(({ lower }) => withoutGenitive(lower) === head.lower);
  if (place < 1) return null;
  const isModifier = (at: number) => {
    const { lower, end } = tokens[at]!;
    const joined = /^\s+$/.test(last.slice(end, tokens[at + 1]!.start));
    return joined && !FUNCTION_WORDS.has(lower) && !AUXILIARIES.has(lower);
  };
  let start = place;
  while (start > 0 && place - start < MAX_MODIFIERS && isModifier(start - 1)) start -= 1;
  const determined = DETERMINER.test(tokens[start - 1]?.lower ?? '');
  // Without a determiner the words before may hold a verb: as many are taken as there are new ones.
  if (!determined) start = Math.max(start, place - wanted.length + 1);
  const own = DETERMINER.test(given[0]!.lower);
  const begin = tokens[own && determined ? start - 1 : start]!.start;
  const { text, end } = tokens[place]!;
  return last.slice(0, begin) + fragment + text.slice(withoutGenitive(text).length) + last.slice(end);
}

const ORDINAL =
  /\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|final|next|previous)\b/gi;
const ORDINAL_ONE = /^(?:the\s+)?(\p{L}+)(?:\s+ones?)?$/iu;

/** "When is the second quiz held?" from "When is the first quiz held?" and "the second one". */
function withOrdinal(last: string, fragment: string): string | null {
  const ordinal = ORDINAL_ONE.exec(fragment)?.[1];
  if (ordinal === undefined || ordinal.replace(ORDINAL, '') !== '') return null;
  const had = [...last.matchAll(ORDINAL)].at(-1);
  return had === undefined
    ? null
    : last.slice(0, had.index) + ordinal + last.slice(had.index + had[0].length);
}

function withFragment(last: string, fragment: string): string | null {
  const next = withOrdinal(last, fragment);
  if (next !== null) return next;
  const number = /(?<![\p{L}\p{N}])\d{1,6}(?![\p{L}\p{N}])/gu;
  const [preposition] = tokensOf(fragment);
  const named = mentionsIn(fragment)[0];
  const article = /^(?:the|an?)$/.test(preposition!.lower);
  if (named !== undefined && (article || !FUNCTION_WORDS.has(preposition!.lower))) {
    const replaced = mentionsIn(last)
      .filter(({ name }) => !/ and /.test(name))
      .filter(({ kind }) => kind === named.kind || kind === 'unknown' || named.kind === 'unknown')
      .at(-1);
    if (replaced === undefined) return null;
    const before = last.slice(0, replaced.start);
    const name = /\bthe\s$/i.test(before) ? fragment.replace(/^the\s+/i, '') : fragment;
    return before + withoutGenitive(name) + last.slice(replaced.end);
  }
  const parallel = withParallel(last, fragment);
  if (parallel !== null) return parallel;
  const wanted = fragment.match(number);
  const had = [...last.matchAll(number)].at(-1);
  if (wanted?.length === 1 && had !== undefined) {
    return last.slice(0, had.index) + wanted[0] + last.slice(had.index + had[0].length);
  }
  if (
    !/^(?:in|on|at|for|from|since|before|after|during|under|over|with|without|by)$/i.test(preposition!.text)
  )
    return null;
  const tail = /[\s?!.]*$/.exec(last)![0];
  const kept = last.slice(0, last.length - tail.length);
  const same = tokensOf(kept).findLast(({ lower }) => lower === preposition!.lower);
  // "in Spain" takes the place of "in France" when that stood at the end.
  const place =
    same !== undefined && tokensOf(kept.slice(same.end)).length <= 3
      ? kept.slice(0, same.start).trimEnd()
      : kept;
  return `${place} ${fragment}${tail}`;
}
