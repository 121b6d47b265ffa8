/** A ticket: what somebody wants changed in the documents, why, and everything that became of it. */
import { z } from 'zod';
import { Actor } from '../../governance/index.ts';
import { STATES, STEPS } from './states.ts';

const at = z.iso.datetime();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** Documents, by their id in the index; `hash` of the content, null where there is none. */
const Document = z.strictObject({ id: z.string().min(1), hash: z.string().nullable() });
export type DocumentState = z.infer<typeof Document>;

/** A file that came with the ticket, kept by the hash of its bytes. */
const TicketFile = z.strictObject({ name: z.string().min(1), sha256, bytes: z.number().int().min(0) });
export type TicketFile = z.infer<typeof TicketFile>;

/** What a decision came to, as far as readers see it. */
const Outcome = z.strictObject({
  action: z.string(),
  quotes: z.array(z.strictObject({ docId: z.string(), text: z.string() })),
});
export type Outcome = z.infer<typeof Outcome>;

/** Of documents that are records of a file, that file, by their id: what may be done to one may depend on the other. */
const Files = z.record(z.string(), z.string()).default({});
export type Files = z.infer<typeof Files>;

const ChangedDecision = z.strictObject({
  id: z.string(),
  query: z.string(),
  before: Outcome,
  after: Outcome,
});
export type ChangedDecision = z.infer<typeof ChangedDecision>;

const Contradiction = z.strictObject({
  /** Of the new text, or the claim itself. */
  sentence: z.string(),
  docId: z.string(),
  passageId: z.string(),
  text: z.string(),
  /** Probability, from 0 to 1. */
  contradiction: z.number().min(0).max(1),
});
export type Contradiction = z.infer<typeof Contradiction>;

const share = z.number().min(0).max(1);

/** What was measured of a change before people decide on it. It decides nothing. */
const Assessment = z.strictObject({
  at,
  by: z.string(),
  /** Hash of the index that it was measured against. */
  index: z.string(),
  trust: z.strictObject({
    /** `entailment * acceptance * provenance`; null without a proof that can be read. */
    score: share.nullable(),
    /** Of the claim by the best passage of the proof. */
    entailment: share.nullable(),
    /** Of what the proposer proposed and was decided on, the share that was implemented: (n + 1) / (all + 2). */
    acceptance: share,
    /** 1: a verified token; .5: the person at the machine; .25: nobody in particular. */
    provenance: share,
    /** Proofs that were not read, and why. */
    unread: z.array(z.string()),
  }),
  contradictions: z.strictObject({
    /** Cosine from which on a sentence and a passage are a pair. */
    bound: z.number(),
    /** By document, for not everybody may read each: pairs of that cosine and more, and those of them that were judged. */
    compared: z.array(
      z.strictObject({ docId: z.string(), pairs: z.number().int(), scored: z.number().int() }),
    ),
    /** Sentences of the new text that were not looked at, for there are too many. */
    sentencesLeftOut: z.number().int(),
    found: z.array(Contradiction),
  }),
  /** Passages of the index that go, and that come. */
  chunks: z.strictObject({ gone: z.number().int(), come: z.number().int() }),
  replayed: z.number().int(),
  changed: z.array(ChangedDecision),
  /** Of the documents that are named here. */
  files: Files,
  /** What would keep it from being applied as it stands. */
  problems: z.array(z.string()),
});
export type Assessment = z.infer<typeof Assessment>;

/** Passages that come and go with a change, by `passageHash`. */
const passages = { come: z.array(sha256).default([]), gone: z.array(sha256).default([]) };

export const Ticket = z.strictObject({
  schema: z.literal('pragaura.ticket/1'),
  id: z.number().int().min(1),
  /** How often it was changed: each change is of the version that was looked at, or is none. */
  version: z.number().int().min(1),
  state: z.enum(STATES),
  /** What is so, in a sentence. */
  claim: z.string(),
  proposer: Actor,
  /** `conversation`: somebody said so, and agreed to its being proposed. */
  from: z.enum(['proposal', 'conversation']),
  /** Documents that it is about, where no text is proposed yet. */
  about: z.array(z.string()),
  put: z.array(TicketFile),
  remove: z.array(z.string()),
  proof: z.array(TicketFile),
  /** Of the documents that it touches. */
  files: Files,
  /** Of the documents that are put and removed, what the index had when it was proposed. */
  base: z.array(Document),
  /** Embargo: nothing of it is in the index before. */
  validFrom: at.nullable(),
  /** What it put is taken out again then. */
  validTo: at.nullable(),
  created: at,
  /** An open ticket is none any more from then on. */
  expires: at,
  approvals: z.array(z.strictObject({ by: Actor, at, because: z.string() })),
  rejected: z.strictObject({ by: Actor, at, because: z.string() }).nullable(),
  assessment: Assessment.nullable(),
  /** The generation under way, and the hash of the index that it was made on. */
  staged: z
    .strictObject({ generation: z.string(), hash: z.string(), base: z.string(), ...passages })
    .nullable(),
  implemented: z
    .strictObject({
      at,
      /** Hash of the index that it led to, and of the one before. */
      index: z.string(),
      base: z.string(),
      documents: z.array(Document),
      ...passages,
      /** When what it put was taken out for being no longer valid. */
      ended: at.nullable(),
    })
    .nullable(),
  /** Why it could not be applied, the last time. */
  trouble: z.string().nullable(),
  history: z.array(
    z.strictObject({ version: z.number().int(), step: z.enum(['propose', ...STEPS]), at, by: Actor }),
  ),
});
export type Ticket = z.infer<typeof Ticket>;

/** Everything that a ticket touches: what it changes, or what it is about where it changes nothing yet. */
export function touched({ put, remove, about }: Pick<Ticket, 'put' | 'remove' | 'about'>): string[] {
  const changed = [...put.map(({ name }) => name), ...remove];
  return changed.length > 0 ? changed : [...about];
}
