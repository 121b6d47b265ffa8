import { createRequire } from 'node:module';

/** natural's Porter stemmer, loaded by its own file: the package's front door prints and connects to databases. */
const porter = createRequire(import.meta.url)('natural/lib/natural/stemmers/porter_stemmer.js') as {
  stem(word: string): string;
};

const STEMMABLE = /^[a-z]{3,24}$/;
const CACHE_LIMIT = 200_000;
const cache = new Map<string, string>();

/** Stem of an English word of 3 to 24 letters; every other term (numbers, identifiers, other scripts) as it is. */
export function stem(term: string): string {
  const known = cache.get(term);
  if (known !== undefined) return known;
  const stemmed = STEMMABLE.test(term) ? porter.stem(term) : term;
  if (cache.size >= CACHE_LIMIT) cache.clear();
  cache.set(term, stemmed);
  return stemmed;
}
