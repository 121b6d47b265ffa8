/** What kind of thing an answer is, so that nobody is asked to choose between 90 days and 3 gigabytes. */

const FAMILIES = {
  time: 'millisecond second minute hour day night week fortnight month quarter year decade century sec min hr',
  length:
    'millimetre centimetre metre kilometre millimeter centimeter meter kilometer mm cm m km inch foot feet yard mile',
  weight: 'milligram gram kilogram tonne ton mg g kg pound ounce',
  data: 'bit byte kilobyte megabyte gigabyte terabyte kb mb gb tb',
  temperature: 'degree celsius fahrenheit kelvin',
  share: 'percent',
  money: 'dollar euro cent penny pence franc crown yen usd eur gbp chf',
};
const FAMILY = new Map(
  Object.entries(FAMILIES).flatMap(([family, units]) => units.split(' ').map((unit) => [unit, family])),
);

const LEAD =
  '(?:(?:about|around|roughly|nearly|almost|at least|at most|at|up to|more than|less than|over|under|every|within|for|after|in|on|by|the)\\s+)*';
const NUMBER =
  '(?:[-\\u2212]?\\p{N}+(?:[.,]\\p{N}+)*|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety)\\b)';
const SCALE = '(?:[\\s-]+(?:hundred|thousand|million|billion|trillion)\\b)*';
const MONTH = '(?:january|february|march|april|may|june|july|august|september|october|november|december)\\b';
const DAY = '\\p{N}{1,2}(?:st|nd|rd|th)?\\s+(?:of\\s+)?';

const MONEY = new RegExp(`^${LEAD}(?:\\p{Sc}\\s*\\p{N}|\\p{N}[\\p{N}.,]*\\s*\\p{Sc})`, 'u');
const CLOCK = new RegExp(`^${LEAD}\\p{N}{1,2}(?::\\p{N}{2}|\\s*[ap]\\.?m\\b)`, 'u');
const DATE = new RegExp(`^${LEAD}(?:\\p{N}{4}-\\p{N}{2}|${DAY}${MONTH}|${MONTH}\\s*\\p{N})`, 'u');
const YEAR = new RegExp(`^${LEAD}(?:1\\p{N}|20)\\p{N}{2}$`, 'u');
const QUANTITY = new RegExp(
  `^${LEAD}${NUMBER}${SCALE}(?:\\s*(?:-|\\u2013|to|or)\\s*${NUMBER}${SCALE})?`,
  'u',
);

/** Where the counted thing's name ends: "3 gigabytes a day", "5 members of the board". */
const AFTER_UNIT = new Set(
  'a an the per of in on at to for from by with and or each every after before is are was were'.split(' '),
);

/**
 * Whether `rival` can stand beside `chosen` as a choice. Only a chosen answer that opens with a number is particular:
 * money goes with money, a date with a date, a time of day with another, a quantity with one of the same unit or of
 * the unit's family ("90 days" with "2 weeks"). A bare number goes with every quantity, and one that may be a year
 * also with dates. Everything goes with any other answer: words alone do not tell the kind of a name.
 */
export function sameKind(chosen: string, rival: string): boolean {
  const [a, b] = [kindsOf(chosen), kindsOf(rival)];
  if (a.length === 0 || a.some((kind) => b.includes(kind))) return true;
  const counted = (kinds: string[]): boolean => kinds.some((kind) => kind !== 'date' && kind !== 'clock');
  return (a.includes('number') && counted(b)) || (b.includes('number') && counted(a));
}

/** Every kind that the text may be; none when it does not open with a number or a date. */
function kindsOf(text: string): string[] {
  const line = text
    .slice(0, 200)
    .normalize('NFKC')
    .toLowerCase()
    .trim()
    .replace(/[.;,]+$/, '');
  if (MONEY.test(line)) return ['money'];
  if (CLOCK.test(line)) return ['clock'];
  if (DATE.test(line)) return ['date'];
  if (YEAR.test(line)) return ['date', 'number'];
  const opening = QUANTITY.exec(line);
  if (opening === null) return [];
  const units: string[] = [];
  for (const word of line.slice(opening[0].length).match(/%|[\p{L}\p{M}]+/gu) ?? []) {
    if (AFTER_UNIT.has(word) || units.length === 3) break;
    const unit = word === '%' ? 'percent' : word;
    units.push(FAMILY.get(unit) ?? FAMILY.get(unit.replace(/s$/, '')) ?? unit.replace(/s$/, ''));
  }
  return units.length > 0 ? units : ['number'];
}
