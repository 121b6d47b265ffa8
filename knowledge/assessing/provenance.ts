/** Every passage of a document that is, was or is to be: where it comes from, when it holds, and how it stands. */
import { generationsOf, openIndex, type Passage, readPassages } from '../../corpus/index.ts';
import { passageHash } from '../applying/verification.ts';
import { withFiles } from '../tickets/files.ts';
import { after, STATES, STEPS } from '../tickets/states.ts';
import type { TicketStore } from '../tickets/store.ts';
import { type Ticket, touched } from '../tickets/ticket.ts';

/**
 * `active`: it is in the index. `proposed`: somebody wants it there. `embargoed`: it is approved, and will be there from a moment on.
 * `withdrawn`: it was proposed, or was there, and was taken back, rejected, or is valid no longer. `deprecated`: something else stands
 * in its place, and a generation that is kept still has it. `erased`: so, and none has it.
 */
export const PASSAGE_STATUSES = [
  'active',
  'proposed',
  'embargoed',
  'withdrawn',
  'deprecated',
  'erased',
] as const;
type PassageStatus = (typeof PASSAGE_STATUSES)[number];

export interface PassageProvenance {
  /** SHA-256 of document and words. */
  hash: string;
  status: PassageStatus;
  /** Null where nothing has its words any more. */
  text: string | null;
  /** The file, or record of a file, that it stands in; null where it stands in none that is kept. */
  source: string | null;
  /** Of the ticket that brought it, or would; null for what was indexed without one. */
  ticket: number | null;
  proposer: string | null;
  approvedBy: string[];
  validFrom: string | null;
  validTo: string | null;
  /** Those that are kept and have it, the current one first. */
  generations: string[];
}

/** `tickets`: those that touch the document, the oldest first. In the order of the statuses. Throws INDEX_UNUSABLE, TICKETS_UNUSABLE. */
export async function provenanceOf(
  index: string,
  store: Pick<TicketStore, 'bytesOf'>,
  docId: string,
  tickets: readonly Ticket[],
): Promise<PassageProvenance[]> {
  const standing = new Map<string, { passage: Passage; generations: string[] }>();
  let words = '';
  const kept = generationsOf(index);
  for (const { generation, current } of kept) {
    const { documents, passages } = await openIndex(index, generation);
    const entry = documents.find((document) => document.docId === docId);
    const own = entry === undefined ? [] : passages.slice(entry.first, entry.first + entry.passages);
    if (current) words = own.map(({ text }) => plain(text)).join(' ');
    for (const passage of own) {
      const known = standing.get(passageHash(passage)) ?? { passage, generations: [] };
      known.generations.push(generation);
      standing.set(passageHash(passage), known);
    }
  }
  const all = new Map<string, PassageProvenance>();
  const add = (hash: string, status: PassageStatus, text: string | null, ticket: Ticket | null) => {
    const there = standing.get(hash);
    all.set(hash, {
      ...{ hash, status, text: there?.passage.text ?? text, source: there?.passage.source ?? null },
      ticket: ticket?.id ?? null,
      proposer: ticket?.proposer.id ?? null,
      approvedBy: ticket?.approvals.map(({ by }) => by.id) ?? [],
      ...{ validFrom: ticket?.validFrom ?? null, validTo: ticket?.validTo ?? null },
      generations: there?.generations ?? [],
    });
  };
  const current = kept.find((each) => each.current)!.generation;
  const isActive = (hash: string) => standing.get(hash)?.generations.includes(current) ?? false;
  for (const [hash] of standing) add(hash, isActive(hash) ? 'active' : 'deprecated', null, null);
  for (const ticket of tickets) {
    const proposed = await proposedBy(ticket, docId, store);
    if (ticket.implemented === null) {
      for (const [hash, text] of proposed) {
        if (!isActive(hash) && !isSaid(text, words)) add(hash, statusBy(ticket, false), text, ticket);
      }
      continue;
    }
    const { come, gone } = ticket.implemented;
    const alone = touched(ticket).length === 1;
    for (const hash of gone) if (alone && !all.has(hash)) add(hash, 'erased', null, null);
    for (const hash of come) {
      if (!alone && !standing.has(hash) && !proposed.has(hash)) continue;
      const status = isActive(hash) ? 'active' : statusBy(ticket, standing.has(hash));
      add(hash, status, proposed.get(hash) ?? null, ticket);
    }
  }
  return [...all.values()].sort(
    (a, b) => PASSAGE_STATUSES.indexOf(a.status) - PASSAGE_STATUSES.indexOf(b.status),
  );
}

/** States that nothing leads out of. */
const OVER = STATES.filter((state) => STEPS.every((step) => after(state, step) === null));

/** Of what a ticket brought, or would, and is not in the index. */
function statusBy({ state, implemented }: Ticket, isKept: boolean): PassageStatus {
  if (state === 'ROLLED_BACK' || (implemented !== null && implemented.ended !== null)) return 'withdrawn';
  if (implemented !== null) return isKept ? 'deprecated' : 'erased';
  if (state === 'SCHEDULED') return 'embargoed';
  return OVER.includes(state) ? 'withdrawn' : 'proposed';
}

/** The passages that a ticket's text of a document has, by their hash. */
async function proposedBy(
  { put }: Ticket,
  docId: string,
  store: Pick<TicketStore, 'bytesOf'>,
): Promise<Map<string, string>> {
  const files = put.filter(({ name }) => name === docId);
  if (files.length === 0) return new Map();
  const { documents } = await withFiles(store, files, (paths) =>
    readPassages(paths, (text) => text.split(/\s+/).length),
  );
  return new Map(documents.flatMap(({ passages }) => passages.map((each) => [passageHash(each), each.text])));
}

/** Passages end elsewhere where their words are counted otherwise: what the document says already is not new. */
function isSaid(text: string, words: string): boolean {
  return words.includes(plain(text));
}

const plain = (text: string) => text.replace(/\s+/g, ' ').trim();
