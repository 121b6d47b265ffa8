/** The words that the scanner knows. Families are in canonical form: codes in capitals, words in small letters. */

/** Words that number something, with the family they stand for. */
export const WORD_FAMILIES: ReadonlyMap<string, string> = new Map([
  ['section', 'section'],
  ['sections', 'section'],
  ['sect', 'section'],
  ['sec', 'section'],
  ['paragraph', 'section'],
  ['paragraphs', 'section'],
  ['clause', 'section'],
  ['clauses', 'section'],
  ['chapter', 'chapter'],
  ['chapters', 'chapter'],
  ['article', 'article'],
  ['articles', 'article'],
  ['appendix', 'appendix'],
  ['annex', 'annex'],
  ['schedule', 'schedule'],
  ['exhibit', 'exhibit'],
  ['ticket', 'ticket'],
  ['tickets', 'ticket'],
  ['issue', 'issue'],
  ['issues', 'issue'],
  ['bug', 'bug'],
  ['incident', 'incident'],
  ['invoice', 'invoice'],
  ['invoices', 'invoice'],
  ['order', 'order'],
  ['orders', 'order'],
  ['contract', 'contract'],
  ['version', 'version'],
  ['release', 'release'],
  ['error', 'error'],
]);

/** Families whose number with two dots is a version: "firmware 2.4.1", "release 2.4.1". */
export const VERSIONED: ReadonlySet<string> = new Set([
  'version',
  'release',
  'FIRMWARE',
  'VERSIONS',
  'RELEASES',
]);

/** Family of versions with two dots, however they are called. Spelled "version 2.4.1". */
export const FULL_VERSION = 'full version';

/** Word families that a numbered heading ("12.3 Payment") answers to. */
export const HEADING_FAMILIES: ReadonlySet<string> = new Set(['section', 'chapter', 'article']);

/** Codes that mean one thing everywhere: they are believed in a query whatever the corpus holds. */
export const WELL_KNOWN: ReadonlySet<string> = new Set([
  'ADR',
  'CVE',
  'CWE',
  'INV',
  'ISBN',
  'ISSN',
  'ORA',
  'PEP',
  'RFC',
]);

/**
 * Codes of the world at large: standards and formats, plugs and ciphers, germs, makes. Their other members exist
 * whether or not the documents speak of them, so that one says nothing about how the documents number things.
 */
export const PUBLIC: ReadonlySet<string> = new Set(
  (
    'UTF UCS ASCII LATIN ISO IEC IEEE ITU DIN EN ANSI ASTM NIST FIPS ECMA HTML HTTP CSS TLS SSL WPA SQL IP IPV MP MPEG ' +
    'AVC HEVC VP USB HDMI PCI SATA DDR RS RJ CAT SHA MD CRC AES DES RSA HIV HPV HSV MERS SARS COV IL CD CO PM BRCA ' +
    'AK DC CF CH MIG SU TU PDP VAX GPT BERT PG NC'
  ).split(' '),
);

/** What stands before a number without naming anything. */
export const NO_FAMILY: ReadonlySet<string> = new Set(
  (
    'A AN THE IN ON AT BY OF TO FOR FROM AND OR AS IS WAS BE IT NO NOT WITH THAN SINCE UNTIL TILL BEFORE AFTER ' +
    'ABOUT AROUND OVER UNDER CIRCA CA C PRE POST MID EARLY LATE TOP BETWEEN BOTH ALL ' +
    'JAN FEB MAR APR MAY JUN JUL AUG SEP SEPT OCT NOV DEC JANUARY FEBRUARY MARCH APRIL JUNE JULY AUGUST SEPTEMBER ' +
    'OCTOBER NOVEMBER DECEMBER MON TUE WED THU FRI SAT SUN AD BC CE BCE AM PM USD EUR GBP US UK WW WWI WWII ' +
    'COVID PAGE PAGES P PP VOL ONLY JUST NEARLY ALMOST'
  ).split(' '),
);

const NUMBER_WORDS = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** "one" to "twelve" and Roman numerals up to 89 as digits; null for other words. */
export function numeral(word: string): string | null {
  const index = NUMBER_WORDS.indexOf(word.toLowerCase());
  if (index >= 0) return String(index + 1);
  return /^[IVXL]{1,8}$/.test(word) ? roman(word) : null;
}

const ROMAN: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50 };

function roman(word: string): string {
  let total = 0;
  for (let i = 0; i < word.length; i += 1) {
    const value = ROMAN[word[i]!]!;
    total += value < (ROMAN[word[i + 1] ?? ''] ?? 0) ? -value : value;
  }
  return String(Math.max(total, 0));
}
