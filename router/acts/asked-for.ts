/**
 * What a query asks for, as far as its words alone tell: the noun behind "what" or "which", whether that is an amount,
 * how much stands around it, and words of judgement. "What is the height of K2?" and "What is a height?" share their
 * n-grams; these tell them apart.
 */

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

const WHICH = words('what which');
const BE = words("is are was were be s 's");
const DETERMINERS = words('the a an your their his her its some any one this that');
/** What ends the noun phrase behind "what": the words that follow one, and punctuation. */
const ENDS = words(`
  of in for at on by to from with between per during if and or as than where there that who which when
  did does do was is were are has have had can could will would used called known named made
  you i we they he she it 's ? . , ! ; : - "`);
/** Nouns that are answered by a number, a point in time or a sum. */
const AMOUNTS = words(`
  number amount quantity percentage percent proportion fraction share ratio rate count total sum average mean median
  population height length width depth size weight mass volume area distance altitude elevation speed velocity
  temperature pressure density age lifespan wingspan diameter radius circumference span range capacity voltage wattage
  frequency magnitude dose dosage calorie degree mile equivalent maximum minimum limit score odds chance probability
  price cost fee fare fine tax wage salary income pay budget revenue profit loss debt worth value gdp deficit toll
  bill rent interest duration time date birthday birthdate year day month century decade season period hour minute
  week deadline zip code phone telephone extension`);
const JUDGEMENTS = words(`
  should best better worst good bad right wrong worth overrated think believe feel opinion recommend suggest advice
  tips favourite favorite review rate`);

/** Words of the noun phrase and of what follows it that are told apart; more are all the same. */
const MOST_BEFORE = 4;
const MOST_AFTER = 3;

/** Names of features of a query's tokens (see `readQuery`), each at most once; none where it asks for nothing by name. */
export function askedFor(tokens: readonly string[]): string[] {
  const judged = tokens.some((token) => JUDGEMENTS.has(token)) ? ['judges'] : [];
  const from = tokens.findIndex((token) => WHICH.has(token)) + 1;
  if (from === 0) return judged;
  const verb = after(tokens, from, BE);
  const is = verb > from;
  const begin = after(tokens, verb, DETERMINERS);
  const found = tokens.findIndex((token, i) => i >= begin && ENDS.has(token));
  const end = found < 0 ? tokens.length : found;
  const rest = tokens.slice(end).filter((token) => token !== '?' && token !== '.');
  const named = end - begin;
  const shape = `asked ${is} ${Math.min(named, MOST_BEFORE)} ${Math.min(rest.length, MOST_AFTER)} ${rest[0] ?? ''}`;
  return [
    ...judged,
    ...(named > 0 ? headOf(tokens.slice(begin, end), is) : []),
    shape,
    ...(is && rest.length === 0 ? ['bare'] : []),
  ];
}

/** The last word of a noun phrase names its thing: "boiling point". `is`: "what is the …", not "what …". */
function headOf(phrase: readonly string[], is: boolean): string[] {
  const head = phrase.at(-1)!;
  return [
    `head ${head}`,
    ...(isAmount(head) ? [is ? 'amount is' : 'amount of what'] : []),
    ...(phrase.length > 1 && AMOUNTS.has(phrase[0]!) ? ['amount before'] : []),
  ];
}

function isAmount(noun: string): boolean {
  return AMOUNTS.has(noun) || AMOUNTS.has(noun.replace(/ies$/, 'y')) || AMOUNTS.has(noun.replace(/s$/, ''));
}

/** The first place from `at` on whose token is none of these. */
function after(tokens: readonly string[], at: number, skipped: ReadonlySet<string>): number {
  let place = at;
  while (place < tokens.length && skipped.has(tokens[place]!)) place += 1;
  return place;
}
