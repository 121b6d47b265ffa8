import type { Passage } from '../../passages/passage.ts';
import { buildIdentifiers, checkedDeclaration, type IdentifierTable, loadIdentifiers } from '../index.ts';

export function passage(
  text: string,
  title = '',
  docId = 'note',
  genre: Passage['genre'] = 'narrative',
): Passage {
  return {
    docId,
    passageId: `${docId}#${text.length}`,
    start: 0,
    end: text.length,
    text,
    title,
    genre,
    source: `${docId}.md`,
    position: '1:1',
  };
}

/** The table of passages with what their owner declares. */
export function tableWith(declared: unknown, ...passages: Passage[]): IdentifierTable {
  const segments = buildIdentifiers(passages, checkedDeclaration(declared));
  return loadIdentifiers({ segment: (name) => segments[name]! });
}

export const tableOf = (...passages: Passage[]): IdentifierTable => tableWith({}, ...passages);

/** What a text names, and whether the table has it. */
export const found = (table: IdentifierTable, text: string): [string, boolean][] =>
  table.extract(text).map(({ id }) => [id, table.has(id)]);
