/** What somebody wants changed, before it is a ticket. */
import type { Ticket } from './ticket.ts';

export interface Proposal {
  /** What is so, in a sentence. */
  claim: string;
  /** Documents with their new text: ids as in the index, which say by their end how they are read. */
  put?: readonly { id: string; bytes: Uint8Array }[];
  remove?: readonly string[];
  /** Files that bear the claim out. */
  proof?: readonly { name: string; bytes: Uint8Array }[];
  /** Documents that a claim is about for which no text is proposed yet. */
  about?: readonly string[];
  from?: Ticket['from'];
  validFrom?: Date | null;
  validTo?: Date | null;
  /** Default in 90 days. */
  expires?: Date;
}

/** What a person proposes is a handful of documents: more is a matter for `pragaura index`. */
export const PROPOSAL_BOUNDS = { files: 50, bytes: 32 * 1024 * 1024, claim: 2000, days: 90 } as const;

/** Why something cannot be proposed; null where it can. */
export function problemOf(
  { claim, put = [], remove = [], proof = [], validFrom, validTo, expires }: Proposal,
  now: Date,
): string | null {
  const { files, bytes, claim: chars } = PROPOSAL_BOUNDS;
  if (claim === '') return 'What is so? A ticket says it in a sentence.';
  if (claim.length > chars) return `A claim has ${chars} characters at most.`;
  if (put.length + remove.length + proof.length > files) return `A ticket has ${files} files at most.`;
  const empty = [...put.map(({ id, bytes: of }) => ({ name: id, bytes: of })), ...proof].find(
    (file) => file.bytes.byteLength === 0 || file.bytes.byteLength > bytes,
  );
  if (empty !== undefined) {
    const why = empty.bytes.byteLength === 0 ? 'is empty' : `has more than ${bytes / 1024 / 1024} MiB`;
    return `${empty.name} ${why}.`;
  }
  if (remove.some((id) => put.some((file) => file.id === id)))
    return 'A document is to be put and to be taken out.';
  if (new Set(remove).size < remove.length) return 'A document is to be taken out twice.';
  if (validTo && validFrom && validTo <= validFrom) return 'It would end before it begins.';
  if (validTo && validTo <= now) return 'It would be valid no longer.';
  if (expires && expires <= now) return 'The ticket would have expired already.';
  return null;
}
