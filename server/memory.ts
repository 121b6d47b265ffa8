/** What is remembered of a caller, over HTTP: theirs to agree to, see, correct, take along and erase. */
import { z } from 'zod';
import { PragauraError } from '../common/index.ts';
import {
  MEMORY_BOUNDS,
  type Memory,
  MemoryEntry,
  MemoryRecord,
  type Principal,
} from '../governance/index.ts';
import type { App, Serving } from './app.ts';
import type { Caller } from './callers.ts';
import { gives, security, send } from './requests.ts';

const Erased = z.strictObject({ schema: z.literal('pragaura.erased/1'), erased: z.boolean() });
const Value = z.string().min(1).max(MEMORY_BOUNDS.value);
const ToRemember = z.strictObject({
  type: MemoryEntry.shape.type,
  name: z.string().min(1).max(MEMORY_BOUNDS.name),
  value: Value,
  /** Left out: a fact for a year, a summary for 30 days, a preference for good. */
  days: z.number().int().min(1).max(36_500).optional(),
});
const OfEntry = z.strictObject({ id: z.string().max(128) });

/** Adds their paths. */
export function addMemory(app: App, { service }: Serving): void {
  const config = { scope: 'decide' as const };
  /** Does something to what is remembered of the caller, once it is on the audit log that it will be. */
  async function using<T>(
    caller: Caller,
    verb: string,
    work: (memory: Memory, who: Principal) => T,
  ): Promise<T> {
    const { memory } = service;
    if (memory === null) {
      throw new PragauraError('NOT_FOUND', 'This server remembers nothing of anybody.', {
        hint: 'Start it with --memory DIR.',
      });
    }
    return work(memory, await service.personDoing(caller, `memory.${verb}`));
  }
  app.get(
    '/v1/memory',
    {
      config,
      schema: {
        operationId: 'getMemory',
        summary: 'All that is remembered of the caller, to see and to take along',
        security,
        response: gives(MemoryRecord, 'Since when, and what'),
      },
    },
    async (request, reply) => {
      const record = await using(request.caller, 'read', (memory, who) => memory.of(who));
      if (record !== null) return send(reply, record);
      throw new PragauraError('NOT_FOUND', 'Nothing is remembered of you.', {
        hint: 'PUT /v1/memory agrees to it.',
      });
    },
  );
  app.put(
    '/v1/memory',
    {
      config,
      schema: {
        operationId: 'agreeToMemory',
        summary: 'Agree to being remembered',
        security,
        response: gives(MemoryRecord, 'What is remembered: at first nothing'),
      },
    },
    async (request, reply) =>
      send(reply, await using(request.caller, 'consent', (memory, who) => memory.consent(who))),
  );
  app.delete(
    '/v1/memory',
    {
      config,
      schema: {
        operationId: 'eraseMemory',
        summary: 'Forget everything, what was kept of questions too, and destroy the key to it',
        security,
        response: gives(Erased, 'Whether anything was remembered'),
      },
    },
    async (request, reply) => {
      const erased = await using(request.caller, 'erase', (memory, who) => {
        service.queryLog?.erase(who);
        return memory.erase(who);
      });
      return send(reply, { schema: 'pragaura.erased/1', erased });
    },
  );
  app.post(
    '/v1/memory/entries',
    {
      config,
      schema: {
        operationId: 'remember',
        summary: 'Remember something: what "my NAME" means, or a preference',
        security,
        body: ToRemember,
        response: gives(MemoryEntry, 'What is remembered'),
      },
    },
    async (request, reply) => {
      const { days, ...what } = request.body;
      const own = { ...what, ...(days !== undefined && { days }) };
      return send(reply, await using(request.caller, 'remember', (memory, who) => memory.remember(who, own)));
    },
  );
  app.put(
    '/v1/memory/entries/:id',
    {
      config,
      schema: {
        operationId: 'correctMemory',
        summary: 'Another value for something that is remembered',
        security,
        params: OfEntry,
        body: z.strictObject({ value: Value }),
        response: gives(MemoryEntry, 'What is remembered now'),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { value } = request.body;
      return send(
        reply,
        await using(request.caller, 'correct', (memory, who) => memory.correct(who, id, value)),
      );
    },
  );
  app.delete(
    '/v1/memory/entries/:id',
    {
      config,
      schema: {
        operationId: 'forgetMemory',
        summary: 'Forget one thing',
        security,
        params: OfEntry,
        response: gives(Erased, 'That it was there'),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await using(request.caller, 'forget', (memory, who) => memory.forget(who, id));
      return send(reply, { schema: 'pragaura.erased/1', erased: true });
    },
  );
}
