/** What whoever runs the server sees of it over HTTP. */
import { z } from 'zod';
import { Label, labelFault } from '../../calibration/index.ts';
import { PragauraError } from '../../common/index.ts';
import type { App, Serving } from '../app.ts';
import { OfCollection } from '../contracts.ts';
import { gives, security, send } from '../requests.ts';
import { Activity } from './activity.ts';
import { Watched } from './monitors.ts';

const HowMany = z.strictObject({
  /** Decisions that are listed at most. */
  recent: z.coerce.number().int().min(0).max(1000).default(100),
});

/** Adds their paths. */
export function addOperations(app: App, { service }: Serving): void {
  const { collections } = service;
  const operations = service.operations!;
  app.get(
    '/v1/collections/:collection/activity',
    {
      config: { scope: 'operate' },
      schema: {
        operationId: 'getActivity',
        summary: 'What a collection decided since the server started, and how long it took',
        description:
          'Its latest decisions with their queries, as far as the server was told to remember them.',
        security,
        params: OfCollection,
        querystring: HowMany,
        response: gives(Activity, 'Counts, quantiles, and the latest decisions'),
      },
    },
    async (request, reply) => {
      const { collection } = request.params;
      collections.check(collection, request.caller);
      return send(reply, operations.activity(collection).report(request.query.recent));
    },
  );
  const watched = (collection: string) => {
    const report = operations.monitors.report(collection);
    if (report !== null) return report;
    throw new PragauraError(
      'NOT_FOUND',
      'There is no calibration: nothing is promised that could be watched.',
      {
        hint: 'Make one with "pragaura calibrate", and start the server with --calibration.',
      },
    );
  };
  app.get(
    '/v1/collections/:collection/monitor',
    {
      config: { scope: 'operate' },
      schema: {
        operationId: 'getMonitor',
        summary: 'Whether decisions still are what the test split of the calibration showed',
        security,
        params: OfCollection,
        response: gives(Watched, 'As `pragaura monitor` has it'),
      },
    },
    async (request, reply) => {
      const { collection } = request.params;
      collections.check(collection, request.caller);
      return send(reply, watched(collection));
    },
  );
  app.post(
    '/v1/collections/:collection/monitor/labels',
    {
      config: { scope: 'operate' },
      schema: {
        operationId: 'labelForMonitor',
        summary: 'Tell the monitor whether the answer of a decision is right',
        description:
          'By the id of the decision, before or after it. What is said on false alarms holds where the answers that get a ' +
          'label are drawn by chance, not picked because they look wrong: labels that people leave on the page are not ' +
          'taken for these.',
        security,
        params: OfCollection,
        body: Label,
        response: gives(Watched, 'The monitor, with it'),
      },
    },
    async (request, reply) => {
      const { collection } = request.params;
      collections.check(collection, request.caller);
      watched(collection);
      const fault = labelFault(request.body);
      if (fault !== null) throw new PragauraError('INVALID_INPUT', `The label cannot be used: ${fault}.`);
      operations.monitors.labelled(collection, request.body);
      return send(reply, watched(collection));
    },
  );
}
