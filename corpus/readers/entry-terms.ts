import { cleanTitle } from './offsets.ts';

const MAX_BOLD_WORDS = 8;
const MAX_SHORT = 80;
/** What is set in bold to draw attention and not because it is explained. */
const NOTICE =
  /^(?:attention|caution|danger|deprecated|example|examples|hint|important|info|note|notes|notice|remark|see also|tip|warning|nb|p\.?s)\b/i;

/** The word over a box that stands within a section, and is no section of its own. */
const BOX =
  /^(?:attention|caution|danger|hint|important|info|information|note|remark|tip|warning)\s*[:!.]?$/i;

export function isBoxTitle(heading: string): boolean {
  return BOX.test(heading);
}

/** The term of a paragraph or item that begins with these words in bold, followed by others; null: it has none. */
export function boldTerm(bold: string): string | null {
  const term = cleanTitle(bold).replace(/[\s:.—–-]+$/u, '');
  const fits =
    /[\p{L}\p{N}]/u.test(term) && term.length <= MAX_SHORT && term.split(' ').length <= MAX_BOLD_WORDS;
  return fits && !NOTICE.test(term) ? term : null;
}

/** A term as the last part of a title: a long one without its arguments. */
export function shortTerm(term: string): string {
  if (term.length <= MAX_SHORT) return term;
  const at = term.search(/[(,]/);
  return at >= 3 && at <= MAX_SHORT ? term.slice(0, at).trim() : cleanTitle(term.slice(0, MAX_SHORT));
}
