/** SQLite under stores: which driver, what one store is told from another by, and what its errors mean. */
import { type ErrorCode, messageOf, PragauraError } from '../errors.ts';

type Cell = string | number | null;

export interface Statement {
  run(...values: Cell[]): { changes: number | bigint };
  get(...values: Cell[]): unknown;
  all(...values: Cell[]): unknown[];
}

/** The part of `DatabaseSync` of node:sqlite that is needed here. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/** A kind of store, each a file of its own. */
export interface StoreKind {
  /** "a store of defaults" */
  name: string;
  /** How one is made, for whoever names a file that is not there. */
  made: string;
  /** Says of a file of SQLite that it is one of these. */
  applicationId: number;
  /** Statements, one text a version, in order, never changed once released. `user_version` counts those that were run. */
  migrations: readonly string[];
  codes: { unusable: ErrorCode; locked: ErrorCode };
}

type Driver = new (file: string) => Database;

/** node:sqlite where this Node has it, otherwise the package with the same interface; it carries its own binaries. */
export async function sqliteDriver(): Promise<Driver> {
  const own = process.getBuiltinModule?.('node:sqlite' as never) as { DatabaseSync: Driver } | undefined;
  if (own !== undefined) return own.DatabaseSync;
  const { DatabaseSync } = await import('@photostructure/sqlite');
  return DatabaseSync as unknown as Driver;
}

/** The primary result code of an error of SQLite (its extended code holds the details above the lowest byte). */
function resultCode(error: unknown): number | undefined {
  const code = error instanceof Error && (error as Error & { errcode?: unknown }).errcode;
  return typeof code === 'number' ? code & 0xff : undefined;
}

const [BUSY, LOCKED, READONLY, IO, CORRUPT, FULL, CANTOPEN, NOTADB] = [5, 6, 8, 10, 11, 13, 14, 26];

export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === BUSY || code === LOCKED;
}

export function storeUnusable(
  { name, codes }: StoreKind,
  file: string,
  why: string,
  cause?: unknown,
): PragauraError {
  return new PragauraError(codes.unusable, `${file} cannot be used as ${name}: ${why}.`, {
    hint: 'Nothing was changed in it. Put a copy that was kept in its place, or move it away to begin anew.',
    cause,
  });
}

/** Runs `work`, with what SQLite throws made into an error that says what to do about it. */
export function withSqlite<T>(kind: StoreKind, file: string, waitMs: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = resultCode(error);
    if (isBusy(error)) {
      throw new PragauraError(kind.codes.locked, `${file} is locked by another process.`, {
        hint: `Waited ${waitMs / 1000} s for it. Close what holds it, or wait longer.`,
        cause: error,
      });
    }
    if (code === CORRUPT || code === NOTADB) throw storeUnusable(kind, file, messageOf(error), error);
    if (code !== undefined && [READONLY, IO, FULL, CANTOPEN].includes(code)) {
      throw new PragauraError('WRITE_FAILED', `${file} cannot be written: ${messageOf(error)}.`, {
        hint: 'The file and its folder must be writable, on a local disk with room.',
        cause: error,
      });
    }
    throw error;
  }
}
