/** What a log says became of an index, and whether the index is that. */
import { z } from 'zod';
import type { Entry } from './entry.ts';

const Documents = z.array(z.object({ id: z.string(), hash: z.string().nullable() }));
const Implemented = z.object({
  implemented: z.object({ base: z.string(), index: z.string(), documents: Documents }),
});
const Moved = z.object({ from: z.string(), to: z.string() });
const Indexed = z.object({ index: z.string() });

/** One turn of an index. `from`: hash of the index before, null where the event does not say. */
export interface IndexChange {
  seq: number;
  kind: string;
  /** Number of the ticket, name of the generation, or id of the job. */
  about: string;
  from: string | null;
  to: string;
  documents: z.infer<typeof Documents>;
}

/** Null for an event that changed no index. */
export function indexChange({ seq, event }: Entry & { type: 'event' }): IndexChange | null {
  const { kind, about, detail } = event;
  const said = { seq, kind, about, documents: [] };
  if (kind === 'ticket.implement') {
    const { implemented } = Implemented.parse(detail);
    return { ...said, from: implemented.base, to: implemented.index, documents: implemented.documents };
  }
  if (kind === 'generation.current') return { ...said, ...Moved.parse(detail) };
  if (kind === 'documents.indexed') return { ...said, from: null, to: Indexed.parse(detail).index };
  return null;
}

export interface ReplayReport {
  schema: 'pragaura.audit-replay/1';
  /** `as logged`: the index is what the last change on the log made it, and so are the documents of tickets. */
  verdict: 'as logged' | 'otherwise' | 'nothing logged';
  changes: number;
  /** Hash of the index that the log ends with, and of the one that is there. */
  logged: string | null;
  found: string;
  /** Changes before which the index was changed by something that is not on the log; by their number on it. */
  gaps: number[];
  /** Documents of tickets that are not as the log says: `logged` and `found` are hashes of their content, null where there is none. */
  documents: { id: string; ticket: string; logged: string | null; found: string | null }[];
}

/** Plays the changes of a log, oldest first, and compares. `index`: hash and documents of the one that is there. */
export function replayChanges(
  changes: readonly IndexChange[],
  index: { hash: string; documents: readonly { docId: string; hash: string }[] },
): ReplayReport {
  const gaps: number[] = [];
  // By hash of the index: what tickets had made of its documents.
  const known = new Map<string, Map<string, { ticket: string; hash: string | null }>>();
  let last: string | null = null;
  for (const { seq, kind, about, from, to, documents } of changes) {
    // What is said twice, for it was killed before it could be noted elsewhere, is one change.
    const again = to === last;
    if (from !== null && last !== null && from !== last && !again) gaps.push(seq);
    const before = kind === 'generation.current' ? known.get(to) : known.get(from ?? last ?? '');
    const now = new Map(before);
    for (const { id, hash } of documents) now.set(id, { ticket: about, hash });
    known.set(to, now);
    last = to;
  }
  const there = new Map(index.documents.map(({ docId, hash }) => [docId, hash]));
  const expected = [...(known.get(last ?? '') ?? [])].map(([id, { ticket, hash }]) => ({
    id,
    ticket,
    logged: hash,
    found: there.get(id) ?? null,
  }));
  const documents = expected.filter(({ logged, found }) => logged !== found);
  const same = last === index.hash && documents.length === 0;
  return {
    schema: 'pragaura.audit-replay/1',
    verdict: last === null ? 'nothing logged' : same ? 'as logged' : 'otherwise',
    changes: changes.length,
    logged: last,
    found: index.hash,
    gaps,
    documents,
  };
}
