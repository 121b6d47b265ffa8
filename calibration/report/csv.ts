import type { Cell, Table } from './tables.ts';

/**
 * The table as CSV (RFC 4180): a line of names, CRLF, an empty cell for what is not known. A text that a spreadsheet
 * would take for a formula gets an apostrophe before it: ids are other people's words.
 */
export function csvOf({ columns, rows }: Table): string {
  return [columns, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: Cell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
