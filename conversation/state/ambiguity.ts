import type { AmbiguitySignals, Known } from './record.ts';
import type { TaggedWord } from './types.ts';

/** A heuristic's value and the words that made it fire. */
interface Finding {
  value: number;
  words: string | null;
}

const NO: Finding = { value: 0, words: null };

/** Fewer words than this are a short query. */
const SHORT = 4;

const PRONOUNS = new Set(
  'it he she him her they them its his hers their theirs this that these those'.split(' '),
);
/** Before a noun these name something after all: "this plan". "Their roof" still wants to know whose. */
const DEMONSTRATIVES = new Set('this that these those'.split(' '));
/** "Is it allowed to", "how long does it take", "is it raining": this it stands for nothing. */
const EMPTY_IT =
  /\bit\s+(?:(?:is|was|will|would|can|could|does|did|be|been|really|still|ever)\s+)*(?:take|takes|took|cost|costs|mean|means|possible|impossible|allowed|forbidden|permitted|necessary|required|legal|illegal|safe|better|best|true|false|worth|ok|okay|common|normal|late|early|cold|hot|warm|dark|rain|raining|snow|snowing)\b/i;

const VAGUE = new Set(
  'some few several many much most lots plenty enough various numerous couple bunch'.split(' '),
);
const TWO_SIDES = /\b(?:than|versus|vs|or|and|between|compared (?:to|with)|relative to|rather)\b/i;
/** "The older brother", "higher education", "no longer": comparatives that compare nothing. */
const SET_PHRASE = /\b(?:the|no|any|his|her|my|their|our|your|its|higher education|upper|former|latter)$/i;

/** What is made so is compared with what it is now: "How do I make the log more detailed?" */
const CHANGED = /\b(?:mak(?:e|es|ing)|made|gets?|getting|becomes?|turn|set|want|need)\b[^?.!]*$/i;

/** Query length: 1 for fewer than 4 words, else 0. A query without words is as short as can be. */
export function shortQuery(words: readonly TaggedWord[]): Finding {
  return words.length < SHORT ? { value: 1, words: words.map(({ text }) => text).join(' ') } : NO;
}

/**
 * Dangling pronoun: 1 when a third-person pronoun or bare demonstrative has no noun or name before it in the query
 * that it could stand for, else 0. What a history offers is not looked at: see `missingVariables`.
 */
export function danglingPronoun(words: readonly TaggedWord[], query: string): Finding {
  for (const [i, word] of words.entries()) {
    const lower = word.text.toLowerCase();
    if (!PRONOUNS.has(lower)) {
      if (word.tags.has('Noun') && !word.tags.has('Pronoun')) return NO;
      continue;
    }
    const next = words[i + 1];
    if (DEMONSTRATIVES.has(lower) && next !== undefined && !opensClause(next)) {
      if (next.tags.has('Noun') || next.tags.has('Adjective') || next.tags.has('Value')) return NO;
    }
    if (lower === 'that' && i > 0 && next !== undefined) continue;
    if (lower === 'it' && EMPTY_IT.test(query.slice(word.start, word.start + 80))) continue;
    return { value: 1, words: word.text };
  }
  return NO;
}

function opensClause({ tags }: TaggedWord): boolean {
  return tags.has('Verb') || tags.has('Preposition') || tags.has('Pronoun');
}

/** Vague quantifier: 1 for "some", "several", "many" and the like, but not in "how many" and "how much"; else 0. */
export function vagueQuantifier(words: readonly TaggedWord[]): Finding {
  const at = words.findIndex(
    ({ text }, i) => VAGUE.has(text.toLowerCase()) && !/^(?:how|as|so|too)$/i.test(words[i - 1]?.text ?? ''),
  );
  return at < 0 ? NO : { value: 1, words: words[at]!.text };
}

/** No named entity: 1 when the query names no person, place, organisation, identifier, date, quantity or quotation. */
export function noNamedEntity(known: readonly Known[]): Finding {
  return known.some(({ kind, from }) => kind !== 'attribute' && from === 'query')
    ? NO
    : { value: 1, words: null };
}

/** Comparative without both arguments: 1 for "is it cheaper?" without "than", "or", "between" ..., else 0. */
export function halfComparison(words: readonly TaggedWord[], query: string): Finding {
  const at = words.findIndex(({ text, tags }, i) => {
    const before = words[i - 1]?.text ?? '';
    const next = words[i + 1];
    if (/^(?:more|less)$/i.test(text)) {
      return next?.tags.has('Adjective') === true || next?.tags.has('Adverb') === true;
    }
    return (
      tags.has('Comparative') && !SET_PHRASE.test(before) && !SET_PHRASE.test(`${text} ${next?.text ?? ''}`)
    );
  });
  const word = words[at];
  if (word === undefined || TWO_SIDES.test(query.slice(0, 2_000))) return NO;
  if (CHANGED.test(query.slice(Math.max(0, word.start - 200), word.start))) return NO;
  return { value: 1, words: word.text };
}

/** The five heuristics of Amb(q), Eq. 12, and the words behind them. */
export function ambiguitySignals(
  query: string,
  words: readonly TaggedWord[],
  known: readonly Known[],
): { signals: AmbiguitySignals; because: string[] } {
  const found = {
    shortQuery: shortQuery(words),
    danglingPronoun: danglingPronoun(words, query),
    vagueQuantifier: vagueQuantifier(words),
    noNamedEntity: noNamedEntity(known),
    halfComparison: halfComparison(words, query),
  };
  return {
    signals: {
      shortQuery: found.shortQuery.value,
      danglingPronoun: found.danglingPronoun.value,
      vagueQuantifier: found.vagueQuantifier.value,
      noNamedEntity: found.noNamedEntity.value,
      halfComparison: found.halfComparison.value,
    },
    because: Object.values(found).flatMap(({ words: because }) => because ?? []),
  };
}
