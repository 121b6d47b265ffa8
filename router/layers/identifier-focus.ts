import { headingNumbers, numberByHeading } from '../../corpus/index.ts';
import type { Candidate } from '../retrieval/types.ts';

/** What stands before the first digit of an identifier in canonical form: "adr-" of "ADR-0012". */
function familyOf(id: string): string {
  return id.slice(0, Math.max(0, id.search(/\d/))).toLowerCase();
}

/** The parts of a passage that may say which record it belongs to. */
interface Named {
  title: string;
  docId: string;
  source: string;
  text: string;
}

/**
 * Whether a passage may be about one of the records that a query names: it names one of them, stands under a heading
 * with its number ("12.3 Late payment", "2.4.1"), or names none of their family (its number may stand in another
 * passage). A passage that names only others of the family is about those: what ADR-0013 decides neither answers nor
 * contradicts what ADR-0012 does, and what stands under 13.1 is not said of section 12.3.
 */
export function mayBeAbout(
  passage: Named,
  wanted: readonly string[],
  identifiersIn: (text: string) => readonly string[],
): boolean {
  const { title, docId, source, text } = passage;
  const named = [title, docId, source, text].flatMap((part) => identifiersIn(part));
  if (named.some((id) => wanted.includes(id))) return true;
  const standing = wanted.map((id) => placeUnder(title, id));
  if (standing.includes('within')) return true;
  if (standing.length > 0 && standing.every((one) => one === 'elsewhere')) return false;
  const families = new Set(wanted.map(familyOf));
  return !named.some((id) => families.has(familyOf(id)));
}

/**
 * Where a passage stands by the numbers of its headings: within the record, above it or not numbered at all ("open"),
 * or under other numbers of the kind.
 */
function placeUnder(title: string, id: string): 'within' | 'open' | 'elsewhere' {
  const wanted = numberByHeading(id);
  if (wanted === null) return 'open';
  const numbers = headingNumbers(title)[wanted.kind];
  const under = (number: string, above: string) => number === above || number.startsWith(`${above}.`);
  if (numbers.some((number) => under(number, wanted.number))) return 'within';
  return numbers.length === 0 || numbers.some((number) => under(wanted.number, number))
    ? 'open'
    : 'elsewhere';
}

/**
 * Candidates of a query that names records, without those of other records of the same kind; all of them when it names
 * none. When none is left, nothing found is about what was asked, and nothing is answered. What is left was found by
 * its name, as under a filter by document: either general branch would have handed over all of it, and so it counts.
 * Otherwise two branches that saw different passages of the one record would pass for disagreement about the answer.
 */
export function aboutNamed<T extends Pick<Candidate, 'branchScores' | 'lexical' | 'dense'>>(
  candidates: readonly T[],
  passageOf: (candidate: T) => Named,
  wanted: readonly string[],
  identifiersIn: (text: string) => readonly string[],
): readonly T[] {
  if (wanted.length === 0) return candidates;
  return candidates
    .filter((each) => mayBeAbout(passageOf(each), wanted, identifiersIn))
    .map((each) => ({
      ...each,
      branchScores: {
        ...each.branchScores,
        lexical: each.lexical,
        ...(each.dense !== null && { dense: each.dense }),
      },
    }));
}

/**
 * The query with every identifier written as the documents write it ("ADR-0003" for "adr 3"): models compare letters,
 * and a word that no passage holds counts as unknown. Identifiers that share a stretch (a range) stay as they are.
 */
export function inCorpusSpelling(
  query: string,
  identifiers: readonly { id: string; start: number; end: number }[],
): string {
  const places = new Map<number, number>();
  for (const { start } of identifiers) places.set(start, (places.get(start) ?? 0) + 1);
  let spelled = '';
  let at = 0;
  for (const { id, start, end } of identifiers) {
    if (start < at || places.get(start)! > 1) continue;
    spelled += query.slice(at, start) + id;
    at = end;
  }
  return spelled + query.slice(at);
}
