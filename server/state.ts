/** The state of the server, for callers and for those who run it. */
import type { App, Serving } from './app.ts';
import { CollectionList, Health } from './contracts.ts';
import { gives, security, send } from './requests.ts';
import type { Scope } from './scopes.ts';

/** Adds their paths. */
export function addState(app: App, { service, metrics, documents, labels, tickets }: Serving): void {
  app.get(
    '/v1/collections',
    {
      config: { scope: 'any' },
      schema: {
        operationId: 'listCollections',
        summary: 'The collections that the caller may ask, and what else the caller may do',
        security,
        response: gives(CollectionList, 'Their names and what they hold'),
      },
    },
    async (request, reply) => {
      const here = (scope: Scope) =>
        scope === 'write' ? documents !== null : scope === 'label' ? labels !== null : true;
      const scopes = request.caller.scopes.filter(here);
      const offers: CollectionList['offers'] = [
        ...(service.memory === null ? [] : (['memory'] as const)),
        ...(service.queryLog === null ? [] : (['queries'] as const)),
        ...(tickets === null ? [] : (['tickets'] as const)),
      ];
      return send(reply, { collections: await service.collections.states(request.caller), scopes, offers });
    },
  );
  app.get(
    '/metrics',
    {
      config: { scope: 'metrics' },
      schema: { operationId: 'metrics', summary: 'For Prometheus', security, produces: ['text/plain'] },
    },
    async (_, reply) => reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
  app.get(
    '/healthz',
    {
      schema: {
        operationId: 'health',
        summary: 'Whether the process lives',
        response: gives(Health, 'It does'),
      },
    },
    async (_, reply) => send(reply, { status: 'ok' }),
  );
  app.get(
    '/readyz',
    {
      schema: {
        operationId: 'ready',
        summary: 'Whether requests are taken',
        response: gives(Health, 'They are'),
      },
    },
    async (_, reply) => {
      if (service.draining.aborted) return send(reply.code(503), { status: 'draining' });
      return send(reply, { status: 'ready' });
    },
  );
  app.get('/openapi.json', { schema: { hide: true } as object }, async (_, reply) =>
    send(reply, app.swagger()),
  );
}
