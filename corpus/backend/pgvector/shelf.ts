import type { Shelf } from '../staging.ts';
import { addressFrom, indexNameOf } from './address.ts';
import { layOut } from './publish.ts';
import { Server } from './server.ts';

/** The shelf of an index in PostgreSQL, which is made where there is none. Throws USAGE, BACKEND_UNAVAILABLE and BACKEND_UNUSABLE. */
export async function openPgvectorShelf(index: string, backend: string): Promise<Shelf> {
  const own = indexNameOf(index);
  const server = new Server(addressFrom(backend));
  const table = `${server.schema}.staged`;
  try {
    await server.check();
    await layOut(server);
    await makeTable(server, table);
  } catch (error) {
    await server.close();
    throw error;
  }
  return {
    async get(names) {
      const rows = await server.ask<{ name: string; bytes: Buffer }>(
        `SELECT name, bytes FROM ${table} WHERE index_name = $1 AND name = ANY ($2)`,
        [own, names],
      );
      return new Map(rows.map(({ name, bytes }) => [name, bytes]));
    },
    async put(values) {
      // In one order, so that two who write the same do not wait for each other.
      const rows = [...values].sort(([a], [b]) => (a < b ? -1 : 1));
      await server.transaction((asks) =>
        asks.ask(
          `INSERT INTO ${table} SELECT $1, * FROM unnest($2::text[], $3::bytea[])
            ON CONFLICT (index_name, name) DO UPDATE SET bytes = excluded.bytes`,
          [own, rows.map(([name]) => name), rows.map(([, bytes]) => bytes)],
        ),
      );
    },
    async names() {
      const rows = await server.transaction((asks) =>
        asks.ask<{ name: string }>(`SELECT name FROM ${table} WHERE index_name = $1`, [own]),
      );
      return rows.map(({ name }) => name);
    },
    async remove(names) {
      await server.transaction((asks) =>
        asks.ask(`DELETE FROM ${table} WHERE index_name = $1 AND name = ANY ($2)`, [own, names]),
      );
    },
    close: () => server.close(),
  };
}

/** Who may read some documents of an index may read nothing here: it is of all of them. */
async function makeTable(server: Server, table: string): Promise<void> {
  const isThere = `SELECT 1 FROM pg_class WHERE oid = to_regclass('${table}')`;
  if ((await server.ask(isThere)).length > 0) return;
  await server.transaction(async (asks) => {
    await asks.ask(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`pragaura ${server.schema}`]);
    if ((await asks.ask(isThere)).length > 0) return;
    await asks.ask(
      `CREATE TABLE ${table} (index_name text NOT NULL, name text NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (index_name, name))`,
    );
    await asks.ask(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`);
  });
}
