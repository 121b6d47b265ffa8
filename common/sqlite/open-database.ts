/** The file of a store: made whole or not at all, checked before it is used, never made anew over another. */
import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PragauraError } from '../errors.ts';
import { isSystemError, systemReason } from '../system-error.ts';
import { type Database, isBusy, type StoreKind, sqliteDriver, storeUnusable, withSqlite } from './sqlite.ts';

const RETRY_MS = 20;

type Driver = Awaited<ReturnType<typeof sqliteDriver>>;

const numberOf = (database: Database, pragma: string) =>
  Object.values(database.prepare(`PRAGMA ${pragma}`).get() as Record<string, number>)[0]!;

/** The version of a store. Throws as `unusable` for a file of anything else, and for one of a later version. */
function checkVersion(database: Database, kind: StoreKind, file: string): number {
  const { applicationId, migrations } = kind;
  if (numberOf(database, 'application_id') !== applicationId) {
    throw storeUnusable(kind, file, 'it is a database of something else');
  }
  const version = numberOf(database, 'user_version');
  if (version < 1 || version > migrations.length) {
    throw storeUnusable(
      kind,
      file,
      `it is of version ${version}, and this program knows up to ${migrations.length}`,
    );
  }
  return version;
}

/** Runs what is missing, all or nothing. The caller holds the write lock. */
function migrate(database: Database, { applicationId, migrations }: StoreKind, from: number): void {
  for (const sql of migrations.slice(from)) database.exec(sql);
  database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`);
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

function onDisk(file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new PragauraError('WRITE_FAILED', `${file} cannot be made: ${systemReason(error)}.`, {
      hint: 'Name a file in a folder that can be written, on a local disk.',
      cause: error,
    });
  }
}

/**
 * Makes an empty store beside its place and links it there, which fails if another process was faster: then theirs
 * stands. So a file of the right name is a whole store from the first moment, and an empty file is damage.
 */
function create(Driver: Driver, kind: StoreKind, file: string): void {
  onDisk(file, () => mkdirSync(dirname(file), { recursive: true }));
  const part = `${file}.${randomUUID()}.part`;
  try {
    const database = new Driver(part);
    try {
      // Not WAL yet: the link is to this one file, which must hold everything.
      inTransaction(database, () => migrate(database, kind, 0));
    } finally {
      database.close();
    }
    onDisk(file, () => {
      try {
        linkSync(part, file);
      } catch (error) {
        if (!isSystemError(error, 'EEXIST')) throw error;
      }
    });
  } finally {
    for (const end of ['', '-journal']) rmSync(part + end, { force: true });
  }
}

function prepared(database: Database, kind: StoreKind, file: string, blockMs: number): Database {
  // secure_delete: what is forgotten is overwritten. FULL: a vote that was acknowledged survives a power cut.
  database.exec(`PRAGMA busy_timeout = ${blockMs}; PRAGMA secure_delete = ON; PRAGMA synchronous = FULL`);
  checkVersion(database, kind, file);
  database.exec('PRAGMA journal_mode = WAL');
  const found = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
  if (found.quick_check !== 'ok') throw storeUnusable(kind, file, `it is damaged (${found.quick_check})`);
  if (checkVersion(database, kind, file) < kind.migrations.length) {
    // Looked at again with the lock held: another process may have done it by now.
    inTransaction(database, () => migrate(database, kind, checkVersion(database, kind, file)));
  }
  return database;
}

/**
 * Opens a store and waits for it at most `waitMs` where it is locked; with `create`, makes it where there is no file.
 * Later calls wait, and block, for `blockMs`.
 * The whole file is looked through for damage, about 1 ms a MiB.
 * @throws NOT_FOUND without a file, the two codes of the kind, WRITE_FAILED
 */
export async function openDatabase(
  kind: StoreKind,
  file: string,
  options: { create: boolean; waitMs: number; blockMs: number },
): Promise<Database> {
  const Driver = await sqliteDriver();
  if (options.create && !existsSync(file))
    withSqlite(kind, file, options.waitMs, () => create(Driver, kind, file));
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) {
    throw new PragauraError('NOT_FOUND', `There is no ${kind.name.replace(/^an? /, '')} at ${file}.`, {
      hint: kind.made,
    });
  }
  if (!found.isFile()) throw storeUnusable(kind, file, 'it is no file');
  if (found.size === 0) throw storeUnusable(kind, file, 'it is empty');
  const deadline = performance.now() + options.waitMs;
  for (;;) {
    let database: Database | undefined;
    try {
      return withSqlite(kind, file, options.waitMs, () => {
        database = new Driver(file);
        return prepared(database, kind, file, options.blockMs);
      });
    } catch (error) {
      database?.close();
      // Some locks while opening are reported at once, without the wait that was asked for.
      const locked = PragauraError.isInstance(error) && isBusy(error.cause);
      if (!locked || performance.now() >= deadline) throw error;
      await sleep(RETRY_MS);
    }
  }
}
