/** What `verify` reads and what it says: declared once, as schemas. */
import { z } from 'zod';
import { ACTS } from '../profiles/index.ts';
import { FAULTS } from './faults.ts';

/** UTF-16 units of an answer, of all passages of a record, and how many passages there may be. */
export const LIMITS = { answer: 200_000, passages: 4_000_000, count: 1_000 } as const;

const text = z.string().max(LIMITS.passages);
const Passage = z.union([
  text.transform((passage) => ({ text: passage })),
  z.strictObject({ text, title: z.string().max(10_000).optional() }),
]);

/** An answer to verify. `passages`: what it leans on, cited by number from 1; none means that nothing is borne out. */
export const AnswerToVerify = z
  .strictObject({
    id: z.string().min(1).max(512),
    answer: z.string().max(LIMITS.answer),
    passages: z.array(Passage).max(LIMITS.count),
    question: z.string().max(LIMITS.answer).optional(),
    /** Of the question: whose threshold of a factuality calibration it is held to; left out: that of all acts. */
    act: z.enum(ACTS).optional(),
  })
  .refine(
    ({ passages }) => passages.reduce((sum, passage) => sum + passage.text.length, 0) <= LIMITS.passages,
    { path: ['passages'], message: `all passages together have at most ${LIMITS.passages} characters` },
  );

/**
 * `supported`: a passage bears out every claim of it; `contradicted`: a passage says otherwise; `unsupported`: neither;
 * `unverifiable`: it claims nothing that a passage could bear out.
 */
export const SENTENCE_LABELS = ['supported', 'unsupported', 'contradicted', 'unverifiable'] as const;
export type SentenceLabel = (typeof SENTENCE_LABELS)[number];

const unit = z.number().min(0).max(1);
const offset = z.number().int().min(0);

/** A stretch of a passage (numbered from 1) that bears a sentence out, or says otherwise: UTF-16 offsets into its text. */
const Quote = z.strictObject({ passage: z.number().int().min(1), start: offset, end: offset });

export const VerifiedSentence = z.strictObject({
  /** UTF-16 offsets into the answer, marks of citation included. */
  start: offset,
  end: offset,
  label: z.enum(SENTENCE_LABELS),
  /** Entailment of its weakest claim by the stretch that entails it most; null where nothing was compared, never 0. */
  score: unit.nullable(),
  /** Contradiction of the claim that is contradicted most; null as above. */
  contradiction: unit.nullable(),
  /** What its label was decided by, see `supportOf`; null where it claims nothing. */
  support: unit.nullable(),
  /** As they are written in the sentence. */
  citations: z.array(z.number().int().min(0)),
  /** One a claim that is borne out or contradicted. */
  quotes: z.array(Quote),
  faults: z.array(z.strictObject({ fault: z.enum(FAULTS), text: z.string() })),
});
export type VerifiedSentence = z.infer<typeof VerifiedSentence>;

/** What is promised of the sentences that are called supported, by a calibration made for it. */
export const FactualityGuarantee = z.strictObject({
  status: z.enum(['CALIBRATED', 'NOT_CALIBRATED']),
  /** Most probability that a sentence which is kept is not borne out, as it was written, such as "0.1". */
  level: z.string(),
  act: z.enum(ACTS).nullable(),
  /** Kept is what has more support; null: nothing is kept. */
  threshold: unit.nullable(),
  /** The promise in words, or why there is none. */
  sentence: z.string(),
});

export const Verification = z.strictObject({
  schema: z.literal('pragaura.verification/2'),
  sentences: z.array(VerifiedSentence),
  counts: z.record(z.enum(SENTENCE_LABELS), z.number().int().min(0)),
  /** Pairs of a premise and a claim that the entailment model judged, and word pieces that it did not see. */
  nliPairs: z.number().int().min(0),
  truncatedTokens: z.number().int().min(0),
  /** Null where no factuality calibration was given: nothing is promised then. */
  guarantee: FactualityGuarantee.nullable(),
});
export type Verification = z.infer<typeof Verification>;
