import type { Postings } from '../../corpus/index.ts';
import { readQuery } from './question.ts';
import type { TermCoverage } from './types.ts';

/** Which content words of the query the corpus knows, weighted by idf. */
export function coverageOf({ fields: { text } }: Postings, query: string): TermCoverage {
  const terms = readQuery(query).filter(({ content, combined }) => content && !combined);
  const words = new Map(terms.map(({ term, word }) => [term, word]));
  let known = 0;
  let total = 0;
  const unknown: string[] = [];
  for (const { term, place, weight } of text.weigh(terms)) {
    total += weight;
    if (place >= 0) known += weight;
    else unknown.push(words.get(term)!);
  }
  return { terms: [...words.values()], unknown, known: total === 0 ? 1 : known / total };
}
