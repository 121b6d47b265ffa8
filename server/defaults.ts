/** What a collection learned from answers to questions asked back, over HTTP: looked at, and forgotten. */
import { z } from 'zod';
import { PragauraError } from '../common/index.ts';
import {
  ClarificationDefault,
  DefaultHistory,
  type DefaultsStore,
  openDefaults,
} from '../conversation/index.ts';
import type { App, Serving } from './app.ts';
import type { Caller } from './callers.ts';
import { OfCollection } from './contracts.ts';
import { gives, security, send } from './requests.ts';

const DefaultList = z.strictObject({ defaults: z.array(ClarificationDefault) });
const Forgotten = z.strictObject({
  schema: z.literal('pragaura.forgotten/1'),
  id: z.string(),
  votes: z.number().int().min(0),
});
const OfDefault = OfCollection.extend({ id: z.string().max(128) });

/** What is held by another process is waited for so long, in the turn of everybody. */
const WAIT = { waitMs: 1000, blockMs: 100 };

/** Adds their paths. */
export function addDefaults(app: App, { service }: Serving): void {
  const { collections } = service;
  async function using<T>(
    collection: string,
    caller: Caller,
    work: (store: DefaultsStore, tenant: string) => T | Promise<T>,
  ): Promise<T> {
    collections.check(collection, caller);
    const kept = collections.defaults(collection);
    if (kept === null) {
      throw new PragauraError('NOT_FOUND', 'This server learns no defaults.', {
        hint: 'Start it with --defaults FILE.',
      });
    }
    const store = await openDefaults({
      file: kept.store,
      ...WAIT,
      ...(kept.settings && { settings: kept.settings }),
    });
    try {
      return await work(store, kept.tenant);
    } finally {
      store.close();
    }
  }
  app.get(
    '/v1/collections/:collection/defaults',
    {
      config: { scope: 'operate' },
      schema: {
        operationId: 'listDefaults',
        summary:
          'What was learned from answers to questions asked back, how sure it is, and whether it is applied',
        security,
        params: OfCollection,
        response: gives(DefaultList, 'Of the tenant that this server serves'),
      },
    },
    async (request, reply) => {
      const { collection } = request.params;
      return send(reply, {
        defaults: await using(collection, request.caller, (store, tenant) => store.list(tenant, Date.now())),
      });
    },
  );
  app.get(
    '/v1/collections/:collection/defaults/:id',
    {
      config: { scope: 'operate' },
      schema: {
        operationId: 'getDefault',
        summary: 'One of them, with its votes and when it was used',
        security,
        params: OfDefault,
        response: gives(DefaultHistory, 'The default, and how it came about'),
      },
    },
    async (request, reply) => {
      const { collection, id } = request.params;
      const found = await using(collection, request.caller, (store, tenant) =>
        store.show(id, tenant, Date.now()),
      );
      if (found === null) throw unknownDefault();
      return send(reply, { schema: 'pragaura.default-history/1', ...found });
    },
  );
  app.delete(
    '/v1/collections/:collection/defaults/:id',
    {
      config: { scope: 'operate' },
      schema: {
        operationId: 'forgetDefault',
        summary: 'Delete the votes behind one, so that users are asked again',
        security,
        params: OfDefault,
        response: gives(Forgotten, 'How many there were'),
      },
    },
    async (request, reply) => {
      const { collection, id } = request.params;
      const by = request.caller.actor;
      const votes = await using(collection, request.caller, async (store, tenant) => {
        if (store.show(id, tenant, Date.now()) === null) throw unknownDefault();
        await service.record({ kind: 'default.forgotten', by, about: id, detail: { collection } });
        return store.forget({ tenant, ids: [id] }, Date.now()).get(id);
      });
      return send(reply, { schema: 'pragaura.forgotten/1', id, votes: votes ?? 0 });
    },
  );
}

function unknownDefault(): PragauraError {
  return new PragauraError('NOT_FOUND', 'There is no such default.', {
    hint: 'GET …/defaults names them. An id changes when a default is divided by a condition.',
  });
}
