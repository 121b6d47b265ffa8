/** A turn of a chat: decided first, and worded by a language model where there is one and an answer. */
import type { FastifyRequest } from 'fastify';
import { type Generation, isWorded } from '../../generation/index.ts';
import type { Decision } from '../../router/index.ts';
import type { Serving } from '../app.ts';
import type { Service } from '../service.ts';
import { queryOf, shownText, wordedTurn } from '../turns.ts';
import type { Generated, Message } from './contracts.ts';

/** A model's name that stands for the only collection. */
const ANY_MODEL = 'pragaura';

export interface Chat {
  model: string;
  turns: readonly Pick<Message, 'role' | 'content'>[];
  signal: AbortSignal;
}

/**
 * Decides the last turn, and hands `tell` the pieces of what is shown as they come. Throws INVALID_INPUT where the last
 * turn is no user's, and as `Service.decide`; what fails at the language model is on the record and leaves the quotes.
 */
export async function answerChat(
  { service, writer }: Serving,
  { caller, id }: Pick<FastifyRequest, 'caller' | 'id'>,
  { model, turns, signal }: Chat,
  tell: (piece: string) => void,
): Promise<Generated> {
  const query = queryOf(id, turns);
  const collections = service.collections.names(caller);
  const collection = model === ANY_MODEL && !collections.includes(model) ? undefined : model;
  const { decision } = await service.decide(caller, collection, query, { signal });
  const record = { schema: 'pragaura.generated/1' as const, id, decision };
  if (writer === null || !isWorded(decision, writer)) {
    tell(shownText(decision));
    return { ...record, generation: null };
  }
  const all = AbortSignal.any([signal, service.stopped]);
  // A place of its own: an endpoint that hangs keeps nobody from a decision.
  const generation = await writer.gate.run(caller, all, () => worded(service, writer, decision, all, tell));
  return { ...record, generation };
}

async function worded(
  { scorers, factuality, log }: Service,
  { generator, budget, prices, lowBand }: NonNullable<Serving['writer']>,
  decision: Decision,
  signal: AbortSignal,
  tell: (piece: string) => void,
): Promise<Generation> {
  const pieces = wordedTurn(decision, { generator, scorers, factuality, budget, prices, lowBand, signal });
  let next = await pieces.next();
  for (; !next.done; next = await pieces.next()) tell(next.value);
  const { failure: fault, ...rest } = next.value;
  if (fault !== null) log.warn('generator.failed', { code: fault.code, hint: fault.hint });
  // Where the endpoint is, and what it said, is no matter of the caller's.
  const failure =
    fault === null ? null : { code: fault.code, message: 'The language model does not answer.' };
  return { ...rest, failure };
}
