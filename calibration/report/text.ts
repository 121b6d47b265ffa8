import { plainLine, table } from '../../common/index.ts';
import type { Section } from './sections.ts';

/** The report for a terminal: control characters of names are made visible. */
export function textOf(headline: string, remarks: readonly string[], sections: readonly Section[]): string {
  const parts = [headline, ...remarks].map(plainLine);
  for (const section of sections) {
    if (section.title !== null) parts.push('', `== ${section.title}`);
    parts.push('', ...section.text.map(plainLine));
    if (section.table !== null) {
      const { head, rows } = section.table;
      if (section.text.length > 0) parts.push('');
      parts.push(
        table(
          head.map(plainLine),
          rows.map((row) => row.map(plainLine)),
        ),
      );
    }
    if (section.notes.length > 0) parts.push('', ...section.notes.map(plainLine));
  }
  return `${parts.join('\n')}\n`;
}
