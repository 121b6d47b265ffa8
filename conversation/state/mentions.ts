import { isStopWord, wordsIn } from './words.ts';

/** A name, date or quantity in a text: UTF-16 offsets, `text` being exactly that slice. */
export interface Mention {
  text: string;
  start: number;
  end: number;
  kind: 'name' | 'date' | 'quantity';
}

const MOST_CHARS = 2_000;
const LONGEST_NAME = 6;

const MONTH =
  '(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)';
const YEAR = '(?:1[0-9]{3}|20[0-9]{2})';
const DATE = new RegExp(
  `(?<![\\p{L}\\p{N}.-])(?:[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?|[0-9]{1,2}(?:st|nd|rd|th)? ${MONTH}(?: ${YEAR})?|${MONTH} [0-9]{1,2}(?:st|nd|rd|th)?,? ${YEAR}|${MONTH} [0-9]{1,2}|${MONTH} ${YEAR}|${YEAR})(?![\\p{L}\\p{N}-]|[.,][0-9])`,
  'giu',
);
const NUMBER_WORD =
  '(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety)';
const UNIT =
  '(?:%|percent|per cent|\\p{Sc}|dollars?|euros?|pounds?|cents?|francs?|yen|usd|eur|gbp|chf|seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|decades?|centur(?:y|ies)|mm|cm|m|km|metres?|meters?|kilometres?|kilometers?|miles?|feet|foot|inch(?:es)?|mg|g|kg|grams?|kilograms?|tonnes?|tons?|kb|mb|gb|tb|bytes?|degrees?|celsius|volts?|watts?|people|members?|times)';
const QUANTITY = new RegExp(
  `(?<![\\p{L}\\p{N}.,-])(?:\\p{Sc} ?[0-9][0-9.,]{0,15}(?: (?:thousand|million|billion))?|[0-9][0-9.,]{0,15}(?: (?:thousand|million|billion))? ?${UNIT}|[0-9]{2,15}(?:[.,][0-9]{1,15})?|${NUMBER_WORD} ${UNIT})(?![\\p{L}\\p{N}])`,
  'giu',
);

/** What joins the words of one name: "University of Oslo". */
const LINKS = new Set(['of', 'de', 'del', 'van', 'von', 'der', 'la', 'du']);

/**
 * Names, dates and quantities (a number with a unit, or of two digits) of the first 2,000 units of a text that is
 * written with capitals, in reading order. Linear in the text. English units and months.
 */
export function mentionsIn(text: string): Mention[] {
  const read = text.slice(0, MOST_CHARS);
  const found: Mention[] = [...matches(read, DATE, 'date')];
  const free = (start: number, end: number): boolean => !found.some((m) => start < m.end && m.start < end);
  for (const quantity of matches(read, QUANTITY, 'quantity')) {
    if (free(quantity.start, quantity.end)) found.push(quantity);
  }
  for (const name of namesIn(read)) if (free(name.start, name.end)) found.push(name);
  return found.sort((a, b) => a.start - b.start);
}

function* matches(text: string, pattern: RegExp, kind: Mention['kind']): Generator<Mention> {
  for (const { 0: all, index } of text.matchAll(pattern)) {
    const trimmed = all.replace(/[.,\s]+$/, '');
    yield { text: trimmed, start: index, end: index + trimmed.length, kind };
  }
}

/**
 * Names in the first 2,000 units of a text that is written with capitals: runs of capitalised words. One word alone
 * at the start of a sentence is none unless it holds a second capital or a digit.
 */
export function* namesIn(whole: string): Generator<Mention> {
  const text = whole.slice(0, MOST_CHARS);
  const words = wordsIn(text);
  for (let i = 0; i < words.length; i += 1) {
    if (!capital(words[i]!.text) || isStopWord(words[i]!.text)) continue;
    let last = i;
    while (last - i + 1 < LONGEST_NAME) {
      const next = words[last + 1];
      if (next === undefined || !adjoins(text, words[last]!.end, next.start)) break;
      if (capital(next.text)) last += 1;
      else if (LINKS.has(next.text) && follows(text, words, last + 1)) last += 2;
      else break;
    }
    const { start } = words[i]!;
    const { end } = words[last]!;
    const alone = last === i;
    i = last;
    if (alone && opensSentence(text, start) && !/\p{N}|\p{Lu}.*\p{Lu}/u.test(text.slice(start, end)))
      continue;
    yield { text: text.slice(start, end), start, end, kind: 'name' };
  }
}

function capital(word: string): boolean {
  return /^\p{Lu}/u.test(word);
}

function adjoins(text: string, end: number, start: number): boolean {
  return start - end === 1 && text[end] === ' ';
}

function follows(text: string, words: ReturnType<typeof wordsIn>, link: number): boolean {
  const next = words[link + 1];
  return next !== undefined && capital(next.text) && adjoins(text, words[link]!.end, next.start);
}

function opensSentence(text: string, start: number): boolean {
  let at = start - 1;
  while (at >= 0 && ' "\'“‘(*#-'.includes(text[at]!)) at -= 1;
  return at < 0 || '.!?:;\n\r\t|'.includes(text[at]!);
}
