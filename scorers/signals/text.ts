/** Plain text work on answers and passages: words, likeness, sentences, copies. All linear in the text. */

const ARTICLES = new Set(['a', 'an', 'the']);
const STOP = new Set(
  (
    'a an the of in on at by to for from with and or but as is are was were be been being do does did has have had ' +
    'can could will would shall should may might must not no what which who whom whose when where why how many much ' +
    'long there this that these those it its they their he his she her we our you your i my me us them him if than ' +
    'then so such into about over under after before during between through per also s name called type kind'
  ).split(' '),
);

/** Words of a text in small letters, compatibility forms resolved, without punctuation. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}]+|\p{N}+(?:[.,]\p{N}+)*/gu) ?? []
  );
}

/** Words that carry meaning; a question of only stop words has none. */
export function contentWords(text: string): Set<string> {
  return new Set(wordsOf(text).filter((word) => !STOP.has(word)));
}

/** A minus sign: not the hyphen of "ADR-12" or the dash of "5-10". */
const MINUS = /(?<![\p{L}\p{M}\p{N}])(?:[-\u2212\u2013]|minus\s+)(?=\p{N})/giu;

/** "aren't" as "are not": what it denies must not be read as what it says. */
const CONTRACTED: readonly [RegExp, string][] = [
  [/\b(?:cannot|can['\u2019]t)\b/gu, 'can not'],
  [/\bwon['\u2019]t\b/gu, 'will not'],
  [/(?<=\p{L})n['\u2019]t\b/gu, ' not'],
];

/** Units that are also written as signs. */
const SIGNS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    percent: '%',
    dollar: '$',
    dollars: '$',
    euro: '\u20ac',
    euros: '\u20ac',
    pound: '\u00a3',
    pounds: '\u00a3',
    yen: '\u00a5',
  }),
);

/**
 * An answer as it is compared: words without articles, contractions written out, signs of units for their words,
 * numbers with their minus and without thousands separators.
 */
export function answerWords(text: string): string[] {
  let plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(MINUS, ' \u2212')
    .replace(/\bper cent\b/gu, '%');
  for (const [contracted, whole] of CONTRACTED) plain = plain.replace(contracted, whole);
  const words = plain.match(/[\p{L}\p{M}]+|\u2212?\p{N}+(?:[.,]\p{N}+)*|[%\p{Sc}]/gu) ?? [];
  for (const [i, word] of words.entries()) {
    words[i] = isNumber(word) ? word.replace(/,(?=\p{N}{3})/gu, '') : (SIGNS.get(word) ?? word);
  }
  const kept = words.filter((word) => !ARTICLES.has(word));
  return kept.length > 0 ? kept : words;
}

/** F1 over the words of two answers, in [0, 1]; 1 for two empty ones. */
export function wordF1(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return a.length === b.length ? 1 : 0;
  const left = new Map<string, number>();
  for (const word of a) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of b) {
    const count = left.get(word) ?? 0;
    if (count > 0) {
      common += 1;
      left.set(word, count - 1);
    }
  }
  return (2 * common) / (a.length + b.length);
}

const NEGATIONS = new Set(['not', 'no', 'never', 'none', 'without', 'neither', 'nor']);

/** Words that make another number of the number before them. */
const SCALES = new Set(['hundred', 'thousand', 'million', 'billion', 'trillion']);

/** Words that may differ without the answer being another one. */
const LOOSE = new Set(['of', 'in', 'on', 'at', 'and', 'is', 'are', 'was', 'were']);

/** Words that give a meaning to the order of what stands around them. */
const DIRECTED = new Set(['from', 'to', 'than', 'by', 'before', 'after']);

/**
 * Whether two answers say the same: equal, one a stretch of the other, or F1 >= .6 with words left over on one side
 * at most ("University of Oslo" and "University of Bergen" are two answers). Numbers, their scales and negations must
 * not differ: "5 May 1900" and "6 May 1900" are two answers, "1900" and "5 May 1900" one. When in doubt two: an answer
 * taken for another one costs a check by the entailment model, a rival taken for the same is never seen.
 */
export function sameAnswer(a: readonly string[], b: readonly string[]): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short.length === 0) return long.length === 0;
  if (a.some((word) => NEGATIONS.has(word)) !== b.some((word) => NEGATIONS.has(word))) return false;
  const longNumbers = new Set(long.filter(isNumber));
  const shortNumbers = new Set(short.filter(isNumber));
  const [few, many] =
    shortNumbers.size <= longNumbers.size ? [shortNumbers, longNumbers] : [longNumbers, shortNumbers];
  for (const number of few) if (!many.has(number)) return false;
  if (shortNumbers.size > 0 && [...SCALES].some((scale) => a.includes(scale) !== b.includes(scale))) {
    return false;
  }
  if (` ${long.join(' ')} `.includes(` ${short.join(' ')} `)) return true;
  if (wordF1(a, b) < 0.6 || (leavesOver(a, b) && leavesOver(b, a))) return false;
  return !short.some((word) => DIRECTED.has(word)) || inOrder(short, long);
}

/** Whether `a` has a word that `b` lacks, loose words and a plural's s aside. */
function leavesOver(a: readonly string[], b: readonly string[]): boolean {
  const others = new Set(b.map(singular));
  return a.some((word) => !LOOSE.has(word) && !others.has(singular(word)));
}

/** Whether the words that `few` shares with `many` stand there in the same order. */
function inOrder(few: readonly string[], many: readonly string[]): boolean {
  let at = -1;
  return few.every((word) => {
    if (!many.includes(word)) return true;
    at = many.indexOf(word, at + 1);
    return at >= 0;
  });
}

function singular(word: string): string {
  return word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word;
}

function isNumber(word: string): boolean {
  return /^\u2212?\p{N}/u.test(word);
}

const SHINGLE = 4;

/** Overlapping runs of four words (fewer when the text is shorter), for `copies`. */
export function shingles(text: string): Set<string> {
  const words = wordsOf(text);
  const size = Math.min(SHINGLE, words.length);
  const set = new Set<string>();
  for (let i = 0; size > 0 && i + size <= words.length; i += 1) set.add(words.slice(i, i + size).join(' '));
  return set;
}

/**
 * Jaccard >= .8, or nine tenths of the one inside the other that is at most two thirds longer: some padding does not
 * make a copy a second voice, but a text that quotes two others whole does not make one voice of them.
 */
export function copies(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  if (few.size === 0) return many.size === 0;
  let common = 0;
  for (const each of few) if (many.has(each)) common += 1;
  if (common / (few.size + many.size - common) >= 0.8) return true;
  return few.size >= 10 && few.size >= 0.6 * many.size && common / few.size >= 0.9;
}

const REACH = 500;
const ABBREVIATION =
  /(?:^|[\s(])(?:\p{Lu}|Mr|Mrs|Ms|Dr|Prof|St|No|Nos|Sec|Fig|vs|etc|approx|ca|cf|al|Jr|Sr|Inc|Ltd|Co|e\.g|i\.e)\.$/u;

/** The sentences that touch `start`..`end` with one more on each side, at most 500 characters further each way. */
export function sentencesAround(text: string, start: number, end: number): string {
  const from = Math.max(0, start - REACH);
  const to = Math.min(text.length, end + REACH);
  const starts = [from];
  const boundary = /[.!?]["'”’)\]]*\s+|\n\s*/g;
  const piece = text.slice(from, to);
  for (let match = boundary.exec(piece); match !== null; match = boundary.exec(piece)) {
    const after = match.index + match[0].length;
    const stop = piece.slice(Math.max(0, match.index - 12), match.index + 1);
    if (!ABBREVIATION.test(stop) && !/\p{Ll}/u.test(piece[after] ?? '')) starts.push(from + after);
  }
  const first = starts.findLastIndex((at) => at <= start);
  const last = starts.findIndex((at) => at >= end);
  const begin = starts[Math.max(0, first - 1)]!;
  const finish = last < 0 ? to : (starts[last + 1] ?? to);
  return text.slice(begin, finish).trim();
}
