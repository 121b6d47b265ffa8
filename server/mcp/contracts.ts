/** What the tools take and give: parts of the records that other rooms declare. */
import { z } from 'zod';
import { Passage } from '../../corpus/index.ts';
import { AnswerToVerify, Verification } from '../../generation/index.ts';
import { Decision, Query } from '../../router/index.ts';

const collection = z
  .string()
  .max(64)
  .optional()
  .describe('Name of a collection; needed only where there are several');

export const AskInput = z.strictObject({
  question: Query.shape.query.describe('The question, in the words of the user'),
  history: Query.shape.history.describe(
    'Turns before the question, oldest first; questions back word for word',
  ),
  collection,
});

const Source = Passage.pick({
  docId: true,
  passageId: true,
  title: true,
  source: true,
  position: true,
}).extend({
  uri: z.string(),
});

export const AskOutput = Decision.pick({
  action: true,
  answer: true,
  parts: true,
  clarification: true,
  abstention: true,
  caveats: true,
  guarantee: true,
}).extend({
  /** The documents behind the quotes, or what came closest; each can be read as a resource. */
  sources: z.array(Source),
});

export const SearchInput = z.strictObject({
  query: Query.shape.query.describe('What to look for'),
  k: z.number().int().min(1).max(50).default(5).describe('Passages at most'),
  collection,
});

export const SearchOutput = z.strictObject({
  hits: z.array(Source.extend({ text: z.string(), score: z.number() })),
});

const { id: _, ...toVerify } = AnswerToVerify.shape;

export const VerifyInput = z.strictObject(toVerify);

export const VerifyOutput = Verification;
