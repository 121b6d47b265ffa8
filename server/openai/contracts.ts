/** What is read of the requests of OpenAI's clients, and the field in which the decision is told. */
import { z } from 'zod';
import { Generation } from '../../generation/index.ts';
import { Decision } from '../../router/index.ts';

const Part = z.looseObject({ type: z.enum(['text', 'input_text', 'output_text']), text: z.string() });
const content = z.union([z.string(), z.array(Part)], { error: 'only text is taken here' });
const model = z.string().max(64).describe('Name of a collection, or "pragaura" where there is only one');
const stream = z.boolean().nullish();
const plainText = z.looseObject({
  type: z.literal('text', { error: 'answers are quotes, in no other format than text' }),
});

/** Turns of users and assistants are the conversation; what else there is changes no decision and is passed over. */
const Message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: content.nullish(),
});
export type Message = z.infer<typeof Message>;

export const ChatBody = z.looseObject({
  model,
  messages: z.array(Message).min(1),
  stream,
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.literal(1, { error: 'there is one answer' }).nullish(),
  response_format: plainText.nullish(),
});

const Item = z.looseObject({
  type: z.string().default('message'),
  role: z.enum(['system', 'developer', 'user', 'assistant']).optional(),
  content: content.nullish(),
});
export type Item = z.infer<typeof Item>;

export const ResponseBody = z.looseObject({
  model,
  input: z.union([z.string(), z.array(Item).min(1)]),
  stream,
  previous_response_id: z
    .string()
    .nullish()
    // Not `z.null()`: some generators of clients know no field that is nothing else.
    .refine((id) => id == null, 'nothing is kept here: send the turns before the question as "input"'),
  text: z.looseObject({ format: plainText.nullish() }).nullish(),
});

/** As `pragaura generate` writes it; `generation` is null where no model was asked to word the answer. */
export const Generated = z.strictObject({
  schema: z.literal('pragaura.generated/1'),
  id: z.string(),
  decision: Decision,
  generation: Generation.nullable(),
});
export type Generated = z.infer<typeof Generated>;

/** An answer of OpenAI's own form, whose `pragaura` has the decision. */
export const WithDecision = z.looseObject({ pragaura: Generated });
