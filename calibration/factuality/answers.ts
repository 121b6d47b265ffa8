/** Labelled answers: read, and each sentence measured as `pragaura verify` does. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { PragauraError, recordParser } from '../../common/index.ts';
import { AnswerToVerify, type VerifyOptions, verifyAnswer } from '../../generation/index.ts';
import type { Act } from '../../profiles/index.ts';
import { badRecord, recordsIn } from '../labels/files.ts';
import type { Example } from '../types.ts';

const text = z.string().max(200_000);
const offset = z.number().int().min(0);

/**
 * An answer and which parts of it its passages do not bear out, as a person says: `unsupported` are stretches of `answer`
 * (UTF-16 offsets, none: all is borne out), or it is given claim by claim.
 */
export const LabelledAnswer = z
  .strictObject({
    ...AnswerToVerify.shape,
    answer: text.optional(),
    unsupported: z.array(z.strictObject({ start: offset, end: offset })).optional(),
    claims: z
      .array(z.strictObject({ text, supported: z.boolean() }))
      .min(1)
      .max(1_000)
      .optional(),
    /** The model that wrote it; named in all lines or in none. */
    model: z.string().min(1).max(512).optional(),
    /** What it is about and is never split: document, contract, topic. */
    group: z.string().min(1).optional(),
  })
  .refine(
    ({ answer, unsupported, claims }) =>
      claims === undefined
        ? answer !== undefined && unsupported !== undefined
        : answer === undefined && unsupported === undefined,
    { message: 'either "answer" with "unsupported", or "claims"' },
  )
  .refine(
    ({ answer = '', unsupported = [] }) =>
      unsupported.every(({ start, end }) => start < end && end <= answer.length),
    { path: ['unsupported'], message: 'start < end, and both within the answer' },
  );
export type LabelledAnswer = z.infer<typeof LabelledAnswer>;

export const ANSWERS_HINT =
  'One labelled answer a line: {"id"?, "answer", "unsupported": [{"start", "end"}…], "passages", "question"?, "act"?, "model"?, ' +
  '"group"}, or "claims": [{"text", "supported"}…] in the place of the first two.';

const parse = recordParser<LabelledAnswer>(LabelledAnswer as never, ANSWERS_HINT);

/**
 * The labelled answers of a file. Throws INVALID_INPUT naming file and line, for an id that stands there twice too, and
 * EMPTY_INPUT.
 */
export async function loadAnswers(file: string): Promise<LabelledAnswer[]> {
  const lines = new Map<string, number>();
  const answers: LabelledAnswer[] = [];
  for await (const { record, number } of recordsIn(file, parse, ANSWERS_HINT)) {
    const before = lines.get(record.id);
    if (before !== undefined) {
      throw badRecord(file, number, `the id ${JSON.stringify(record.id)} stands on line ${before} already.`);
    }
    lines.set(record.id, number);
    answers.push(record);
  }
  if (answers.length > 0) return answers;
  throw new PragauraError('EMPTY_INPUT', `${file} holds no labelled answer.`, { hint: ANSWERS_HINT });
}

/** An answer as what is divided: with its question (else its own words), its group, and its passages as documents. */
export function exampleOfAnswer({ id, question, group, passages, ...labelled }: LabelledAnswer): Example {
  const words = labelled.answer ?? labelled.claims!.map((claim) => claim.text).join(' ');
  return {
    id,
    query: question ?? words,
    passages: passages.map((passage) => createHash('sha256').update(passage.text).digest('hex')),
    ...(group === undefined ? { group: words || id, ungrouped: true as const } : { group }),
  };
}

/** What is measured of one answer: its sentences that claim something. */
export interface MeasuredAnswer {
  act: Act | null;
  /** What its document is called. */
  group: string;
  sentences: readonly { support: number; supported: boolean }[];
}

/** Throws as `verifyAnswer`. */
export async function measureAnswer(
  { answer, unsupported, claims, passages, question, act }: LabelledAnswer,
  group: string,
  options: Pick<VerifyOptions, 'scorers' | 'signal'>,
): Promise<MeasuredAnswer> {
  const verified = async (words: string, supportedAt: (start: number, end: number) => boolean) => {
    const { sentences } = await verifyAnswer({ answer: words, passages, question }, options);
    return sentences.flatMap(({ start, end, support }) =>
      support === null ? [] : [{ support, supported: supportedAt(start, end) }],
    );
  };
  const sentences =
    claims === undefined
      ? await verified(
          answer!,
          (start, end) => !unsupported!.some((stretch) => stretch.start < end && start < stretch.end),
        )
      : (await Promise.all(claims.map((claim) => verified(claim.text, () => claim.supported)))).flat();
  return { act: act ?? null, group, sentences };
}
