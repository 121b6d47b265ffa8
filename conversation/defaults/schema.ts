/** Tables of the store, and how a store of an earlier version becomes one of this version. */
import { type Database, unusable } from './sqlite.ts';

/** "PGDF": says of a file of SQLite that it is ours. */
export const APPLICATION_ID = 0x50474446;

/** One a version, in order, never changed once released. `user_version` counts those that were run. */
export const MIGRATIONS: readonly string[] = [
  // AUTOINCREMENT: the id of a vote that was forgotten is never given to another, so that `asOf` stays true.
  `CREATE TABLE votes (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     tenant TEXT NOT NULL,
     scope TEXT NOT NULL,
     field TEXT NOT NULL,
     conditions TEXT NOT NULL,
     signal TEXT NOT NULL,
     value TEXT NOT NULL,
     doc TEXT,
     at INTEGER NOT NULL,
     once TEXT
   ) STRICT;
   CREATE INDEX votes_by_field ON votes (tenant, scope, field, id);
   CREATE UNIQUE INDEX votes_once ON votes (tenant, scope, field, once) WHERE once IS NOT NULL;`,
  `CREATE TABLE audit (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     tenant TEXT NOT NULL,
     at INTEGER NOT NULL,
     kind TEXT NOT NULL,
     subject TEXT NOT NULL,
     query TEXT,
     record TEXT NOT NULL
   ) STRICT;
   CREATE INDEX audit_by_subject ON audit (tenant, subject, id);`,
  // `query`: hash of the user's words, by which the conversation that answers is recognised.
  `CREATE TABLE questions (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     tenant TEXT NOT NULL,
     query TEXT NOT NULL,
     at INTEGER NOT NULL,
     subject TEXT NOT NULL,
     record TEXT NOT NULL
   ) STRICT;
   CREATE INDEX questions_by_query ON questions (tenant, query, id);
   CREATE INDEX questions_by_age ON questions (at);`,
];

const numberOf = (database: Database, pragma: string) =>
  Object.values(database.prepare(`PRAGMA ${pragma}`).get() as Record<string, number>)[0]!;

/** Whether the file is a store at all. Throws DEFAULTS_UNUSABLE for anything else and for a later version. */
export function checkVersion(database: Database, file: string): number {
  if (numberOf(database, 'application_id') !== APPLICATION_ID) {
    throw unusable(file, 'it is a database of something else');
  }
  const version = numberOf(database, 'user_version');
  if (version < 1 || version > MIGRATIONS.length) {
    throw unusable(file, `it is of version ${version}, and this program knows up to ${MIGRATIONS.length}`);
  }
  return version;
}

/** Runs what is missing, all or nothing. The caller holds the write lock. */
export function migrate(database: Database, from: number): void {
  for (const sql of MIGRATIONS.slice(from)) database.exec(sql);
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}`);
}

/** Runs `work` with the write lock held from the start: what it reads cannot change before it writes. */
export function inTransaction<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite has rolled back by itself after some errors, and then there is nothing to roll back.
    try {
      database.exec('ROLLBACK');
    } catch {}
    throw error;
  }
}
