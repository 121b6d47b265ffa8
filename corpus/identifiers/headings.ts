/** Numbers that headings give to what stands below them, without a word that says of what. */
import { fold } from './fold.ts';
import { HEADING_FAMILIES } from './vocabulary.ts';

/** The number of "12.3 Payment terms" or "4. Notices" as 12 and 3, without leading zeros; null: it begins with none. */
export function numberingOf(heading: string): string[] | null {
  const match = /^\s*(\d{1,4}(?:\.\d{1,4}){0,5})([.)]?)\s+\S/.exec(heading.slice(0, 80));
  if (match === null) return null;
  const groups = match[1]!.split('.').map((group) => group.replace(/^0+(?=\d)/, ''));
  return groups.length === 1 && match[2] === '' ? null : groups;
}

/** Versions with two dots that stand alone, as written and without leading zeros: "## 2.4.2", "Linux 2.4.2". */
export function bareVersions(text: string): { written: string; groups: string[] }[] {
  return [...fold(text).text.matchAll(/(?<![\d.])(\d{1,6}\.\d{1,6}\.\d{1,6}[a-z]?)(?!\.?[\da-z])/gi)].map(
    ([, written]) => ({
      written: written!,
      groups: written!.split('.').map((group) => group.replace(/^0+(?=\d)/, '').toLowerCase()),
    }),
  );
}

/** What numbers a heading without a word beside it. */
type Kind = 'section' | 'version';

/** The numbers that the headings of a title ("Terms > 12. Payment > 12.3 Late payment") give: sections 12 and 12.3. */
export function headingNumbers(title: string): Record<Kind, string[]> {
  const headings = title.split(' > ');
  return {
    section: headings.flatMap((heading) => numberingOf(heading)?.join('.') ?? []),
    version: headings.flatMap((heading) => bareVersions(heading).map(({ groups }) => groups.join('.'))),
  };
}

/**
 * The number of an identifier that a heading may give without its word: "12.3" of "section 12.3", "2.4.1" of
 * "version 2.4.1". Null for any other.
 */
export function numberByHeading(id: string): { kind: Kind; number: string } | null {
  const [, family, number] = /^(\p{L}+) (\d[\d.]*[a-z]?)$/u.exec(id.toLowerCase()) ?? [];
  if (family === 'version') return { kind: 'version', number: number! };
  return HEADING_FAMILIES.has(family ?? '') ? { kind: 'section', number: number! } : null;
}
