/** Learned defaults in one file that several processes may use at once. */
import { parseAs } from '../streams/index.ts';
import { openDatabase } from './open-database.ts';
import { defaultRecord, resolveFrom } from './resolve.ts';
import { sortedPairs, votesOf } from './rows.ts';
import { inTransaction } from './schema.ts';
import { type Database, withSqlite } from './sqlite.ts';
import { leavesOf } from './strata.ts';
import { isIn, tally } from './tally.ts';
import {
  Answer,
  type ClarificationDefault,
  Conditions,
  DefaultSettings,
  DefaultsOverrule,
  type DefaultUse,
  Need,
  Tenant,
  type Vote,
} from './types.ts';

const DEFAULT_WAIT_MS = 5000;

/** Only the newest votes on a field are looked at: they say what users want now, and a query must not wait. */
export const VOTES_READ = 2000;

export interface DefaultsOptions {
  file: string;
  /** Make the file where there is none. Default false. */
  create?: boolean;
  /** How long to wait for another process that holds the file, in milliseconds. Default 5,000. */
  waitMs?: number;
  settings?: Partial<DefaultSettings>;
  /** Whether a document is in the index. Default: none is, and no default that points to a document is applied. */
  documentExists?: (docId: string) => boolean;
}

/** Which defaults to forget; what is given must all hold. */
export interface Forget {
  tenant: string;
  /** Ids of defaults; left out: all of the tenant. */
  ids?: readonly string[];
  /** Only votes cast before this moment (milliseconds since 1970). */
  before?: number;
  /** Also what the audit trail holds of them. */
  audit?: boolean;
}

export interface AuditEntry {
  id: number;
  tenant: string;
  at: number;
  /** "use": a default was applied, proposed, asked for or overruled. "forget": votes were deleted. */
  kind: 'use' | 'forget';
  /** Id of the default. */
  subject: string;
  /** Id of the query. */
  query: string | null;
  record: unknown;
}

interface Field {
  tenant: string;
  scope: string;
  field: string;
}

const parseNeed = parseAs(Need, 'A need is {"field", "scope"?, "candidates"?}.');
const parseConditions = parseAs(
  Conditions,
  'Conditions are an object of texts, for example {"region": "EU"}.',
);
const parseTenant = parseAs(Tenant, 'A tenant is a text of 1 to 200 characters.');
const parseOverrule = parseAs(
  DefaultsOverrule,
  'Say false, or an object of fields with a value or null each.',
);
const parseAnswer = parseAs(
  Answer,
  'An answer is {"tenant", "need", "conditions", "signal", "value", "at"}.',
);
const parseSettings = parseAs(DefaultSettings, 'See DefaultSettings for names and ranges.');

/**
 * Opens the store of learned defaults. Everything is synchronous after that; a vote that was taken is on the disk.
 * @throws NOT_FOUND without a file and without `create`, DEFAULTS_UNUSABLE for a damaged or foreign file (which is
 * left as it is), DEFAULTS_LOCKED after `waitMs`, WRITE_FAILED
 */
export async function openDefaults(options: DefaultsOptions): Promise<DefaultsStore> {
  const waitMs = options.waitMs ?? DEFAULT_WAIT_MS;
  const settings = parseSettings(options.settings ?? {}) as DefaultSettings;
  const database = await openDatabase(options.file, { create: options.create ?? false, waitMs });
  return new DefaultsStore(database, { ...options, waitMs, settings });
}

export class DefaultsStore {
  readonly settings: DefaultSettings;
  readonly #database: Database;
  readonly #file: string;
  readonly #waitMs: number;
  readonly #documentExists: (docId: string) => boolean;

  /** @internal `openDefaults` makes one. */
  constructor(database: Database, options: DefaultsOptions & { waitMs: number; settings: DefaultSettings }) {
    this.#database = database;
    this.#file = options.file;
    this.#waitMs = options.waitMs;
    this.settings = options.settings;
    this.#documentExists = options.documentExists ?? (() => false);
  }

  /**
   * What is to be done about a missing piece: outcome APPLIED with the value `used`, SUGGESTED (ask, and propose
   * `default.value`), ASKED, or OVERRULED by the query. The whole return value belongs into the decision; `note` keeps
   * it in the store as well. `now` in milliseconds since 1970. Reads only.
   * @throws INVALID_INPUT, DEFAULTS_LOCKED, DEFAULTS_UNUSABLE
   */
  resolve(
    need: Need,
    conditions: Conditions,
    tenant: string,
    now: number,
    overrule?: DefaultsOverrule,
  ): DefaultUse {
    const { field, scope, candidates } = parseNeed(need) as {
      field: string;
      scope: string;
      candidates?: string[];
    };
    const pairs = sortedPairs(parseConditions(conditions));
    const own = overrule === undefined ? undefined : parseOverrule(overrule);
    const votes = this.#votes({ tenant: parseTenant(tenant), scope, field });
    const request = { tenant, field, scope, candidates, conditions: pairs, overrule: own };
    return resolveFrom(votes, request, this.settings, now, this.#documentExists);
  }

  /**
   * Takes an answer: a vote, or two where a rejection names another value. False when `once` says that it was here
   * before. On the disk when this returns.
   * @throws INVALID_INPUT, DEFAULTS_LOCKED, WRITE_FAILED
   */
  learn(answer: Answer): boolean {
    const { tenant, need, conditions, at, once, ...said } = parseAnswer(answer);
    const votes = [{ signal: said.signal, value: said.value, docId: said.docId }];
    if (said.signal === 'explicit_no' && said.instead !== undefined) {
      votes.push({ signal: 'explicit_yes', value: said.instead.value, docId: said.instead.docId });
    }
    const place = [tenant, need.scope ?? '', need.field, JSON.stringify(sortedPairs(conditions))];
    return this.#write(() => {
      const insert = this.#database.prepare(
        `INSERT INTO votes (tenant, scope, field, conditions, signal, value, doc, at, once)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      );
      let taken = 0;
      for (const { signal, value, docId } of votes) {
        taken += Number(insert.run(...place, signal, value, docId ?? null, at, once ?? null).changes);
      }
      return taken > 0;
    });
  }

  /** Writes a use into the audit trail of the store, with the id of its query. */
  note(use: DefaultUse, queryId: string): void {
    this.#write(() =>
      this.#audit({
        tenant: use.default.tenant,
        at: Date.parse(use.at),
        kind: 'use',
        subject: use.default.id,
        query: queryId,
        record: use,
      }),
    );
  }

  /** Every default, one for each stratum, of one tenant or of all. */
  list(tenant: string | undefined, now: number): ClarificationDefault[] {
    return this.#fields(tenant).flatMap((place) =>
      leavesOf(this.#votes(place), this.settings, now).map(({ stratum, votes }) =>
        defaultRecord({ ...place, stratum }, tally(votes, this.settings, now), this.settings),
      ),
    );
  }

  /** The votes of a default and its trail, newest last; null where there is no default of that id. */
  show(
    id: string,
    tenant: string | undefined,
    now: number,
  ): { default: ClarificationDefault; votes: Vote[]; audit: AuditEntry[] } | null {
    const found = this.list(tenant, now).find((one) => one.id === id);
    if (found === undefined) return null;
    const votes = this.#votes(found).filter((vote) => isIn(vote, found.conditions));
    return {
      default: found,
      votes,
      audit: this.#trail('WHERE tenant = ? AND subject = ?', found.tenant, id),
    };
  }

  /**
   * Deletes votes, overwrites where they stood, and writes into the audit trail how many of which default.
   * @returns votes deleted, by default; empty where nothing fits
   */
  forget(what: Forget, now: number): Map<string, number> {
    const forgotten = new Map<string, number>();
    this.#write(() => {
      const remove = this.#database.prepare('DELETE FROM votes WHERE id = ?');
      for (const place of this.#fields(what.tenant)) {
        const all = this.#votes(place, -1);
        // Strata are those that `list` shows, from the newest votes; older votes belong to them by their conditions.
        for (const { stratum } of leavesOf(all.slice(-VOTES_READ), this.settings, now)) {
          const { id } = defaultRecord({ ...place, stratum }, tally([], this.settings, now), this.settings);
          if (what.ids !== undefined && !what.ids.includes(id)) continue;
          const gone = all.filter(
            (vote) => isIn(vote, stratum) && vote.at < (what.before ?? Number.POSITIVE_INFINITY),
          );
          for (const vote of gone) remove.run(vote.id);
          if (gone.length > 0) forgotten.set(id, gone.length);
        }
      }
      for (const [id, votes] of forgotten) {
        if (what.audit) {
          this.#database.prepare('DELETE FROM audit WHERE tenant = ? AND subject = ?').run(what.tenant, id);
        }
        this.#audit({
          tenant: what.tenant,
          at: now,
          kind: 'forget',
          subject: id,
          query: null,
          record: { votes },
        });
      }
    });
    // What was deleted must not live on in the log either.
    withSqlite(this.#file, this.#waitMs, () => this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
    return forgotten;
  }

  /** All votes of one tenant or of all, each with its field, in the order in which they were cast. */
  *votes(tenant?: string): Generator<Field & Vote> {
    for (const place of this.#fields(tenant)) {
      for (const vote of this.#votes(place, -1)) yield { ...place, ...vote };
    }
  }

  /** The audit trail of one tenant or of all, oldest first. */
  trail(tenant?: string): AuditEntry[] {
    return tenant === undefined ? this.#trail('') : this.#trail('WHERE tenant = ?', tenant);
  }

  close(): void {
    this.#database.close();
  }

  #fields(tenant: string | undefined): Field[] {
    return withSqlite(this.#file, this.#waitMs, () => {
      const order = 'ORDER BY tenant, scope, field';
      const rows =
        tenant === undefined
          ? this.#database.prepare(`SELECT DISTINCT tenant, scope, field FROM votes ${order}`).all()
          : this.#database
              .prepare(`SELECT DISTINCT tenant, scope, field FROM votes WHERE tenant = ? ${order}`)
              .all(tenant);
      return (rows as Field[]).map((row) => ({ ...row }));
    });
  }

  /** The newest `most` votes on a field, oldest first; -1: all. */
  #votes({ tenant, scope, field }: Field, most = VOTES_READ): Vote[] {
    const rows = withSqlite(this.#file, this.#waitMs, () =>
      this.#database
        .prepare(
          `SELECT id, at, signal, value, doc, conditions FROM votes
           WHERE tenant = ? AND scope = ? AND field = ? ORDER BY id DESC LIMIT ?`,
        )
        .all(tenant, scope, field, most),
    );
    return votesOf(rows, this.#file).reverse();
  }

  #trail(where: string, ...values: string[]): AuditEntry[] {
    return withSqlite(this.#file, this.#waitMs, () =>
      (
        this.#database.prepare(`SELECT * FROM audit ${where} ORDER BY id`).all(...values) as (AuditEntry & {
          record: string;
        })[]
      ).map((row) => ({ ...row, record: JSON.parse(row.record) as unknown })),
    );
  }

  #audit(entry: Omit<AuditEntry, 'id'>): void {
    this.#database
      .prepare('INSERT INTO audit (tenant, at, kind, subject, query, record) VALUES (?, ?, ?, ?, ?, ?)')
      .run(entry.tenant, entry.at, entry.kind, entry.subject, entry.query, JSON.stringify(entry.record));
  }

  #write<T>(work: () => T): T {
    return withSqlite(this.#file, this.#waitMs, () => inTransaction(this.#database, work));
  }
}
