import { list, quoted } from '../../common/index.ts';
import { wordsIn } from '../../conversation/index.ts';
import { fold } from '../../corpus/index.ts';
import type { Spelling } from '../retrieval/types.ts';
import { notes } from './found.ts';
import type { Layer } from './types.ts';

/**
 * Says what a word was read as: the documents do not know it, and one word of theirs is clearly meant. What was meant is
 * no certain thing, so it stands beside the answer, and where there is none it is asked (see `unlessMisspelt`).
 */
export const spelling: Layer = (input) => {
  const read = input.spelling.filter(({ meant }) => meant !== null);
  if (read.length === 0) return null;
  const said = read.map(({ written, meant }) => `${quoted(written)} was read as ${quoted(meant!)}`);
  const message = `${list(said, 'and')}: the documents do not know the word as it is written.`;
  return notes('spelling', 'CAVEAT', message, { suggestions: read.slice(0, 3).map(({ meant }) => meant!) });
};

/** The spellings of a query, without a clear one for what it writes as a name: with a capital inside the sentence. */
export function sparingNames(query: string, spellings: readonly Spelling[]): Spelling[] {
  const names = new Set(
    wordsIn(query).flatMap(({ text, start }) => (start > 0 && /^\p{Lu}/u.test(text) ? fold(text) : [])),
  );
  return spellings.map((each) => (names.has(each.written) ? { ...each, meant: null } : each));
}

/** The query with every word that is clearly a slip as the documents write it. */
export function inDocumentsSpelling(query: string, spellings: readonly Spelling[]): string {
  const meant = new Map(spellings.map((each) => [each.written, each.meant]));
  let spelled = '';
  let at = 0;
  for (const { text, start, end } of wordsIn(query)) {
    const word = meant.get(fold(text)) ?? null;
    if (word === null) continue;
    spelled += query.slice(at, start) + word;
    at = end;
  }
  return spelled + query.slice(at);
}
