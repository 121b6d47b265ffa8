/** Statements to a PostgreSQL: whole answers, or typed errors. */
import pg from 'pg';
import { messageOf, PragauraError } from '../../../common/index.ts';
import type { Call } from '../backend.ts';
import { cancelled } from '../cancelled.ts';
import type { Address } from './address.ts';
import { KIND, SCHEMA } from './layout.ts';

/** Milliseconds that a read may take where the caller does not say, and that the server lets one take in any case. */
const READ_MS = 10_000;
/** From which on statements are as they are used here. */
const LEAST = { postgres: 14, pgvector: '0.8.0' } as const;
const CONNECTIONS = 8;

/**
 * What every connection is told. Whoever is gone is noticed, so that nothing is computed for nobody. A graph is walked far
 * enough that it misses next to nothing, and on behind what filters keep out until enough are found.
 */
const SETTINGS = `SET statement_timeout = ${READ_MS};
  SET client_connection_check_interval = 500;
  SET idle_in_transaction_session_timeout = 60000;
  SET jit = off;
  SET work_mem = '64MB';
  SET hnsw.ef_search = 400;
  SET hnsw.iterative_scan = strict_order;
  SET hnsw.max_scan_tuples = 2000000000`;

/** Sends statements; rows come as objects. Throws BACKEND_UNAVAILABLE, BACKEND_UNUSABLE and ABORTED. */
export interface Asks {
  ask<T extends object>(text: string, values?: readonly unknown[], call?: Call): Promise<T[]>;
}

export class Server implements Asks {
  readonly shown: string;
  readonly schema: string;
  readonly #pool: pg.Pool;

  /** Connects when it is first asked. */
  constructor({ host, port, database, user, password, ssl, schema, shown }: Address) {
    this.shown = shown;
    this.schema = schema;
    this.#pool = new pg.Pool({
      ...{ host, port, database, ssl, max: CONNECTIONS, connectionTimeoutMillis: READ_MS },
      ...(user !== undefined && { user }),
      ...(password !== undefined && { password }),
      application_name: 'pragaura',
      keepAlive: true,
      onConnect: (client) => {
        // One that is lost between two statements says so to the next one.
        client.on('error', () => {});
        return client.query(SETTINGS) as unknown as undefined;
      },
    });
    // One that is lost while nobody has it: the next statement opens another.
    this.#pool.on('error', () => {});
  }

  ask<T extends object>(text: string, values: readonly unknown[] = [], call: Call = {}): Promise<T[]> {
    return this.#connected({ ms: READ_MS, ...call }, async (client) => {
      const { rows } = await client.query<T>(text, values as unknown[]);
      return rows;
    });
  }

  /**
   * Does `work` in one transaction, without a limit in time. What throws, or is cut off, leaves nothing behind. Statements wait
   * `lockMs` at most for others' locks. `snapshot`: it only reads, all of it at one moment.
   */
  transaction<T>(
    work: (asks: Asks) => Promise<T>,
    {
      signal,
      lockMs = 60_000,
      snapshot = false,
    }: { signal?: AbortSignal | undefined; lockMs?: number; snapshot?: boolean } = {},
  ): Promise<T> {
    return this.#connected({ signal }, async (client) => {
      await client.query(
        `BEGIN${snapshot ? ' ISOLATION LEVEL REPEATABLE READ READ ONLY' : ''}; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = ${lockMs}`,
      );
      const done = await work({
        ask: async <R extends object>(text: string, values: readonly unknown[] = []) => {
          try {
            return (await client.query<R>(text, values as unknown[])).rows;
          } catch (error) {
            throw this.typed(error);
          }
        },
      });
      await client.query('COMMIT');
      return done;
    });
  }

  /**
   * Lends a connection. One on which something failed, or that was not waited for, is closed, and the server stops what it
   * was doing for it.
   */
  async #connected<T>({ signal, ms }: Call, use: (client: pg.ClientBase) => Promise<T>): Promise<T> {
    if (signal?.aborted) throw cancelled(signal);
    let giveUp!: (error: PragauraError) => void;
    const givenUp = new Promise<never>((_, reject) => {
      giveUp = reject;
    });
    const stop = () => giveUp(cancelled(signal!));
    const timer = ms === undefined ? undefined : setTimeout(() => giveUp(this.#tooSlow(ms)), ms);
    signal?.addEventListener('abort', stop, { once: true });
    let isOver = false;
    let release: ((broken: boolean) => void) | undefined;
    const done = this.#pool.connect().then(async (client) => {
      release = (broken) => {
        release = undefined;
        client.release(broken);
      };
      if (isOver) return release(false) as never;
      const result = await use(client);
      release?.(false);
      return result;
    });
    try {
      return await Promise.race([done, givenUp]);
    } catch (error) {
      throw PragauraError.isInstance(error) ? error : this.typed(error);
    } finally {
      isOver = true;
      release?.(true);
      done.catch(() => {});
      givenUp.catch(() => {});
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Throws BACKEND_UNAVAILABLE where nothing answers, BACKEND_UNUSABLE where it is too old or has no pgvector. */
  async check(): Promise<{ postgres: string; pgvector: string }> {
    const [found] = await this.ask<{
      number: number;
      postgres: string;
      pgvector: string | null;
      found: boolean;
    }>(
      `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS postgres,
        (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector,
        to_regtype('vector') IS NOT NULL AS found`,
    );
    const { number, postgres, pgvector, found: isFound } = found!;
    if (number < LEAST.postgres * 10_000) {
      throw this.unusable(
        `is of version ${postgres}`,
        `Versions from ${LEAST.postgres} on can hold an index.`,
      );
    }
    if (pgvector === null) {
      throw this.unusable(
        'has no pgvector in this database',
        'Install it (Debian: postgresql-NN-pgvector), and let a superuser say in the database: CREATE EXTENSION vector;',
      );
    }
    if (pgvector.localeCompare(LEAST.pgvector, 'en', { numeric: true }) < 0) {
      throw this.unusable(
        `has pgvector ${pgvector}`,
        `Versions from ${LEAST.pgvector} on search on behind filters. Install a newer one, and say: ALTER EXTENSION vector UPDATE;`,
      );
    }
    if (!isFound) {
      throw this.unusable(
        'has pgvector in a schema that is not searched',
        'Say it for the role: ALTER ROLE … SET search_path = "$user", public, SCHEMA-OF-VECTOR;',
      );
    }
    return { postgres, pgvector };
  }

  /** Whether the tables are there. Throws BACKEND_UNUSABLE where something else is in their place. */
  async isLaidOut(): Promise<boolean> {
    const [there] = await this.ask<{ said: string | null }>(
      `SELECT obj_description(oid, 'pg_namespace') AS said FROM pg_namespace WHERE nspname = $1`,
      [this.schema],
    );
    if (there === undefined) return false;
    if (there.said === SCHEMA) return true;
    const other = there.said?.startsWith(KIND)
      ? `is of another version (${there.said}; this one reads ${SCHEMA})`
      : 'has other tables: it is none of PragAURA';
    throw new PragauraError('BACKEND_UNUSABLE', `The schema "${this.schema}" at ${this.shown} ${other}.`, {
      hint: 'Name another schema, which is then made: …?schema=NAME behind the URL.',
    });
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  unavailable(message: string, hint: string, cause?: unknown): PragauraError {
    return new PragauraError('BACKEND_UNAVAILABLE', message, { hint, ...(cause !== undefined && { cause }) });
  }

  unusable(what: string, hint: string, cause?: unknown): PragauraError {
    return new PragauraError('BACKEND_UNUSABLE', `The PostgreSQL at ${this.shown} ${what}.`, {
      hint,
      ...(cause !== undefined && { cause }),
    });
  }

  /** For an answer that leaves out what must be there. */
  notWhole(what: string): PragauraError {
    return this.unavailable(
      `The PostgreSQL at ${this.shown} did not give all of the index: ${what}.`,
      'Run "pragaura index" with --backend again, and open the index again.',
    );
  }

  #tooSlow(ms: number): PragauraError {
    return this.unavailable(
      `The PostgreSQL at ${this.shown} took longer than ${ms / 1000} s to answer.`,
      'See whether it is overloaded, and ask again.',
    );
  }

  /** Whatever a statement threw, as what it means. */
  typed(error: unknown): PragauraError {
    const at = `The PostgreSQL at ${this.shown}`;
    const code = error instanceof pg.DatabaseError ? (error.code ?? '') : null;
    const said = messageOf(error);
    if (code?.startsWith('28') || said.startsWith('SASL')) {
      return this.unusable(
        `refuses who asks (${said})`,
        'Give a role that may connect: pgvector=postgres://USER:PASSWORD@HOST:PORT/DATABASE, best in PRAGAURA_BACKEND.',
        error,
      );
    }
    if (code === null) {
      return this.unavailable(
        `${at} does not answer: ${said}.`,
        'Start it, or name another one with --backend pgvector=URL.',
        error,
      );
    }
    if (code === '3D000') {
      return this.unusable(`says: ${said}`, 'Make it with createdb, or name another one.', error);
    }
    if (code === '42501') {
      return this.unusable(
        `does not let this role do that (${said})`,
        `Indexes are written by the owner of the schema "${this.schema}", who may CREATE one in the database; readers need GRANT USAGE ON SCHEMA ${this.schema}, SELECT on its tables, and a row in ${this.schema}.readers.`,
        error,
      );
    }
    if (code === '25006') {
      return this.unavailable(
        `${at} takes no writes: ${said}.`,
        'It is a standby or set read-only: name the primary.',
        error,
      );
    }
    if (code === '53100') {
      return this.unavailable(
        `${at} has no room left: ${said}.`,
        'The index there is as it was. Make room on its disk, and run the command again.',
        error,
      );
    }
    if (code === '57014') return this.#tooSlow(READ_MS);
    if (code === '55P03') {
      return this.unavailable(
        `${at} is held up by a lock of somebody else.`,
        'See pg_stat_activity, and run the command again.',
        error,
      );
    }
    const what = code.startsWith('53') ? ' is overloaded' : '';
    return this.unavailable(`${at}${what} says: ${said}.`, 'See its log, and ask again.', error);
  }
}
