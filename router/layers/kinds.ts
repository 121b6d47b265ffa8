/** What kind of thing an answer is, so that nobody is asked to choose between 90 days and 3 gigabytes. */

const DAY_LENGTH = 86_400;
const YEAR_LENGTH = 365.25 * DAY_LENGTH;
/** Units by family, with their size; null where it differs or is not known. */
const FAMILIES: Record<string, readonly [units: string, size: number | null][]> = {
  time: [
    ['millisecond', 0.001],
    ['second sec', 1],
    ['minute min', 60],
    ['hour hr', 3_600],
    ['day', DAY_LENGTH],
    ['night', null],
    ['week', 7 * DAY_LENGTH],
    ['fortnight', 14 * DAY_LENGTH],
    ['month', YEAR_LENGTH / 12],
    ['quarter', YEAR_LENGTH / 4],
    ['year', YEAR_LENGTH],
    ['decade', 10 * YEAR_LENGTH],
    ['century', 100 * YEAR_LENGTH],
  ],
  length: [
    ['millimetre millimeter mm', 0.001],
    ['centimetre centimeter cm', 0.01],
    ['metre meter m', 1],
    ['kilometre kilometer km', 1_000],
    ['inch', 0.0254],
    ['foot feet', 0.3048],
    ['yard', 0.9144],
    ['mile', 1_609.344],
  ],
  weight: [
    ['milligram mg', 0.001],
    ['gram g', 1],
    ['kilogram kg', 1_000],
    ['tonne ton', 1_000_000],
    ['pound', null],
    ['ounce', null],
  ],
  data: [
    ['bit', 0.125],
    ['byte', 1],
    ['kilobyte kb', 1e3],
    ['megabyte mb', 1e6],
    ['gigabyte gb', 1e9],
    ['terabyte tb', 1e12],
  ],
  temperature: [['degree celsius fahrenheit kelvin', null]],
  share: [['percent', 1]],
  money: [['dollar euro cent penny pence franc crown yen usd eur gbp chf', null]],
};
const UNITS = Object.entries(FAMILIES).flatMap(([family, rows]) =>
  rows.flatMap(([units, size]) => units.split(' ').map((unit) => [unit, { family, size }] as const)),
);
const UNIT = new Map(UNITS);
/** Signs of currencies, by the words for them. */
const CURRENCIES: ReadonlyMap<string, string> = new Map(
  Object.entries({ dollar: '$', usd: '$', euro: '€', eur: '€', yen: '¥', pound: '£', gbp: '£' }),
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
/** An address or a version is no number. */
const DOTTED = new RegExp(`^${LEAD}\\p{N}+(?:\\.\\p{N}+){2,}`, 'u');
const YEAR = new RegExp(`^${LEAD}(?:1\\p{N}|20)\\p{N}{2}$`, 'u');
const QUANTITY = new RegExp(
  `^${LEAD}${NUMBER}${SCALE}(?:\\s*(?:-|\\u2013|to|or)\\s*${NUMBER}${SCALE})?`,
  'u',
);

/** Where the counted thing's name ends: "3 gigabytes a day", "5 members of the board". */
const AFTER_UNIT = new Set(
  'a an the per of in on at to for from by with and or each every after before is are was were'.split(' '),
);

const UNCOUNTED = new Set(['date', 'clock', 'dotted']);

/**
 * Whether `rival` can stand beside `chosen` as a choice. Only a chosen answer that opens with a number is particular:
 * money goes with money, a date with a date, a time of day with another, a quantity with one of the same unit or of
 * the unit's family ("90 days" with "2 weeks"), an address or a version with another. A bare number goes with every
 * quantity, and one that may be a year also with dates. Everything goes with any other answer: words alone do not tell
 * the kind of a name.
 */
export function sameKind(chosen: string, rival: string): boolean {
  const [a, b] = [kindsOf(chosen), kindsOf(rival)];
  if (a.length === 0 || a.some((kind) => b.includes(kind))) return true;
  const counted = (kinds: string[]): boolean => kinds.some((kind) => !UNCOUNTED.has(kind));
  return (a.includes('number') && counted(b)) || (b.includes('number') && counted(a));
}

/** Every kind that the text may be; none when it does not open with a number or a date. */
function kindsOf(text: string): string[] {
  const line = lineOf(text);
  if (MONEY.test(line)) return ['money'];
  if (CLOCK.test(line)) return ['clock'];
  if (DATE.test(line)) return ['date'];
  if (DOTTED.test(line)) return ['dotted'];
  if (YEAR.test(line)) return ['date', 'number'];
  const opening = QUANTITY.exec(line);
  if (opening === null) return [];
  const units: string[] = [];
  for (const word of line.slice(opening[0].length).match(/%|[\p{L}\p{M}]+/gu) ?? []) {
    if (AFTER_UNIT.has(word) || units.length === 3) break;
    const unit = word === '%' ? 'percent' : word;
    units.push(unitOf(unit)?.family ?? unit.replace(/s$/, ''));
  }
  return units.length > 0 ? units : ['number'];
}

function lineOf(text: string): string {
  return text
    .slice(0, 200)
    .normalize('NFKC')
    .toLowerCase()
    .trim()
    .replace(/[.;,]+$/, '');
}

function unitOf(word: string): { family: string; size: number | null } | undefined {
  return UNIT.get(word) ?? UNIT.get(word.replace(/s$/, ''));
}

/** What stands before a number that is no exact one. */
const ABOUT =
  /\b(?:some|about|around|roughly|nearly|almost|approximately|circa|over|under|(?:more|less) than)\s+$/;
const NUMBERS = /\p{N}+(?:[.,]\p{N}+)*/gu;
const AMOUNT = new RegExp(
  `^${LEAD}(\\p{Sc})?\\s?(\\p{N}+(?:,\\p{N}{3})*(?:\\.\\p{N}+)?)(?:[\\s-]*(hundred|thousand|million|billion|trillion)\\b)?[\\s-]*(\\p{Sc}|\\p{L}+)?`,
  'u',
);
const SCALES: Readonly<Record<string, number>> = {
  hundred: 1e2,
  thousand: 1e3,
  million: 1e6,
  billion: 1e9,
  trillion: 1e12,
};
/** Years and months are not of one length: amounts in units of two sizes agree within this share. */
const NEAR = 0.02;

interface Amount {
  value: number;
  /** Size of the unit; 1 where there is none. */
  size: number;
  /** Sign of the currency, if any. */
  currency: string | null;
  /** How far it may be from what is meant, in its own unit. */
  rounded: number;
}

/** An answer in its sentence. */
interface InSentence {
  sentence: string;
  answer: string;
}

/**
 * Whether two answers that are amounts may be the same one: equal in another unit, as near to each other as a number that is
 * rounded is to what it stands for, or in two currencies, which nobody can compare. False for anything else.
 */
export function mayBeEqual(one: InSentence, other: InSentence): boolean {
  const [a, b] = [amountOf(one), amountOf(other)];
  if (a === null || b === null) return false;
  if (a.currency !== b.currency) return a.currency !== null && b.currency !== null;
  const [x, y] = [a.value * a.size, b.value * b.size];
  const near = a.size === b.size ? 0 : NEAR * Math.max(x, y);
  return Math.abs(x - y) <= Math.max(near, a.rounded * a.size, b.rounded * b.size);
}

/** Null where the answer does not open with a number, or holds several: a date, a range, a name. */
function amountOf({ sentence, answer }: InSentence): Amount | null {
  const line = lineOf(answer);
  const found = AMOUNT.exec(line);
  if (found === null || line.match(NUMBERS)!.length > 1) return null;
  const [whole, sign, digits, scale, after = ''] = found;
  const plain = digits!.replaceAll(',', '');
  const factor = scale === undefined ? 1 : SCALES[scale]!;
  const currency = sign ?? CURRENCIES.get(after.replace(/s$/, '')) ?? (/\p{Sc}/u.test(after) ? after : null);
  const [, decimals] = plain.split('.');
  const zeros = decimals === undefined ? /0*$/.exec(plain)![0].length : -decimals.length;
  const before = sentence
    .slice(0, Math.max(0, sentence.indexOf(answer)))
    .slice(-40)
    .toLowerCase();
  const isRounded =
    scale !== undefined || ABOUT.test(`${before}${whole.slice(0, whole.search(/[\p{Sc}\p{N}]/u))}`);
  return {
    value: Number(plain) * factor,
    size: unitOf(after)?.size ?? 1,
    currency,
    rounded: isRounded ? 10 ** zeros * factor : 0,
  };
}
