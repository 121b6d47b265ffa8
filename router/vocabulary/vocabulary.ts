import { createHash } from 'node:crypto';
import { canonicalJson } from '../../common/index.ts';
import { ancestors } from './hierarchy.ts';
import { type Name, NearestNames } from './nearest.ts';
import type { Concept, TermMatch, VocabularyReport } from './types.ts';
import { isCommon, phraseKey, type Word, wordsOf } from './words.ts';

/** Words of a query that are looked at, and of a name: no name is longer. */
const MOST_WORDS = 2_048;
const LONGEST_NAME = 12;

type By = TermMatch['by'];
const STRENGTH: Record<By, number> = { label: 0, alternative: 1, hidden: 2 };

interface Bearer {
  concept: number;
  by: By;
  /** As written. */
  name: string;
}

/** The concepts of one or several files, and where their names occur in a text. Immutable; calls may overlap. */
export class Vocabulary {
  readonly concepts: readonly Concept[];
  readonly report: VocabularyReport;
  /** SHA-256 over the concepts, each as canonical JSON on a line: all that decisions depend on. */
  readonly hash: string;
  readonly #byId: ReadonlyMap<string, Concept>;
  readonly #bearers = new Map<string, Bearer[]>();
  /** By the first word of a name: words of the longest name that begins so. */
  readonly #longest = new Map<string, number>();
  readonly #nearest: NearestNames;

  constructor(concepts: readonly Concept[], report: VocabularyReport) {
    this.concepts = concepts;
    this.report = report;
    const hash = createHash('sha256');
    for (const concept of concepts) hash.update(`${canonicalJson(concept)}\n`);
    this.hash = hash.digest('hex');
    this.#byId = new Map(concepts.map((concept) => [concept.id, concept]));
    const names: Name[] = [];
    concepts.forEach(({ label, alternatives, hidden }, concept) => {
      const put = (name: string, by: By): void => {
        const words = wordsOf(name);
        this.#put({ concept, by, name }, words);
        if (by === 'hidden') return;
        names.push({ concept, words: [...new Set(words.filter((w) => !isCommon(w)).map(({ key }) => key))] });
      };
      put(label, 'label');
      for (const name of alternatives) put(name, 'alternative');
      for (const name of hidden) put(name, 'hidden');
    });
    this.#nearest = new NearestNames(names);
  }

  /**
   * The terms that a text names, in reading order: from each word on the longest name, without overlaps. Case, plural,
   * accents and hyphens do not matter, except that a name made of common words only ("IT", "WHO") must be written
   * alike. Time is linear in the text.
   */
  find(text: string): TermMatch[] {
    const words = wordsOf(text, MOST_WORDS);
    const found: TermMatch[] = [];
    for (let i = 0; i < words.length; ) {
      const most = Math.min(this.#longest.get(words[i]!.key) ?? 0, words.length - i);
      let match: TermMatch | null = null;
      for (let size = most; size > 0 && match === null; size -= 1) {
        match = this.#match(text, words.slice(i, i + size));
        if (match !== null) {
          found.push(match);
          i += size;
        }
      }
      if (match === null) i += 1;
    }
    return found;
  }

  /** Up to `n` preferred labels that a text may have been meant for, most alike first; none that it names already. */
  nearest(text: string, n: number): string[] {
    const words = wordsOf(text, 32);
    const named = new Set(this.find(text).flatMap(({ concepts }) => concepts.map(({ id }) => id)));
    const labels = new Set<string>();
    for (const { concept } of this.#nearest.like(words, LEAST_LIKE)) {
      const { id, label } = this.concepts[concept]!;
      if (!named.has(id)) labels.add(label);
      if (labels.size >= n) break;
    }
    return [...labels];
  }

  /** Concepts above one, nearest first, each once, also where the vocabulary goes in circles. */
  above(concept: Concept, limit: number): Concept[] {
    return ancestors(concept, this.#byId, limit);
  }

  #put(bearer: Bearer, words: readonly Word[]): void {
    const [first] = words;
    if (first === undefined || words.length > LONGEST_NAME) return;
    const key = phraseKey(words);
    const same = this.#bearers.get(key);
    if (same === undefined) this.#bearers.set(key, [bearer]);
    else if (same.every(({ concept }) => concept !== bearer.concept)) same.push(bearer);
    this.#longest.set(first.key, Math.max(this.#longest.get(first.key) ?? 0, words.length));
  }

  #match(text: string, words: readonly Word[]): TermMatch | null {
    const all = this.#bearers.get(phraseKey(words));
    if (all === undefined) return null;
    const [first, last] = [words[0]!, words.at(-1)!];
    const written = text.slice(first.start, last.end);
    // A name does not go over the end of a sentence.
    if (/[.;:!?]\s/.test(written)) return null;
    const fitting = words.every(isCommon) ? all.filter(({ name }) => name === written) : all;
    if (fitting.length === 0) return null;
    const folded = forms(words);
    const exact = fitting.filter(({ name }) => forms(wordsOf(name)) === folded);
    const among = exact.length > 0 ? exact : fitting;
    const strongest = Math.min(...among.map(({ by }) => STRENGTH[by]));
    const kept = among.filter(({ by }) => STRENGTH[by] === strongest);
    return {
      text: written,
      start: first.start,
      end: last.end,
      concepts: kept.map(({ concept }) => this.concepts[concept]!),
      by: kept[0]!.by,
    };
  }
}

/** Likeness under which nothing was meant: one word of two in common, or one slip in a word of four. */
const LEAST_LIKE = 0.6;

function forms(words: readonly Word[]): string {
  return words.map(({ form }) => form).join(' ');
}
