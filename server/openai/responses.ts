/** OpenAI's responses. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type {
  Response,
  ResponseOutputMessage,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import type { z } from 'zod';
import type { Serving } from '../app.ts';
import { EventStream } from '../events.ts';
import { send, untilGone } from '../requests.ts';
import { answerChat } from './answer.ts';
import type { Generated, ResponseBody } from './contracts.ts';
import { errorOf, usageOf } from './told.ts';

export async function respond(
  serving: Serving,
  request: FastifyRequest,
  reply: FastifyReply,
  { model, input, stream }: z.output<typeof ResponseBody>,
): Promise<void> {
  const items =
    typeof input === 'string' ? [{ type: 'message', role: 'user' as const, content: input }] : input;
  const turns = items.flatMap(({ type, role, content }) =>
    type === 'message' && role !== undefined ? [{ role, content }] : [],
  );
  const chat = { model, turns, signal: untilGone(reply) };
  const answer = new Answer(request.id, model);
  if (stream === true) return streamed(serving, request, reply, chat, answer);
  let text = '';
  const pragaura = await answerChat(serving, request, chat, (piece) => {
    text += piece;
  });
  send(reply, answer.whole(text, pragaura));
}

/** The parts of one response, which its events repeat. */
class Answer {
  readonly itemId: string;
  readonly #id: string;
  readonly #model: string;
  readonly #created = Math.floor(Date.now() / 1000);

  constructor(requestId: string, model: string) {
    this.#id = `resp_${requestId}`;
    this.itemId = `msg_${requestId}`;
    this.#model = model;
  }

  begun(): Response {
    return {
      id: this.#id,
      object: 'response',
      created_at: this.#created,
      status: 'in_progress',
      error: null,
      incomplete_details: null,
      instructions: null,
      metadata: null,
      model: this.#model,
      output: [],
      output_text: '',
      parallel_tool_calls: false,
      temperature: null,
      tool_choice: 'none',
      tools: [],
      top_p: null,
    };
  }

  item(status: 'in_progress' | 'completed', text: string | null): ResponseOutputMessage {
    const content = text === null ? [] : [this.part(text)];
    return { id: this.itemId, type: 'message', role: 'assistant', status, content };
  }

  part(text: string): { type: 'output_text'; text: string; annotations: [] } {
    return { type: 'output_text', text, annotations: [] };
  }

  whole(text: string, pragaura: Generated): Response & { pragaura: Generated } {
    const { prompt_tokens, completion_tokens, total_tokens } = usageOf(pragaura);
    return {
      ...this.begun(),
      status: 'completed',
      output: [this.item('completed', text)],
      output_text: text,
      usage: {
        input_tokens: prompt_tokens,
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens: completion_tokens,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens,
      },
      pragaura,
    };
  }
}

/** An event without its number. */
type Numberless<T> = T extends { sequence_number: number } ? Omit<T, 'sequence_number'> : never;

async function streamed(
  serving: Serving,
  request: FastifyRequest,
  reply: FastifyReply,
  chat: Parameters<typeof answerChat>[2],
  answer: Answer,
): Promise<void> {
  const events = new EventStream(reply);
  let sequence = 0;
  const tell = (event: Numberless<ResponseStreamEvent>) => {
    events.send({ ...event, sequence_number: sequence }, event.type);
    sequence += 1;
  };
  const at = { item_id: answer.itemId, output_index: 0, content_index: 0 };
  let text = '';
  try {
    const pragaura = await answerChat(serving, request, chat, (piece) => {
      if (!events.begun) {
        tell({ type: 'response.created', response: answer.begun() });
        tell({ type: 'response.in_progress', response: answer.begun() });
        tell({ type: 'response.output_item.added', output_index: 0, item: answer.item('in_progress', null) });
        tell({ type: 'response.content_part.added', ...at, part: answer.part('') });
      }
      text += piece;
      if (piece !== '') tell({ type: 'response.output_text.delta', ...at, delta: piece, logprobs: [] });
    });
    tell({ type: 'response.output_text.done', ...at, text, logprobs: [] });
    tell({ type: 'response.content_part.done', ...at, part: answer.part(text) });
    tell({ type: 'response.output_item.done', output_index: 0, item: answer.item('completed', text) });
    tell({ type: 'response.completed', response: answer.whole(text, pragaura) });
  } catch (error) {
    if (!events.begun) throw error;
    const { code, message } = errorOf(serving, error, request);
    tell({ type: 'error', code, message, param: null });
  }
  events.end();
}
