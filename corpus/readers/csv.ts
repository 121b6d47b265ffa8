import { parse } from 'csv-parse/sync';
import { PragauraError } from '../../common/index.ts';
import type { Block, Part } from '../types.ts';
import { cleanTitle } from './offsets.ts';
import { NO_LIST } from './outline.ts';

const DELIMITERS = [',', ';', '\t', '|'];

/** The delimiter that occurs most often in the first line, quoted parts aside. */
function delimiterOf(text: string): string {
  const line = /^[^\n\r]*/.exec(text.slice(0, 65_536))![0].replace(/"[^"]*"/g, '');
  const count = (delimiter: string) => line.split(delimiter).length;
  return DELIMITERS.reduce((best, next) => (count(next) > count(best) ? next : best));
}

/** Names of columns: all there, all different, none a number. */
function isHeader(cells: readonly string[]): boolean {
  const named = cells.every((cell) => cell.trim() !== '' && Number.isNaN(Number(cell)) && cell.length <= 100);
  return named && new Set(cells).size === cells.length;
}

interface Row {
  record: string[];
  info: { bytes: number };
}

/** Longer than this a first cell is no name of a record. */
const MAX_NAME = 80;

/**
 * Blocks and parts of a CSV or TSV text, one a record, offsets exact also where a quoted cell goes over several lines. The
 * first record names the columns where it looks like that.
 * @throws UNREADABLE_DOCUMENT
 */
export function csvBlocks(text: string, tabs: boolean): { blocks: Block[]; parts: Part[] } {
  const bytes = Buffer.from(text);
  let rows: Row[];
  try {
    rows = parse(bytes, {
      delimiter: tabs ? '\t' : delimiterOf(text),
      info: true,
      // Tab-separated text is written without quotes; a quotation mark in it is a character like any other.
      quote: tabs ? false : '"',
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
    }) as unknown as Row[];
  } catch (error) {
    throw new PragauraError('UNREADABLE_DOCUMENT', 'is not a table that can be read', { cause: error });
  }
  const blocks: Block[] = [];
  const parts: Part[] = [];
  let header: Block['header'];
  let byte = 0;
  let offset = 0;
  rows.forEach(({ record, info }, ordinal) => {
    const raw = bytes.toString('utf8', byte, info.bytes);
    const start = offset + (raw.length - raw.trimStart().length);
    const end = offset + raw.trimEnd().length;
    byte = info.bytes;
    offset += raw.length;
    if (ordinal === 0 && rows.length > 1 && isHeader(record)) {
      header = { text: cleanTitle(record.join(' | ')), end };
    } else if (start < end) {
      blocks.push({ start, end, headings: [], kind: 'table', alone: true, ...(header && { header }) });
    }
    if (start >= end) return;
    const position = header === undefined ? ordinal + 1 : ordinal;
    const name = cleanTitle(record[0] ?? '');
    const term = position > 0 && record.length > 1 && name !== '' && name.length <= MAX_NAME ? name : null;
    parts.push({ ...NO_LIST, kind: 'row', start, end, list: 1, position, term });
  });
  return { blocks, parts };
}
