/** OpenAI's chat completions. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { z } from 'zod';
import type { Serving } from '../app.ts';
import { EventStream } from '../events.ts';
import { send, untilGone } from '../requests.ts';
import { answerChat } from './answer.ts';
import type { ChatBody, Generated } from './contracts.ts';
import { errorOf, usageOf } from './told.ts';

export async function completeChat(
  serving: Serving,
  request: FastifyRequest,
  reply: FastifyReply,
  body: z.output<typeof ChatBody>,
): Promise<void> {
  const { model, messages } = body;
  const chat = { model, turns: messages, signal: untilGone(reply) };
  const head = { id: `chatcmpl-${request.id}`, created: Math.floor(Date.now() / 1000), model };
  if (body.stream === true) return streamed(serving, request, reply, { body, chat, head });
  let content = '';
  const pragaura = await answerChat(serving, request, chat, (piece) => {
    content += piece;
  });
  const completion: ChatCompletion & { pragaura: Generated } = {
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: null },
        logprobs: null,
        finish_reason: endingOf(pragaura),
      },
    ],
    usage: usageOf(pragaura),
    pragaura,
  };
  send(reply, completion);
}

async function streamed(
  serving: Serving,
  request: FastifyRequest,
  reply: FastifyReply,
  {
    body,
    chat,
    head,
  }: {
    body: z.output<typeof ChatBody>;
    chat: Parameters<typeof answerChat>[2];
    head: Pick<ChatCompletionChunk, 'id' | 'created' | 'model'>;
  },
): Promise<void> {
  const events = new EventStream(reply);
  const chunk = (
    delta: ChatCompletionChunk.Choice.Delta,
    ending: ChatCompletionChunk.Choice['finish_reason'] = null,
    also: { pragaura?: Generated } = {},
  ) => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: ending }];
    const sent: ChatCompletionChunk = { ...head, object: 'chat.completion.chunk', choices, ...also };
    events.send(sent);
  };
  try {
    const pragaura = await answerChat(serving, request, chat, (content) => {
      if (!events.begun) chunk({ role: 'assistant', content: '' });
      if (content !== '') chunk({ content });
    });
    chunk({}, endingOf(pragaura), { pragaura });
    if (body.stream_options?.include_usage === true) {
      events.send({ ...head, object: 'chat.completion.chunk', choices: [], usage: usageOf(pragaura) });
    }
    events.end('[DONE]');
  } catch (error) {
    if (!events.begun) throw error;
    events.send({ error: errorOf(serving, error, request) });
    events.end();
  }
}

/** Cut off by the limit on what a language model may generate, or whole. */
function endingOf({ generation }: Generated): 'stop' | 'length' {
  return generation?.status === 'partial' && generation.reason === 'CUT' ? 'length' : 'stop';
}
