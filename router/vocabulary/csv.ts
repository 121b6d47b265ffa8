import { parse } from 'csv-parse';
import { messageOf } from '../../common/index.ts';
import type { Row } from './collector.ts';
import { eachParsed, unusable } from './text-stream.ts';

/** Names of columns as they occur, in small letters without spaces, hyphens and underscores. */
const COLUMNS: Record<keyof Row, readonly string[]> = {
  label: ['term', 'label', 'preflabel', 'preferredlabel', 'preferredterm', 'name', 'concept'],
  id: ['id', 'uri', 'iri', 'conceptid'],
  alternatives: [
    'altlabel',
    'altlabels',
    'alternative',
    'alternatives',
    'synonym',
    'synonyms',
    'alias',
    'aliases',
    'abbreviation',
    'acronym',
    'usefor',
  ],
  hidden: ['hidden', 'hiddenlabel', 'hiddenlabels', 'misspelling', 'misspellings', 'notation', 'code'],
  definition: ['definition', 'description', 'meaning', 'explanation'],
  broader: ['broader', 'broaderterm', 'parent', 'parents'],
};
const DELIMITERS = [',', ';', '\t', '|'];
const LONGEST_RECORD = 1 << 20;

/**
 * The records of a table whose first line names the columns; several names in one cell stand between "|" or ";".
 * Throws VOCABULARY_UNUSABLE when no column holds the terms, or with the line where the table is broken.
 */
export async function eachRow(
  name: string,
  text: AsyncIterable<string>,
  take: (row: Row) => void,
): Promise<void> {
  const { delimiter, whole } = await withDelimiter(text);
  const parser = parse({
    delimiter,
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: LONGEST_RECORD,
  });
  let columns: Map<keyof Row, number> | null = null;
  const ids = new Map<string, number>();
  const each = (record: string[]): void => {
    if (columns === null) {
      columns = columnsOf(name, record);
      return;
    }
    const row = rowOf(columns, record, delimiter);
    if (row.label.trim() !== '') take({ ...row, id: ownId(row, ids) });
  };
  await eachParsed(whole, parser, each, (cause) =>
    unusable(`${name} is not a sound table: ${messageOf(cause)}`, 'Check its quotation marks.', cause),
  );
}

async function withDelimiter(
  text: AsyncIterable<string>,
): Promise<{ delimiter: string; whole: AsyncIterable<string> }> {
  const pieces = text[Symbol.asyncIterator]();
  let head = '';
  while (!head.includes('\n') && head.length < LONGEST_RECORD) {
    const next = await pieces.next();
    if (next.done) break;
    head += next.value;
  }
  const line = head
    .slice(0, 65_536)
    .split('\n', 1)[0]!
    .replace(/"[^"]*"/g, '');
  const count = (delimiter: string): number => line.split(delimiter).length;
  const delimiter = DELIMITERS.reduce((best, next) => (count(next) > count(best) ? next : best));
  const whole = (async function* () {
    yield head;
    yield* { [Symbol.asyncIterator]: () => pieces };
  })();
  return { delimiter, whole };
}

function columnsOf(name: string, header: readonly string[]): Map<keyof Row, number> {
  const plain = header.map((cell) =>
    cell
      .toLowerCase()
      .replace(/[\s_:-]/g, '')
      .replace(/^skos/, ''),
  );
  const columns = new Map<keyof Row, number>();
  for (const [field, names] of Object.entries(COLUMNS) as [keyof Row, readonly string[]][]) {
    const at = names.map((each) => plain.indexOf(each)).find((place) => place >= 0);
    if (at !== undefined) columns.set(field, at);
  }
  if (!columns.has('label')) {
    throw unusable(
      `${name} has no column for its terms.`,
      `Its first line must name one of: ${COLUMNS.label.join(', ')}.`,
    );
  }
  return columns;
}

function rowOf(columns: ReadonlyMap<keyof Row, number>, record: readonly string[], delimiter: string): Row {
  const cell = (field: keyof Row): string => record[columns.get(field) ?? -1] ?? '';
  const several = (field: keyof Row): string[] => cell(field).split(delimiter === ';' ? '|' : /[|;]/);
  const label = cell('label');
  return {
    id: cell('id').trim(),
    label,
    alternatives: several('alternatives'),
    hidden: several('hidden'),
    definition: cell('definition'),
    broader: several('broader')
      .map((each) => each.trim())
      .filter((each) => each !== ''),
  };
}

/** Without an id the label is one; a second record with the same label is another concept ("Mercury#2"). */
function ownId({ id, label }: Row, ids: Map<string, number>): string {
  if (id !== '') return id;
  const name = label.trim();
  const count = (ids.get(name) ?? 0) + 1;
  ids.set(name, count);
  return count === 1 ? name : `${name}#${count}`;
}
