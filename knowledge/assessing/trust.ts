/** How far a ticket is to be trusted, as a figure to look at and no reason to approve. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Passage, readPassages } from '../../corpus/index.ts';
import type { Actor } from '../../governance/index.ts';
import { addressesMachine } from '../../router/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import type { Assessment, Ticket } from '../tickets/ticket.ts';

const PROVENANCE: Record<Actor['via'], number> = { token: 1, local: 0.5, none: 0.25 };
/** Passages of proof that are held against the claim, the first: a proof is a letter and no library. */
const MOST_PASSAGES = 200;

/** What was said of the proofs: their passages, and which were not read. */
export interface Proof {
  passages: Passage[];
  unread: string[];
}

/** Reads proofs as documents are read. What gives orders to a machine is none, and is said. */
export async function readProof(
  files: readonly { name: string; bytes: Uint8Array }[],
  countTokens: (text: string) => number,
): Promise<Proof> {
  const folder = await mkdtemp(path.join(tmpdir(), 'pragaura-proof-'));
  try {
    const proof: Proof = { passages: [], unread: [] };
    for (const [i, { name, bytes }] of files.entries()) {
      // Each in a folder of its own, under a name that cannot be a path.
      const file = path.join(folder, String(i), `proof${path.extname(name).toLowerCase()}`);
      await mkdir(path.dirname(file));
      await writeFile(file, bytes);
      const { documents, failures } = await readPassages([path.dirname(file)], countTokens);
      const passages = documents.flatMap((document) => document.passages);
      const plain = passages.filter(({ text }) => addressesMachine(text) === null);
      if (plain.length < passages.length) proof.unread.push(`${name}: gives orders to a machine`);
      else if (plain.length === 0)
        proof.unread.push(`${name}: ${failures[0]?.reason ?? 'is no kind of document that is read'}`);
      proof.passages.push(...plain);
    }
    return proof;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * trust = Pr(proof entails claim) * acceptance * provenance, with acceptance by Laplace's rule of succession. Null without a
 * proof that was read: what was not measured is no figure.
 */
export async function trustOf(
  { claim, proposer, proof: files }: Pick<Ticket, 'claim' | 'proposer' | 'proof'>,
  earlier: readonly Pick<Ticket, 'state'>[],
  proof: Proof,
  scorers: Pick<Scorers, 'nli'>,
): Promise<Assessment['trust']> {
  const looked = files.length === 0 ? [] : proof.passages.slice(0, MOST_PASSAGES);
  const judged = await scorers.nli(looked.map(({ text }) => ({ premise: text, hypothesis: claim })));
  const entailment = judged.length === 0 ? null : Math.max(...judged.map((each) => each.entailment));
  const decided = earlier.filter(({ state }) => ['IMPLEMENTED', 'REJECTED', 'ROLLED_BACK'].includes(state));
  const accepted = decided.filter(({ state }) => state === 'IMPLEMENTED').length;
  const acceptance = (accepted + 1) / (decided.length + 2);
  const provenance = PROVENANCE[proposer.via];
  return {
    score: entailment === null ? null : entailment * acceptance * provenance,
    entailment,
    acceptance,
    provenance,
    unread: proof.unread,
  };
}
