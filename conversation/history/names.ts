/** What a name says about its bearer: a look-up in the word lists of compromise, whose tagger would cost 2 ms a turn. */
import { createRequire } from 'node:module';
import { type Gender, TITLES } from './words.ts';

type Lexicon = Readonly<Record<string, string | string[]>>;

const require = createRequire(import.meta.url);

let lexicon: Lexicon | undefined;

/** Read at the first name, from the part of the package that tags, so that a process loads it once. */
function openLexicon(): Lexicon {
  const nlp = require('compromise/two') as { model(): { one: { lexicon: Lexicon } } };
  return nlp.model().one.lexicon;
}

/** Tags of compromise's word list for a word in small letters; empty for an unknown one. */
export function tagsOf(word: string): readonly string[] {
  lexicon ??= openLexicon();
  if (!Object.hasOwn(lexicon, word)) return [];
  const tags = lexicon[word]!;
  return typeof tags === 'string' ? [tags] : tags;
}

const NAME_TAGS: ReadonlySet<string> = new Set([
  'MaleName',
  'FemaleName',
  'FirstName',
  'LastName',
  'Person',
  'City',
  'Country',
  'Region',
  'Place',
  'Organization',
  'SportsTeam',
  'Company',
]);
/** What is written with a capital and names nothing that a pronoun could stand for. */
const NO_BEARER: ReadonlySet<string> = new Set(['Month', 'WeekDay', 'Demonym', 'Holiday', 'Currency']);

export function isNameWord(lower: string): boolean {
  const tags = tagsOf(lower);
  return tags.some((tag) => NAME_TAGS.has(tag));
}

export function isOrdinaryWord(lower: string): boolean {
  const tags = tagsOf(lower);
  return tags.length > 0 && !tags.some((tag) => NAME_TAGS.has(tag));
}

export function hasNoBearer(lower: string): boolean {
  return tagsOf(lower).some((tag) => NO_BEARER.has(tag));
}

/** From a title ("Mrs") or the first name; null when neither is known. */
export function genderOf(words: readonly string[]): Gender | null {
  const first = words[0]?.toLowerCase() ?? '';
  const title = TITLES.get(first);
  if (title !== undefined && words.length > 1) return title;
  const tags = tagsOf(first);
  if (tags.includes('MaleName')) return 'male';
  if (tags.includes('FemaleName')) return 'female';
  return tags.some((tag) => tag === 'FirstName' || tag === 'Person') ? 'person' : null;
}
