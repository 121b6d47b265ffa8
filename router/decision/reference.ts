/** Questions that only point: "How often is it calibrated?" with nothing before it. English only. */

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const PRONOUNS = words('it he she him they them');
/** Pronouns that are mostly determiners or conjunctions: "this plan", "that burns". */
const DEMONSTRATIVES = words('this that these those');
const AUXILIARIES = words(
  "is are was were do does did has have had can could will would shall should must may might isn't aren't wasn't " +
    "weren't doesn't don't didn't hasn't haven't can't couldn't won't wouldn't shouldn't",
);
const QUESTION_WORDS = words('who whom what when where why how which');
const CONNECTIVES = words('and but so then ok okay');
const PREPOSITIONS = words('about of for from with by to in on at into after before under over');
const FUNCTION = words(
  'i you we me us one not still ever now often usually normally again already really actually exactly then here ' +
    'there up out off down away been be being much many long high far tall old big deep wide fast heavy large please',
);
/** "How late is it?", "Is it raining?": this it refers to nothing. */
const TIME_AND_WEATHER = words(
  'late early cold hot warm cool dark light wet dry windy sunny cloudy foggy humid rain raining snow snowing',
);

/**
 * The pronoun that a question hangs on when it names nothing else, as written; null when the question can stand
 * alone. Strict on purpose: every word must be a pronoun or of the kinds above but for a single one, and that one must
 * stand where a verb or an adjective does. Whatever names a thing, holds a digit, a noun phrase, a clause, or an "it"
 * that means the time or the weather can stand alone.
 */
export function unresolvedPronoun(query: string): string | null {
  const written =
    query
      .slice(0, 400)
      .normalize('NFKC')
      .replaceAll('’', "'")
      .match(/[\p{L}\p{M}\p{N}']+/gu) ?? [];
  const tokens = written.map((word) => word.toLowerCase());
  while (CONNECTIVES.has(tokens[0] ?? '')) {
    tokens.shift();
    written.shift();
  }
  const [first] = tokens;
  if (first === undefined || query.length > 200) return null;
  if (!QUESTION_WORDS.has(first) && !AUXILIARIES.has(first)) return null;

  let pointing: string | null = null;
  let named = 0;
  for (const [i, token] of tokens.entries()) {
    const before = tokens[i - 1] ?? '';
    if (PRONOUNS.has(token)) pointing ??= written[i]!;
    else if (DEMONSTRATIVES.has(token)) {
      if (!standsAlone(tokens, i)) return null;
      pointing ??= written[i]!;
    } else if (QUESTION_WORDS.has(token)) {
      if (i > 0) return null;
    } else if (!isFunction(token)) {
      named += 1;
      const next = tokens[i + 1] ?? '';
      const asked =
        (before === 'what' || before === 'which') && !PRONOUNS.has(next) && !DEMONSTRATIVES.has(next);
      const name = written[i] !== token || /\p{N}/u.test(token);
      const noun = asked || name || PREPOSITIONS.has(before) || TIME_AND_WEATHER.has(token);
      if (named > 1 || noun) return null;
    }
  }
  return pointing;
}

/** Whether the demonstrative at `i` is no determiner ("this plan") and opens no clause ("it that burns"). */
function standsAlone(tokens: readonly string[], i: number): boolean {
  const next = tokens[i + 1];
  if (PRONOUNS.has(tokens[i - 1] ?? '')) return false;
  if (next === undefined || PREPOSITIONS.has(next)) return true;
  const aux = tokens[i - 1] ?? '';
  if (/^(?:do|does|did)(?:n't)?$/.test(aux)) return true;
  return AUXILIARIES.has(aux) && (FUNCTION.has(next) || /[^e]ed$/.test(next));
}

function isFunction(token: string): boolean {
  return FUNCTION.has(token) || AUXILIARIES.has(token) || PREPOSITIONS.has(token);
}
