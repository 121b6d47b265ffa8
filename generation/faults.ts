/** What is wrong with a sentence whatever a model says of it: names, numbers and citations that stand nowhere. */
import { openTagger, tagsOf } from '../conversation/index.ts';
import { fold } from '../corpus/index.ts';

export const FAULTS = ['NO_SUCH_PASSAGE', 'OTHER_PASSAGE', 'NUMBER_NOT_FOUND', 'NAME_NOT_FOUND'] as const;

/**
 * `NO_SUCH_PASSAGE`: a citation of a passage that was not given. `OTHER_PASSAGE`: what was cited does not bear the
 * sentence out, another passage does. `NUMBER_NOT_FOUND`, `NAME_NOT_FOUND`: `text` stands in no passage.
 */
export interface Fault {
  fault: (typeof FAULTS)[number];
  text: string;
}

/** Not the digits of "COVID-19" or "ACE2", which belong to a name. */
const NUMBER = /(?<![\p{L}\p{M}\p{N}.,:]|\p{L}[-\u2010\u2011])\p{N}+(?:[.,:]\p{N}+)*/gu;
const IN_WORDS = [
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
    'eighteen nineteen twenty',
  'zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth ' +
    'fifteenth sixteenth seventeenth eighteenth nineteenth twentieth',
].map((words) => words.split(' '));

/** Numbers and words of a text, as they are compared. */
export interface Held {
  numbers: ReadonlySet<string>;
  words: ReadonlySet<string>;
}

/** What stands in a text that others are held against. */
export function heldIn(text: string): Held {
  const words = wordsIn(text);
  const numbers = new Set(Array.from(text.matchAll(NUMBER), ([number]) => plainNumber(number)));
  for (const word of words) {
    for (const spelt of IN_WORDS) if (spelt.includes(word)) numbers.add(String(spelt.indexOf(word)));
  }
  return { numbers, words };
}

/** Without thousands separators and zeros that say nothing: "1,000.50" is "1000.5". */
function plainNumber(number: string): string {
  const plain = number.normalize('NFKC').replace(/,(?=\p{N}{3}(?!\p{N}))/gu, '');
  return /^\d+\.\d+$/.test(plain) ? plain.replace(/\.?0+$/, '') : plain.replace(/^0+(?=\d)/, '');
}

function wordsIn(text: string): Set<string> {
  return new Set(fold(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []);
}

/** Numbers of `sentence` that `held` lacks, each once, in order. */
export function numbersNotIn(sentence: string, held: Held): Fault[] {
  const found = new Map<string, string>();
  for (const [number] of sentence.matchAll(NUMBER)) found.set(plainNumber(number), number);
  return [...found]
    .filter(([plain]) => !held.numbers.has(plain))
    .map(([, text]) => ({ fault: 'NUMBER_NOT_FOUND', text }));
}

/** Written with a capital and no name that a passage would have to hold. */
const NO_NAME = [
  'Pronoun',
  'Determiner',
  'Preposition',
  'Conjunction',
  'QuestionWord',
  'Month',
  'WeekDay',
  'Demonym',
];
/** Words of these kinds are names also where compromise's list has them. */
const NAME = [
  'Person',
  'FirstName',
  'LastName',
  'Place',
  'City',
  'Country',
  'Region',
  'Organization',
  'Company',
  'SportsTeam',
];
/** Of two words of which one goes on from the other ("Norway", "Norwegian's"), so many letters must be the same. */
const STEM = 4;

/**
 * Names of `sentence` of which no word stands in `held`: words with a capital inside the sentence that follow each other, as
 * compromise tags them. One word of a name is enough, because documents shorten names; the model sees to the rest.
 */
export function namesNotIn(sentence: string, held: Held): Fault[] {
  const faults = new Map<string, Fault>();
  for (const name of namesIn(sentence)) {
    const words = [...wordsIn(name)].filter((word) => word.length > 1 && word !== 's');
    if (words.length > 0 && !words.some((word) => stands(word, held.words))) {
      faults.set(name, { fault: 'NAME_NOT_FOUND', text: name });
    }
  }
  return [...faults.values()];
}

function namesIn(sentence: string): string[] {
  const names: string[] = [];
  let end = -1;
  for (const [i, word] of openTagger()(sentence).entries()) {
    const capital = /^["'“‘(]*\p{Lu}/u.test(word.text);
    const tagged = word.tags.has('ProperNoun') || word.tags.has('Acronym');
    const plain = NO_NAME.some((tag) => word.tags.has(tag)) || isOrdinary(word.text.toLowerCase());
    if (!capital || plain || (i === 0 && !tagged)) continue;
    if (end >= 0 && /^\s?$/.test(sentence.slice(end, word.start))) names[names.length - 1] += ` ${word.text}`;
    else names.push(word.text);
    end = word.end;
  }
  return names;
}

/** Whether compromise's list has the word, and not as a name: "Agreement" is written with a capital in contracts. */
function isOrdinary(lower: string): boolean {
  const tags = tagsOf(lower);
  return tags.length > 0 && !NAME.some((tag) => tags.includes(tag));
}

function stands(word: string, words: ReadonlySet<string>): boolean {
  if (words.has(word)) return true;
  const stem = word.slice(0, Math.max(STEM, word.length - 3));
  return word.length >= STEM && [...words].some((other) => other.startsWith(stem));
}
