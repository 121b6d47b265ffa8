/**
 * What people asked about, kept for a while so that defaults can be proposed from it: of each question the things that it names, and
 * when. What else it says is not kept. A person is named by a hash under a key of the file.
 */
import { createHmac } from 'node:crypto';
import {
  type Database,
  inTransaction,
  openDatabase,
  PragauraError,
  type StoreKind,
  withSqlite,
} from '../../common/index.ts';
import type { Decision, Query, RouteOptions, Router } from '../../router/index.ts';
import type { Principal } from '../principals/index.ts';

const DAY_MS = 86_400_000;
const WAIT_MS = 1_000;
/** Things that are kept of a question, how long each may be, and questions that are looked at: the newest. */
const MOST_THINGS = 16;
const LONGEST = 200;
const MOST_READ = 10_000;

const QUERY_LOG: StoreKind = {
  name: 'a query log',
  made: 'It is made when somebody agrees to it, or with the first query that is logged.',
  // "PGQL"
  applicationId: 0x5047514c,
  migrations: [
    `CREATE TABLE key (value TEXT NOT NULL) STRICT;
     INSERT INTO key VALUES (lower(hex(randomblob(32))));
     CREATE TABLE consents (person TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT;
     CREATE TABLE queries (
       id INTEGER PRIMARY KEY AUTOINCREMENT,
       person TEXT NOT NULL,
       tenant TEXT NOT NULL,
       at INTEGER NOT NULL,
       things TEXT NOT NULL
     ) STRICT;
     CREATE INDEX queries_by_person ON queries (person);
     CREATE INDEX queries_by_tenant ON queries (tenant, id);
     CREATE INDEX queries_by_age ON queries (at);`,
  ],
  codes: { unusable: 'DEFAULTS_UNUSABLE', locked: 'DEFAULTS_LOCKED' },
};

export interface QueryLogOptions {
  file: string;
  /** Make the file where there is none. Default false. */
  create?: boolean;
  /** Days after which a question is taken off. Default 30. */
  days?: number;
  /** Whose questions are kept: of those who agreed (default), or everybody's, because who runs this says so. */
  whose?: 'consenting' | 'everybody';
}

/** A question as it is kept. */
export interface LoggedQuery {
  at: number;
  /** What it names, in its own words. */
  things: string[];
}

/** How many logged questions name a value and none of the others that it was told apart from. */
export interface Named {
  value: string;
  /** Of whoever asks. */
  own: number;
  all: number;
  /** Different people among them. */
  people: number;
}

/** Methods throw DEFAULTS_LOCKED, DEFAULTS_UNUSABLE and WRITE_FAILED; moments are in milliseconds since 1970. */
export class QueryLog {
  readonly #database: Database;
  readonly #file: string;
  readonly #days: number;
  readonly #whose: NonNullable<QueryLogOptions['whose']>;

  private constructor(database: Database, { file, days = 30, whose = 'consenting' }: QueryLogOptions) {
    this.#database = database;
    this.#file = file;
    this.#days = days;
    this.#whose = whose;
  }

  /** Throws also NOT_FOUND without a file and without `create`. */
  static async open(options: QueryLogOptions): Promise<QueryLog> {
    const { file, create = false } = options;
    const database = await openDatabase(QUERY_LOG, file, { create, waitMs: WAIT_MS, blockMs: WAIT_MS });
    return new QueryLog(database, options);
  }

  /** The person agrees to their questions being kept; again changes nothing. Throws NOT_PERMITTED for nobody in particular. */
  consent(who: Principal, now: number): void {
    const person = this.#person(who);
    if (who.via === 'none') {
      throw new PragauraError('NOT_PERMITTED', 'Nobody in particular can agree to anything.', {
        hint: 'Say who asks, by --principal-token, or --trust-local on a machine of your own.',
      });
    }
    this.#write(() =>
      this.#database.prepare('INSERT INTO consents VALUES (?, ?) ON CONFLICT DO NOTHING').run(person, now),
    );
  }

  /** Since when the person agrees; null where they do not. */
  agreedAt(who: Principal): number | null {
    const row = this.#tried(() =>
      this.#database.prepare('SELECT at FROM consents WHERE person = ?').get(this.#person(who)),
    ) as { at: number } | undefined;
    return row?.at ?? null;
  }

  /** Keeps a question where whose it is is kept at all, and takes off what is too old. Gives whether it was kept. */
  note(who: Principal, tenant: string, things: readonly string[], now: number): boolean {
    const named = [...new Set(things)].filter(({ length }) => length <= LONGEST).slice(0, MOST_THINGS);
    const kept = named.length > 0 && (this.#whose === 'everybody' || this.agreedAt(who) !== null);
    this.#write(() => {
      this.#expire(now);
      if (!kept) return;
      this.#database
        .prepare('INSERT INTO queries (person, tenant, at, things) VALUES (?, ?, ?, ?)')
        .run(this.#person(who), tenant, now, JSON.stringify(named));
    });
    return kept;
  }

  /** What is kept of a person, oldest first. */
  of(who: Principal, now: number): LoggedQuery[] {
    const rows = this.#tried(() =>
      this.#database
        .prepare('SELECT at, things FROM queries WHERE person = ? AND at >= ? ORDER BY id')
        .all(this.#person(who), this.#since(now)),
    ) as { at: number; things: string }[];
    return rows.map(({ at, things }) => ({ at, things: JSON.parse(things) as string[] }));
  }

  /** Takes consent back and everything of the person off, overwritten in the file. Gives how many questions there were. */
  erase(who: Principal): number {
    const person = this.#person(who);
    const gone = this.#write(() => {
      this.#database.prepare('DELETE FROM consents WHERE person = ?').run(person);
      return Number(this.#database.prepare('DELETE FROM queries WHERE person = ?').run(person).changes);
    });
    this.#settle();
    return gone;
  }

  /** How often each value is named, alone of them, in the newest questions of a tenant; those that nobody names are left out. */
  named(who: Principal, tenant: string, values: readonly string[], now: number): Named[] {
    const me = this.#person(who);
    const rows = this.#tried(() =>
      this.#database
        .prepare('SELECT person, things FROM queries WHERE tenant = ? AND at >= ? ORDER BY id DESC LIMIT ?')
        .all(tenant, this.#since(now), MOST_READ),
    ) as { person: string; things: string }[];
    const wanted = values.map((value) => ({ value, words: wordsOf(value) }));
    const found = new Map<string, { own: number; all: number; people: Set<string> }>();
    for (const { person, things } of rows) {
      const held = (JSON.parse(things) as string[]).map((thing) => new Set(wordsOf(thing)));
      const hits = wanted.filter(
        ({ words }) => words.length > 0 && held.some((thing) => words.every((word) => thing.has(word))),
      );
      const [hit] = hits;
      if (hit === undefined || hits.length > 1) continue;
      const sum = found.get(hit.value) ?? { own: 0, all: 0, people: new Set() };
      found.set(hit.value, {
        own: sum.own + Number(person === me),
        all: sum.all + 1,
        people: sum.people.add(person),
      });
    }
    return [...found].map(([value, { people, ...sum }]) => ({ value, ...sum, people: people.size }));
  }

  close(): void {
    this.#database.close();
  }

  #since(now: number): number {
    return now - this.#days * DAY_MS;
  }

  #expire(now: number): void {
    this.#database.prepare('DELETE FROM queries WHERE at < ?').run(this.#since(now));
  }

  #person({ id, via }: Principal): string {
    const { value } = this.#tried(() => this.#database.prepare('SELECT value FROM key').get()) as {
      value: string;
    };
    return createHmac('sha256', value)
      .update(JSON.stringify([via, id]))
      .digest('hex')
      .slice(0, 40);
  }

  /** What was deleted must not live on in the log of the database either. */
  #settle(): void {
    this.#tried(() => this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
  }

  #write<T>(work: () => T): T {
    return this.#tried(() => inTransaction(this.#database, work));
  }

  #tried<T>(work: () => T): T {
    return withSqlite(QUERY_LOG, this.#file, WAIT_MS, work);
  }
}

const wordsOf = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** What a question names by itself: what a default put into it is nobody's wish. */
function thingsIn({ parsed, defaults }: Decision): string[] {
  if (parsed === undefined || defaults.some(({ used }) => used !== null)) return [];
  const { entities, time, where } = parsed.scope;
  return [...parsed.fields, ...entities, ...time, ...(where === null ? [] : [where])];
}

type Decider = Pick<Router, 'route' | 'explain'>;

/**
 * A router that keeps what its questions name, and proposes defaults from what was kept before. That one could not be kept is
 * told, and keeps nobody from their answer.
 */
export function logging(
  router: Decider,
  log: QueryLog,
  who: Principal,
  tenant: string,
  announce: (message: string) => void,
): Decider {
  const note = (decision: Decision): Decision => {
    try {
      log.note(who, tenant, thingsIn(decision), Date.now());
    } catch (error) {
      if (!PragauraError.isInstance(error)) throw error;
      announce(`A question was not kept in the query log: ${error.message}`);
    }
    return decision;
  };
  const named: RouteOptions['named'] = (values, of, now) => log.named(who, of, values, now);
  return {
    route: async (query: Query, options?: RouteOptions) =>
      note(await router.route(query, { ...options, named })),
    explain: async (query: Query, options?: RouteOptions) => {
      const explanation = await router.explain(query, { ...options, named });
      note(explanation.decision);
      return explanation;
    },
  };
}
