/** The file of a store: made whole or not at all, checked before it is used, never made anew over another. */
import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSystemError, PragauraError, systemReason } from '../../common/index.ts';
import { checkVersion, inTransaction, MIGRATIONS, migrate } from './schema.ts';
import { type Database, isBusy, sqliteDriver, unusable, withSqlite } from './sqlite.ts';

const RETRY_MS = 20;

type Driver = Awaited<ReturnType<typeof sqliteDriver>>;

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
function create(Driver: Driver, file: string): void {
  onDisk(file, () => mkdirSync(dirname(file), { recursive: true }));
  const part = `${file}.${randomUUID()}.part`;
  try {
    const database = new Driver(part);
    try {
      // Not WAL yet: the link is to this one file, which must hold everything.
      inTransaction(database, () => migrate(database, 0));
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

function prepared(database: Database, file: string, blockMs: number): Database {
  // secure_delete: what is forgotten is overwritten. FULL: a vote that was acknowledged survives a power cut.
  database.exec(`PRAGMA busy_timeout = ${blockMs}; PRAGMA secure_delete = ON; PRAGMA synchronous = FULL`);
  checkVersion(database, file);
  database.exec('PRAGMA journal_mode = WAL');
  const found = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
  if (found.quick_check !== 'ok') throw unusable(file, `it is damaged (${found.quick_check})`);
  if (checkVersion(database, file) < MIGRATIONS.length) {
    // Looked at again with the lock held: another process may have done it by now.
    inTransaction(database, () => migrate(database, checkVersion(database, file)));
  }
  return database;
}

/**
 * Opens a store and waits for it at most `waitMs` where it is locked; with `create`, makes it where there is no file.
 * Later calls wait, and block, for `blockMs`.
 * The whole file is looked through for damage, about 1 ms a MiB.
 * @throws NOT_FOUND without a file, DEFAULTS_UNUSABLE, DEFAULTS_LOCKED, WRITE_FAILED
 */
export async function openDatabase(
  file: string,
  options: { create: boolean; waitMs: number; blockMs: number },
): Promise<Database> {
  const Driver = await sqliteDriver();
  if (options.create && !existsSync(file)) withSqlite(file, options.waitMs, () => create(Driver, file));
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) {
    throw new PragauraError('NOT_FOUND', `There is no store of defaults at ${file}.`, {
      hint: 'It is made when the first query is routed with it.',
    });
  }
  if (!found.isFile()) throw unusable(file, 'it is no file');
  if (found.size === 0) throw unusable(file, 'it is empty');
  const deadline = performance.now() + options.waitMs;
  for (;;) {
    let database: Database | undefined;
    try {
      return withSqlite(file, options.waitMs, () => {
        database = new Driver(file);
        return prepared(database, file, options.blockMs);
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
