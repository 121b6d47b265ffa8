/** Ids under which callers put documents: as those that `pragaura index` makes of files, and nothing that a path could take for more. */
import path from 'node:path';
import { PragauraError } from '../common/index.ts';
import { DOCUMENT_ENDINGS } from './readers/walk.ts';

const MAX_PART = 200;
const MAX_ID = 512;

/** Throws INVALID_INPUT for what cannot be the id of a document that is put. */
export function checkedId(id: string): string {
  const wrong = problemOf(id);
  if (wrong === null) return id;
  throw new PragauraError('INVALID_INPUT', `A document cannot be called ${JSON.stringify(id)}: ${wrong}.`, {
    hint: `For example handbook/leave.md; how it ends says how it is read: ${DOCUMENT_ENDINGS.join(', ')}.`,
  });
}

function problemOf(id: string): string | null {
  if (Buffer.byteLength(id) > MAX_ID) return `it has more than ${MAX_ID} bytes`;
  if (/[\p{Cc}\p{Cs}\\]/u.test(id)) return 'it holds a control character or a backslash';
  for (const part of id.split('/')) {
    if (part === '') return 'a part of it is empty';
    // Hidden files and node_modules are passed over when folders are read.
    if (part.startsWith('.') || part === 'node_modules') return `a part of it is ${JSON.stringify(part)}`;
    if (Buffer.byteLength(part) > MAX_PART) return `a part of it has more than ${MAX_PART} bytes`;
  }
  return DOCUMENT_ENDINGS.includes(path.extname(id).toLowerCase())
    ? null
    : 'its end names no kind of document';
}

/** Throws INVALID_INPUT where one of these ids would have to be a folder for another, or comes twice. */
export function checkedTogether(ids: readonly string[]): void {
  const all = new Set(ids);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  const above = ids.find((id) =>
    id.split('/').some((_, i, parts) => i > 0 && all.has(parts.slice(0, i).join('/'))),
  );
  if (twice === undefined && above === undefined) return;
  throw new PragauraError(
    'INVALID_INPUT',
    twice === undefined ? `${above} lies below another document of the request.` : `${twice} comes twice.`,
  );
}
