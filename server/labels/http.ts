/** Labels over HTTP. */
import { Labelled } from '../../calibration/index.ts';
import { PragauraError } from '../../common/index.ts';
import type { App, Serving } from '../app.ts';
import { OfCollection } from '../contracts.ts';
import { gives, security, send } from '../requests.ts';
import { LabelState, type Labels } from './labels.ts';

/** Adds their paths. */
export function addLabels(app: App, { service, labels }: Serving): void {
  const kept = (): Labels => {
    if (labels !== null) return labels;
    throw new PragauraError('NOT_PERMITTED', 'This server keeps no labels.', {
      hint: 'Start it with --labels DIR.',
    });
  };
  app.get(
    '/v1/collections/:collection/labels',
    {
      config: { scope: 'label' },
      schema: {
        operationId: 'countLabels',
        summary: 'How many labels there are, and what they suffice for',
        security,
        params: OfCollection,
        response: gives(LabelState, 'Counts'),
      },
    },
    async (request, reply) => {
      const { collection } = request.params;
      service.collections.check(collection, request.caller);
      return send(reply, kept().state(collection));
    },
  );
  app.post(
    '/v1/collections/:collection/labels',
    {
      config: { scope: 'label' },
      schema: {
        operationId: 'addLabel',
        summary: 'Keep a labelled query, one a line of `pragaura calibrate --dev`',
        security,
        params: OfCollection,
        body: Labelled,
        response: gives(LabelState, 'Counts, with it'),
      },
    },
    async (request, reply) => {
      const { collection } = request.params;
      service.collections.check(collection, request.caller);
      return send(reply, await kept().add(collection, request.body));
    },
  );
}
