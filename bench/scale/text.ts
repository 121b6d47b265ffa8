/** Documents without end that have the statistics of real text. */
import { type Random, randomInteger, seededRandom, shuffled } from '../../common/index.ts';
import { sentences } from '../../corpus/index.ts';
import type { DataDocument } from '../datasets/types.ts';
import { valueAt } from './fit.ts';
import { TextStatistics } from './statistics.ts';

/** Words that are rarer than this in real text are the ones whose number grows with a collection. */
const RARE = 2e-5;
/** Words of a document at most, so that nearly each is one passage. */
const LONGEST = 120;
/** Letters of titles that an id begins with. */
const SLUG = 40;

type Shape = 'small' | 'capital' | 'capitals';

/** What stands for a rare word of a sentence, or for a number. */
type Slot = { rare: string; shape: Shape } | { digits: string };

interface Sentence {
  /** What stands before, between and behind the slots. */
  kept: string[];
  slots: Slot[];
  /** Words that stay, by their numbers, and all of its words. */
  common: number[];
  words: number;
}

/**
 * Each document is a shuffle of whole sentences of two real paragraphs. Words that are rare in real text are replaced, within a document one
 * always by the same: by a new word while there have been fewer than Heaps' law says for so much text, else by one that was there
 * before, drawn by how often it was (Simon's process). Of numbers of three digits or more the last two are drawn anew. Equal
 * seeds give equal documents, and fewer of them are the first of more.
 */
export function* generatedDocuments(
  real: readonly Pick<DataDocument, 'title' | 'text'>[],
  seed: number,
): Generator<{ docId: string; title: string; text: string }, never> {
  const random = seededRandom(seed);
  const read = readReal(real);
  const rare = new RareWords(read, random);
  for (let number = 0; ; number += 1) {
    const [one, other] = [0, 1].map(() => read.paragraphs[randomInteger(random, read.paragraphs.length)]!);
    const wanted = read.lengths[randomInteger(random, read.lengths.length)]!;
    const own = new Map<string, string>();
    const texts: string[] = [];
    let words = 0;
    for (const sentence of shuffled([...one!.sentences, ...other!.sentences], random)) {
      if (texts.length > 0 && words + sentence.words > wanted) continue;
      words += sentence.words;
      texts.push(rare.filled(sentence, own));
    }
    const title = rare.filled(one!.title, own);
    const slug = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .slice(0, SLUG);
    yield { docId: `${slug}-${number}`, title, text: texts.join(' ') };
  }
}

interface Read {
  paragraphs: { title: Sentence; sentences: Sentence[] }[];
  /** Words of each paragraph, cut off at LONGEST. */
  lengths: number[];
  known: ReadonlyMap<string, number>;
  commonWords: number;
  /** Heaps' law of the text. */
  vocabularyAt: (words: number) => number;
}

function readReal(real: readonly Pick<DataDocument, 'title' | 'text'>[]): Read {
  const statistics = new TextStatistics();
  for (const { text } of real) statistics.add(text);
  const heaps = statistics.heaps();
  const known = statistics.counts();
  const most = Math.max(1, RARE * statistics.words);
  const commonIds = new Map<string, number>();
  const parse = (text: string): Sentence => {
    const sentence: Sentence = { kept: [], slots: [], common: [], words: 0 };
    let end = 0;
    for (const match of text.matchAll(/\p{L}+|\d{3,}/gu)) {
      const [written] = match;
      const word = written.toLowerCase();
      const isNumber = /^\d/.test(written);
      if (!isNumber) sentence.words += 1;
      if (!isNumber && (known.get(word) ?? 0) > most) {
        if (!commonIds.has(word)) commonIds.set(word, commonIds.size);
        sentence.common.push(commonIds.get(word)!);
        continue;
      }
      sentence.kept.push(text.slice(end, match.index));
      sentence.slots.push(isNumber ? { digits: written } : { rare: word, shape: shapeOf(written) });
      end = match.index + written.length;
    }
    sentence.kept.push(text.slice(end));
    return sentence;
  };
  const paragraphs = real
    .filter(({ text }) => text.trim() !== '')
    .map(({ title, text }) => ({
      title: parse(title),
      sentences: sentences(text, 0, text.length).map(({ start, end }) =>
        parse(text.slice(start, end).trim()),
      ),
    }));
  const lengths = paragraphs.map(({ sentences: own }) =>
    Math.min(
      LONGEST,
      own.reduce((sum, sentence) => sum + sentence.words, 0),
    ),
  );
  const vocabularyAt = (words: number) => valueAt(heaps, words);
  return { paragraphs, lengths, known, commonWords: commonIds.size, vocabularyAt };
}

function shapeOf(written: string): Shape {
  if (written === written.toLowerCase()) return 'small';
  return written.length > 1 && written === written.toUpperCase() ? 'capitals' : 'capital';
}

/** The rare words of a stream of documents so far. */
class RareWords {
  readonly #read: Read;
  readonly #random: Random;
  readonly #seen: Uint8Array;
  /** Numbers of the words that were written, one for each document that has it. */
  #history = new Uint32Array(1_024);
  #drawn = 0;
  #next = 0;
  #words = 0;
  #vocabulary = 0;

  constructor(read: Read, random: Random) {
    this.#read = read;
    this.#random = random;
    this.#seen = new Uint8Array(read.commonWords);
  }

  /** The sentence with words and numbers of its own; `own`: what the document has for rare words already. */
  filled({ kept, slots, common, words }: Sentence, own: Map<string, string>): string {
    this.#words += words;
    for (const id of common) {
      if (this.#seen[id] === 0) this.#vocabulary += 1;
      this.#seen[id] = 1;
    }
    let text = kept[0]!;
    for (const [i, slot] of slots.entries()) {
      text += 'digits' in slot ? this.#number(slot.digits) : shaped(this.#word(slot.rare, own), slot.shape);
      text += kept[i + 1]!;
    }
    return text;
  }

  #number(digits: string): string {
    return digits.slice(0, -2) + String(randomInteger(this.#random, 100)).padStart(2, '0');
  }

  #word(rare: string, own: Map<string, string>): string {
    const there = own.get(rare);
    if (there !== undefined) return there;
    const isNew = this.#drawn === 0 || this.#vocabulary < this.#read.vocabularyAt(this.#words);
    const number = isNew ? this.#mint() : this.#history[randomInteger(this.#random, this.#drawn)]!;
    if (this.#drawn === this.#history.length) {
      const larger = new Uint32Array(this.#drawn * 2);
      larger.set(this.#history);
      this.#history = larger;
    }
    this.#history[this.#drawn++] = number;
    const word = mintedWord(number);
    own.set(rare, word);
    return word;
  }

  /** The number of a word that neither real nor generated text has. */
  #mint(): number {
    while (this.#read.known.has(mintedWord(this.#next))) this.#next += 1;
    this.#vocabulary += 1;
    return this.#next++;
  }
}

const CONSONANTS = 'bcdfghklmnprstvz';
const VOWELS = 'aeio';
/** No suffix ends in one of these behind a vowel, so that no two words have one stem. */
const ENDS = 'kmpg';

/** One word for each number, short ones first: syllables of a consonant and a vowel, two or more, and a consonant. */
function mintedWord(number: number): string {
  let word = '';
  for (let rest = Math.floor(number / ENDS.length), i = 0; i < 2 || rest > 0; i += 1) {
    word +=
      CONSONANTS[rest % CONSONANTS.length]! + VOWELS[Math.floor(rest / CONSONANTS.length) % VOWELS.length]!;
    rest = Math.floor(rest / (CONSONANTS.length * VOWELS.length));
  }
  return word + ENDS[number % ENDS.length]!;
}

function shaped(word: string, shape: Shape): string {
  if (shape === 'small') return word;
  return shape === 'capitals' ? word.toUpperCase() : word[0]!.toUpperCase() + word.slice(1);
}
