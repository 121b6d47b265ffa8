/** What is kept of what a caller asks about, over HTTP: theirs to agree to, see and erase. */
import { z } from 'zod';
import { PragauraError } from '../common/index.ts';
import type { Principal, QueryLog } from '../governance/index.ts';
import type { App, Serving } from './app.ts';
import type { Caller } from './callers.ts';
import { KeptQueries } from './contracts.ts';
import { gives, security, send } from './requests.ts';

const ErasedQueries = z.strictObject({
  schema: z.literal('pragaura.erased-queries/1'),
  /** How many there were. */
  queries: z.number().int().min(0),
});

/** Adds their paths. */
export function addQueries(app: App, { service }: Serving): void {
  const config = { scope: 'decide' as const };
  /** Does something to what is kept of the caller, once it is on the audit log that it will be. */
  async function using<T>(
    caller: Caller,
    verb: string,
    work: (log: QueryLog, who: Principal) => T,
  ): Promise<T> {
    const { queryLog } = service;
    if (queryLog === null) {
      throw new PragauraError('NOT_FOUND', 'This server keeps nothing of what is asked.', {
        hint: 'Start it with --query-log FILE, and --defaults FILE, which learns from it.',
      });
    }
    return work(queryLog, await service.personDoing(caller, `queries.${verb}`));
  }
  const kept = (log: QueryLog, who: Principal) => {
    const agreed = log.agreedAt(who);
    return {
      schema: 'pragaura.kept-queries/1' as const,
      consent: agreed === null ? null : new Date(agreed).toISOString(),
      queries: log.of(who, Date.now()).map(({ at, things }) => ({ at: new Date(at).toISOString(), things })),
    };
  };
  app.get(
    '/v1/queries',
    {
      config,
      schema: {
        operationId: 'getQueries',
        summary: 'What is kept of what the caller asked about',
        security,
        response: gives(KeptQueries, 'Since when they agree, and the things that their questions named'),
      },
    },
    async (request, reply) => send(reply, await using(request.caller, 'read', kept)),
  );
  app.put(
    '/v1/queries',
    {
      config,
      schema: {
        operationId: 'agreeToQueries',
        summary: 'Agree to what one asks about being kept for a while',
        security,
        response: gives(KeptQueries, 'What is kept by now'),
      },
    },
    async (request, reply) =>
      send(
        reply,
        await using(request.caller, 'consent', (log, who) => {
          log.consent(who, Date.now());
          return kept(log, who);
        }),
      ),
  );
  app.delete(
    '/v1/queries',
    {
      config,
      schema: {
        operationId: 'eraseQueries',
        summary: 'Take consent back, and off what is kept',
        security,
        response: gives(ErasedQueries, 'How many questions there were'),
      },
    },
    async (request, reply) => {
      const queries = await using(request.caller, 'erase', (log, who) => log.erase(who));
      return send(reply, { schema: 'pragaura.erased-queries/1', queries });
    },
  );
}
