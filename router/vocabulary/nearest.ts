import { editDistance } from '../../corpus/index.ts';
import { isCommon, type Word } from './words.ts';

interface Entry {
  word: string;
  /** One bit a letter that occurs, hashed to 32; each slip changes two bits at most. */
  letters: number;
  /** Names that hold the word. */
  names: number[];
}

/** A name of the vocabulary as far as likeness goes: its different words, common ones aside. */
export interface Name {
  concept: number;
  words: readonly string[];
}

/** Names looked at for one word of a query: a word that half the vocabulary shares tells nothing. */
const MOST_NAMES = 2_000;

/** Names that look like what was written: by slips of the finger within words, and by words in common. */
export class NearestNames {
  readonly #names: readonly Name[];
  readonly #byLength = new Map<number, Entry[]>();

  constructor(names: readonly Name[]) {
    this.#names = names;
    const entries = new Map<string, Entry>();
    names.forEach(({ words }, name) => {
      for (const word of words) {
        const entry = entries.get(word) ?? { word, letters: lettersOf(word), names: [] };
        if (entry.names.length < MOST_NAMES) entry.names.push(name);
        entries.set(word, entry);
      }
    });
    for (const entry of entries.values()) {
      const same = this.#byLength.get(entry.word.length) ?? [];
      same.push(entry);
      this.#byLength.set(entry.word.length, same);
    }
  }

  /**
   * Concepts whose name is like `words`, best first, with a likeness in (0, 1]: the Dice coefficient over words, in
   * which a misspelt word counts 1 - slips / length, and at least `least`.
   */
  like(words: readonly Word[], least: number): { concept: number; likeness: number }[] {
    const asked = [...new Set(words.filter((word) => !isCommon(word)).map(({ key }) => key))];
    const shared = new Map<number, number>();
    for (const word of asked.slice(0, 12)) {
      const best = new Map<number, number>();
      for (const { entry, weight } of this.#similar(word)) {
        for (const name of entry.names) best.set(name, Math.max(best.get(name) ?? 0, weight));
      }
      for (const [name, weight] of best) shared.set(name, (shared.get(name) ?? 0) + weight);
    }
    const concepts = new Map<number, number>();
    for (const [name, sum] of shared) {
      const { concept, words: own } = this.#names[name]!;
      const likeness = (2 * sum) / (asked.length + own.length);
      if (likeness >= least) concepts.set(concept, Math.max(concepts.get(concept) ?? 0, likeness));
    }
    return [...concepts]
      .map(([concept, likeness]) => ({ concept, likeness }))
      .sort((a, b) => b.likeness - a.likeness || a.concept - b.concept);
  }

  #similar(word: string): { entry: Entry; weight: number }[] {
    const limit = word.length >= 8 ? 2 : word.length >= 4 ? 1 : 0;
    const letters = lettersOf(word);
    const found: { entry: Entry; weight: number }[] = [];
    for (let length = word.length - limit; length <= word.length + limit; length += 1) {
      for (const entry of this.#byLength.get(length) ?? []) {
        if (bits(entry.letters ^ letters) > 2 * limit) continue;
        const slips = editDistance(word, entry.word, limit);
        if (slips <= limit) found.push({ entry, weight: 1 - slips / word.length });
      }
    }
    return found;
  }
}

function lettersOf(word: string): number {
  let mask = 0;
  for (let i = 0; i < word.length; i += 1) mask |= 1 << (word.charCodeAt(i) & 31);
  return mask;
}

function bits(mask: number): number {
  let rest = mask;
  let count = 0;
  for (; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
