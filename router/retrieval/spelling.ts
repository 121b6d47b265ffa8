import {
  editDistance,
  type IndexBackend,
  type Lexicon,
  type Passage,
  scanTerms,
} from '../../corpus/index.ts';
import type { Spelling } from './types.ts';

/** Words of one query that are looked up. */
const MOST_WORDS = 4;
const MOST_NEAR = 3;
/** Passages that are looked through for how a term is written. */
const LOOKED = 4;
/** How much of a passage is looked through for how a near term is written. */
const PASSAGE_CHARS = 8_000;
/** A word that stands in fewer passages is itself a slip as often as not. */
const LEAST_PASSAGES = 2;
/** The one meant stands in so many times as many passages as any other that is as near. */
const CLEARLY = 4;
const PLAIN = /^[a-z]{4,24}$/;

/**
 * What words that the corpus does not know may have been meant for: words of the corpus that begin alike and are one
 * slip away (insert, delete, replace, swap neighbours), two from eight letters on; nearest first, then those of most
 * passages. `meant` where one of them is clear: nearest, in at least two passages and far more than any other as near;
 * never for words of four letters. Only words of plain letters; `isWord` tells words that are no slips. Time: one look at the
 * dictionary's words with the same first letter, for at most four words.
 */
export async function spellingsOf(
  index: Pick<IndexBackend, 'lexicons' | 'holding'>,
  unknown: readonly string[],
  isWord: (word: string) => boolean,
  signal?: AbortSignal,
): Promise<Spelling[]> {
  const slips = unknown.filter((word) => PLAIN.test(word) && !isWord(word)).slice(0, MOST_WORDS);
  const nearOf = new Map(slips.map((written) => [written, nearTerms(index.lexicons.text, written)]));
  const terms = [...new Set([...nearOf.values()].flat().map(({ term }) => term))];
  const found = terms.length === 0 ? [] : await index.holding(terms, LOOKED, { signal });
  const holding = new Map(terms.map((term, i) => [term, found[i]!.map(({ passage }) => passage)]));
  return slips.flatMap((written) => {
    const limit = slipsIn(written);
    const near = nearOf
      .get(written)!
      .flatMap(({ term, count }) => {
        const word = asWritten(written, term, holding.get(term)!, limit);
        return word === null ? [] : [{ word, count, slips: editDistance(written, word, limit) }];
      })
      .sort((a, b) => a.slips - b.slips || b.count - a.count || (a.word < b.word ? -1 : 1));
    const [best, next] = near;
    if (best === undefined) return [];
    const alone = next === undefined || next.slips > best.slips || best.count >= CLEARLY * next.count;
    const meant = written.length > 4 && best.count >= LEAST_PASSAGES && alone ? best.word : null;
    return [{ written, near: near.slice(0, MOST_NEAR).map(({ word }) => word), meant }];
  });
}

/** How many slips a word may be away. */
function slipsIn(written: string): number {
  return written.length >= 8 ? 2 : 1;
}

/** Stems that may be those of near words: a stem loses an ending that the other word keeps, so one slip more. */
function nearTerms(field: Lexicon, written: string) {
  let stem = written;
  scanTerms(written, (term) => {
    stem = term;
  });
  const within = slipsIn(written) + 1;
  return [...field.termsLike(written[0]!, stem.length - within, stem.length + within)].filter(
    ({ term }) => /^[a-z]+$/.test(term) && editDistance(stem, term, within) <= within,
  );
}

/** The nearest way in which passages write a term; null where none is near enough. */
function asWritten(
  written: string,
  wanted: string,
  passages: readonly Pick<Passage, 'title' | 'text'>[],
  limit: number,
): string | null {
  let nearest: { word: string; slips: number } | null = null;
  for (const { title, text } of passages) {
    scanTerms(`${title}\n${text.slice(0, PASSAGE_CHARS)}`, (term, word, combined) => {
      if (term !== wanted || combined) return;
      const slips = editDistance(written, word, limit);
      if (slips <= limit && slips < (nearest?.slips ?? limit + 1)) nearest = { word, slips };
    });
  }
  return (nearest as { word: string } | null)?.word ?? null;
}
