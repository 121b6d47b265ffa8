/** The calibration of a collection over HTTP: the one that decides, and another in its place. */
import { createHash } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { z } from 'zod';
import { loadCalibration } from '../calibration/index.ts';
import { failureReason, PragauraError, toLine, writeWholeFile } from '../common/index.ts';
import type { App, Serving } from './app.ts';
import { CollectionState, OfCollection } from './contracts.ts';
import { gives, security, send } from './requests.ts';

/** As `pragaura calibrate` writes it; what is in it is checked by its own contract. */
const Artifact = z.looseObject({ schema: z.string() });
const HINT = 'May this server write into the folder of the calibration?';

/** Adds their paths. */
export function addCalibrations(app: App, serving: Serving): void {
  const { service } = serving;
  app.get(
    '/v1/collections/:collection/calibration',
    {
      config: { scope: 'retrieve' },
      schema: {
        operationId: 'getCalibration',
        summary: 'The calibration that a collection decides by',
        security,
        params: OfCollection,
        response: gives(Artifact, 'As it lies in its file'),
      },
    },
    async (request, reply) => {
      const { collection } = request.params;
      const lease = await service.collections.lease(collection, request.caller);
      lease.release();
      const file = service.collections.calibrationFile(collection);
      if (file === null || lease.router.versions.calibration === null) {
        throw new PragauraError('NOT_FOUND', 'There is no calibration: the general rule decides.');
      }
      return send(reply, JSON.parse(await read(file)));
    },
  );
  app.put(
    '/v1/collections/:collection/calibration',
    {
      config: { scope: 'write' },
      schema: {
        operationId: 'putCalibration',
        summary: 'Decide by another calibration from now on',
        description:
          'What `pragaura calibrate` wrote for this very index. It is refused, and nothing changes, where it was made for another.',
        security,
        params: OfCollection,
        body: Artifact,
        response: gives(CollectionState, 'The collection, which decides by it'),
      },
    },
    async (request, reply) => {
      const { collection } = request.params;
      service.collections.check(collection, request.caller);
      const file = service.collections.calibrationFile(collection);
      if (serving.documents === null || file === null) {
        throw new PragauraError('NOT_PERMITTED', 'This server takes no calibration for this collection.', {
          hint: 'Start it with --writable and --calibration NAME=FILE; FILE may be one that is not there yet.',
        });
      }
      const text = toLine(request.body);
      const part = `${file}.put`;
      try {
        await writeWholeFile(part, text, HINT);
        await service.collections.recalibrate(collection, await loadCalibration(part), async () => {
          const sha256 = createHash('sha256').update(text).digest('hex');
          await service.record({
            kind: 'calibration.replaced',
            by: request.caller.actor,
            about: collection,
            detail: { sha256 },
          });
          await replace(part, file);
        });
        await service.operations?.monitors.begin(collection);
      } finally {
        await rm(part, { force: true }).catch(() => {});
      }
      const states = await service.collections.states(request.caller);
      return send(reply, states.find(({ name }) => name === collection)!);
    },
  );
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new PragauraError('INTERNAL', `${file} cannot be read: ${failureReason(cause)}.`, { cause });
  }
}

async function replace(part: string, file: string): Promise<void> {
  try {
    await rename(part, file);
  } catch (cause) {
    const message = `${file} cannot be written: ${failureReason(cause)}.`;
    throw new PragauraError('WRITE_FAILED', message, { hint: HINT, cause });
  }
}
