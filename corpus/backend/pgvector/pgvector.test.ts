/** One server for all. */
import { afterAll, beforeAll } from 'vitest';
import { openBackend, publish } from '../open.ts';
import { conforms } from '../testing/conformance.ts';
import { type RunningPostgres, startPostgres } from '../testing/start-postgres.ts';

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

conforms('pgvector', async (dir) => {
  await publish(dir, server.backend);
  return openBackend(dir, { backend: server.backend });
});
