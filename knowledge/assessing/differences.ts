/** Old and new text of every document of a ticket. */
import { type CorpusIndex, readPassages } from '../../corpus/index.ts';
import { withFiles } from '../tickets/files.ts';
import type { TicketStore } from '../tickets/store.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { type Difference, differenceOf } from './difference.ts';

/** Against an index that is open. Throws TICKETS_UNUSABLE. */
export async function differencesOf(
  store: TicketStore,
  { put, remove }: Pick<Ticket, 'put' | 'remove'>,
  now: Pick<CorpusIndex, 'documents' | 'passages'>,
): Promise<Difference[]> {
  const entries = new Map(now.documents.map((document) => [document.docId, document]));
  const passagesIn = (docId: string) => {
    const entry = entries.get(docId);
    return entry === undefined ? [] : now.passages.slice(entry.first, entry.first + entry.passages);
  };
  const { documents } = await withFiles(store, put, (paths) =>
    readPassages(paths, (text) => text.split(/\s+/).length),
  );
  const read = new Map(documents.map(({ docId, passages }) => [docId, passages]));
  return [
    ...put.map(({ name }) => differenceOf(name, passagesIn(name), read.get(name) ?? [])),
    ...remove.map((id) => differenceOf(id, passagesIn(id), [])),
  ];
}
