/** Somebody who may write the file of a store of defaults tries to change an entry of its trail. */
import { PragauraError, sqliteDriver } from '../../common/index.ts';
import { openDefaults } from '../../conversation/index.ts';

/** Ways to do it, as SQL about the number of an entry. */
const WAYS: readonly ((id: number) => string)[] = [
  (id) => `UPDATE audit SET at = at + 1 WHERE id = ${id}`,
  (id) => `UPDATE audit SET subject = 'another', sha256 = NULL WHERE id = ${id}`,
  (id) => `UPDATE audit SET query = 'another' WHERE id = ${id}`,
  (id) => `UPDATE OR REPLACE audit SET id = id + 1 WHERE id = ${id}`,
  (id) => `DELETE FROM audit WHERE id = ${id}`,
  () => 'DELETE FROM audit',
  (id) =>
    `INSERT OR REPLACE INTO audit SELECT id, tenant, 0, kind, subject, query, sha256 FROM audit WHERE id = ${id}`,
  (id) =>
    `INSERT INTO audit SELECT * FROM audit WHERE id = ${id} ON CONFLICT (id) DO UPDATE SET at = 0, sha256 = NULL`,
  (id) => `UPDATE audit_records SET record = '{}' WHERE entry = ${id}`,
  (id) => `REPLACE INTO audit_records (entry, record) VALUES (${id}, '{}')`,
  (id) =>
    `DELETE FROM audit_records WHERE entry = ${id}; INSERT INTO audit_records (entry, record) VALUES (${id}, 'null')`,
];

export interface Tampered {
  refused: number;
  /** Let through by the database and met with an error by whoever reads the trail. */
  noticed: number;
  /** What was let through and said by nobody. */
  unnoticed: string[];
}

/** Tries each way on an entry of its own (`entry`: the next one); what was let through is put right again, so far as it can be. */
export async function tamperWith(file: string, entry: () => number): Promise<Tampered> {
  const tampered: Tampered = { refused: 0, noticed: 0, unnoticed: [] };
  const Driver = await sqliteDriver();
  for (const way of WAYS) {
    const id = entry();
    const database = new Driver(file);
    try {
      const said = database.prepare('SELECT record FROM audit_records WHERE entry = ?').get(id);
      try {
        database.exec(way(id));
      } catch {
        tampered.refused += 1;
        continue;
      }
      if (await reads(file)) tampered.unnoticed.push(way(id));
      else tampered.noticed += 1;
      const { record } = said as { record: string };
      database.prepare('REPLACE INTO audit_records (entry, record) VALUES (?, ?)').run(id, record);
    } finally {
      database.close();
    }
  }
  return tampered;
}

async function reads(file: string): Promise<boolean> {
  const store = await openDefaults({ file });
  try {
    store.trail();
    return true;
  } catch (error) {
    if (PragauraError.isInstance(error) && error.code === 'DEFAULTS_UNUSABLE') return false;
    throw error;
  } finally {
    store.close();
  }
}
