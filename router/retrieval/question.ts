import { baseForms } from '../../conversation/index.ts';
import { type Lexicon, QUANTITY, type QueryTerm, scanTerms } from '../../corpus/index.ts';
import type { TermCoverage } from './types.ts';

/** Of a longer query only the first characters are looked at: no question is longer, and time stays bounded. */
const MAX_ANALYSED_CHARS = 65_536;
/** And of these the first distinct terms. */
const MAX_DISTINCT_TERMS = 2_048;

/** Words that carry the question but not its topic. */
const FUNCTION_WORDS = new Set(
  (
    'a about after against all also am an and any are as at be because been before being between both but by can ' +
    'could did do does doing done during each either else ever every for from give had has have having he her here ' +
    'hers him his how i if in into is it its itself just kind let like many may me might mine more most much must my ' +
    'name no nor not of off on once one only onto or other our ours out over own per please say same shall she ' +
    'should so some such tell than that the their theirs them then there these they this those through to too type ' +
    'under until up upon us very was we were what whatever when where whether which while who whoever whom whose ' +
    'why will with within without would you your yours'
  ).split(' '),
);

/** What a function word counts beside a content word; tuned on the 44 training articles of SQuAD. */
const FUNCTION_WORD_WEIGHT = 0.4;

/** A distinct term of a query with the folded word that it stands for. */
export interface QuestionTerm extends QueryTerm {
  word: string;
  /** Not a function word. */
  content: boolean;
  /** Only combines other terms of the query: a compound or a pair of neighbours. */
  combined: boolean;
}

/** The start of a query that is looked at; a word that the cut goes through is left out. */
function analysed(query: string): string {
  if (query.length <= MAX_ANALYSED_CHARS) return query;
  const start = query.slice(0, MAX_ANALYSED_CHARS);
  const space = start.lastIndexOf(' ');
  return space === -1 ? start : start.slice(0, space);
}

/** The distinct terms of a query in order of first occurrence. */
export function readQuery(query: string): QuestionTerm[] {
  const terms = new Map<string, QuestionTerm>();
  scanTerms(analysed(query), (term, word, combined) => {
    if (terms.size < MAX_DISTINCT_TERMS && !terms.has(term)) {
      const content = !FUNCTION_WORDS.has(word);
      terms.set(term, { term, word, content, combined, weight: content ? 1 : FUNCTION_WORD_WEIGHT });
    }
  });
  return [...terms.values()];
}

const ASKED: readonly (readonly [RegExp, number])[] = [
  [
    /\bwhen\b|\b(?:what|which|in what|in which)\s(?:year|date|day|month|century|decade|time)\b|\bhow (?:old|recent)/,
    QUANTITY.DATE,
  ],
  [
    /\bhow much (?:did|does|do|was|is|are|were|money)\b|\b(?:price|cost|costs|salary|revenue|budget|fee|paid|worth|income|profit|debt)\b/,
    QUANTITY.MONEY,
  ],
  [/\b(?:percent|percentage|proportion|share|rate|ratio)\b|%/, QUANTITY.PERCENT],
  [
    /\bhow (?:far|tall|high|deep|wide|long is the)\b|\b(?:distance|height|width|depth|altitude|elevation|diameter)\b/,
    QUANTITY.LENGTH,
  ],
  [/\bhow heavy\b|\b(?:weigh|weighs|weight|mass)\b/, QUANTITY.MASS],
  [/\bhow (?:long|old)\b|\b(?:age|duration|lifetime|lifespan)\b/, QUANTITY.DURATION],
  [/\bhow (?:hot|cold|warm)\b|\btemperature\b/, QUANTITY.TEMPERATURE],
  [/\b(?:area|square)\b|\bhow (?:big|large)\b/, QUANTITY.AREA],
  [/\bhow fast\b|\b(?:speed|velocity)\b/, QUANTITY.SPEED],
];

/** Which kinds of quantity a question asks for, as bits of `QUANTITY`; any number where none is named. */
export function quantityAsked(query: string): number {
  const text = analysed(query).toLowerCase();
  let bits = 0;
  for (const [pattern, bit] of ASKED) if (pattern.test(text)) bits |= bit;
  return bits === 0 ? QUANTITY.NUMBER : bits;
}

/** The content words of a query, each once. */
function contentTerms(query: string): QuestionTerm[] {
  return readQuery(query).filter(({ content, combined }) => content && !combined);
}

/** The weight of a word that the corpus knows in its base form alone ("kept", where it has "keep"); null: it does not. */
function weightOfBase(text: Lexicon, word: string): number | null {
  const known = text.weigh(contentTerms(baseForms(word).join(' '))).filter(({ place }) => place >= 0);
  return known.length === 0 ? null : Math.max(...known.map(({ weight }) => weight));
}

/** Which content words of the query the corpus knows, weighted by idf. */
export function coverageOf(text: Lexicon, query: string): TermCoverage {
  const terms = contentTerms(query);
  const words = new Map(terms.map(({ term, word }) => [term, word]));
  let known = 0;
  let total = 0;
  const unknown: string[] = [];
  for (const { term, place, weight } of text.weigh(terms)) {
    const word = words.get(term)!;
    const base = place >= 0 ? weight : weightOfBase(text, word);
    total += base ?? weight;
    if (base === null) unknown.push(word);
    else known += base;
  }
  return { terms: [...words.values()], unknown, known: total === 0 ? 1 : known / total };
}
