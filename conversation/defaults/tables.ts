/** The statements that the store needs. Each runs as a whole or not at all, and names the file when it fails. */
import { createHash } from 'node:crypto';
import {
  type Database,
  inTransaction,
  type Statement,
  storeUnusable,
  withSqlite,
} from '../../common/index.ts';
import { questionsOf, votesOf } from './rows.ts';
import { DEFAULTS_STORE } from './schema.ts';
import type { OpenQuestion, Vote } from './types.ts';

export interface Field {
  tenant: string;
  scope: string;
  field: string;
}

export interface AuditEntry {
  id: number;
  tenant: string;
  at: number;
  /** "use": a default was applied, proposed, asked for or overruled. "forget": votes were deleted. */
  kind: 'use' | 'forget';
  /** Id of the default; "*" where all of a tenant were forgotten. */
  subject: string;
  /** Id of the query. */
  query: string | null;
  /** SHA-256 of the record's JSON; null in entries from before there was one. */
  sha256: string | null;
  /** Null where it was forgotten. */
  record: unknown;
}

export type NewVote = Omit<Vote, 'id' | 'conditions'> & { conditions: string; once: string | null };

const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');

export class Tables {
  readonly #database: Database;
  readonly #file: string;
  readonly #waitMs: number;
  readonly #statements = new Map<string, Statement>();

  constructor(database: Database, file: string, waitMs: number) {
    this.#database = database;
    this.#file = file;
    this.#waitMs = waitMs;
  }

  /** Runs `work` as one transaction, on the disk when it returns. */
  write<T>(work: () => T): T {
    return this.#tried(() => inTransaction(this.#database, work));
  }

  /** The same without waiting for the disk. */
  quickly<T>(work: () => T): T {
    this.#database.exec('PRAGMA synchronous = NORMAL');
    try {
      return this.write(work);
    } finally {
      this.#database.exec('PRAGMA synchronous = FULL');
    }
  }

  fields(tenant: string | undefined): Field[] {
    const rows = this.#tried(() =>
      this.#prepared(
        `SELECT DISTINCT tenant, scope, field FROM votes WHERE tenant = ?1 OR ?1 IS NULL
         ORDER BY tenant, scope, field`,
      ).all(tenant ?? null),
    );
    return (rows as Field[]).map((row) => ({ ...row }));
  }

  /** The newest `most` votes on a field, oldest first; -1: all. */
  votes({ tenant, scope, field }: Field, most: number): Vote[] {
    const rows = this.#tried(() =>
      this.#prepared(
        `SELECT id, at, signal, value, doc, conditions FROM votes
         WHERE tenant = ? AND scope = ? AND field = ? ORDER BY id DESC LIMIT ?`,
      ).all(tenant, scope, field, most),
    );
    return votesOf(rows, this.#file).reverse();
  }

  /** False for a vote that is there already. Inside `write`, as are all that follow. */
  insert({ tenant, scope, field }: Field, { conditions, signal, value, docId, at, once }: NewVote): boolean {
    const { changes } = this.#prepared(
      `INSERT INTO votes (tenant, scope, field, conditions, signal, value, doc, at, once)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ).run(tenant, scope, field, conditions, signal, value, docId, at, once);
    return Number(changes) > 0;
  }

  remove(id: number): void {
    this.#prepared('DELETE FROM votes WHERE id = ?').run(id);
  }

  /** @returns votes deleted */
  removeBefore(tenant: string, before: number): number {
    const { changes } = this.#prepared('DELETE FROM votes WHERE tenant = ? AND at < ?').run(tenant, before);
    return Number(changes);
  }

  audit(entry: Omit<AuditEntry, 'id' | 'sha256'>): void {
    const { tenant, at, kind, subject, query } = entry;
    const record = JSON.stringify(entry.record);
    const sha256 = sha256Of(record);
    this.#prepared(
      'INSERT INTO audit (tenant, at, kind, subject, query, sha256) VALUES (?, ?, ?, ?, ?, ?)',
    ).run(tenant, at, kind, subject, query, sha256);
    this.#prepared('INSERT INTO audit_records (entry, record) VALUES (last_insert_rowid(), ?)').run(record);
  }

  /** Forgets what was said in the uses of one default, or of all of a tenant, before a moment; the entries stay. */
  removeUses(tenant: string, subject: string | null, before: number): void {
    this.#prepared(
      `DELETE FROM audit_records WHERE entry IN (SELECT id FROM audit
         WHERE kind = 'use' AND tenant = ?1 AND (subject = ?2 OR ?2 IS NULL) AND at < ?3)`,
    ).run(tenant, subject, before);
  }

  /** Keeps a question for its answer. `query`: hash of the user's words; `subject`: id of the default. */
  ask(tenant: string, query: string, subject: string, question: OpenQuestion): void {
    this.#prepared('INSERT INTO questions (tenant, query, at, subject, record) VALUES (?, ?, ?, ?, ?)').run(
      tenant,
      query,
      question.at,
      subject,
      JSON.stringify(question),
    );
  }

  /** The newest `most` questions about these words since a moment, newest first. */
  asked(tenant: string, query: string, since: number, most: number): OpenQuestion[] {
    const rows = this.#tried(() =>
      this.#prepared(
        'SELECT record FROM questions WHERE tenant = ? AND query = ? AND at >= ? ORDER BY id DESC LIMIT ?',
      ).all(tenant, query, since, most),
    );
    return questionsOf(rows, this.#file);
  }

  /** Deletes the questions about one default (null: about any) of a tenant (null: of all) before a moment. */
  removeQuestions(tenant: string | null, subject: string | null, before: number): void {
    this.#prepared(
      'DELETE FROM questions WHERE (tenant = ?1 OR ?1 IS NULL) AND (subject = ?2 OR ?2 IS NULL) AND at < ?3',
    ).run(tenant, subject, before);
  }

  /**
   * The audit trail of a tenant (null: of all) and a default (null: of all), oldest first. Throws DEFAULTS_UNUSABLE where
   * what an entry says is not what was written.
   */
  trail(tenant: string | null, subject: string | null): AuditEntry[] {
    const rows = this.#tried(() =>
      this.#prepared(
        `SELECT audit.*, record FROM audit LEFT JOIN audit_records ON entry = id
         WHERE (tenant = ?1 OR ?1 IS NULL) AND (subject = ?2 OR ?2 IS NULL) ORDER BY id`,
      ).all(tenant, subject),
    ) as (AuditEntry & { record: string | null })[];
    return rows.map(({ record, ...entry }) => {
      if (record !== null && entry.sha256 !== null && sha256Of(record) !== entry.sha256) {
        throw storeUnusable(DEFAULTS_STORE, this.#file, `entry ${entry.id} of its audit trail was changed`);
      }
      return { ...entry, record: JSON.parse(record ?? 'null') as unknown };
    });
  }

  /** Moves what is in the log into the file, and empties the log. */
  settle(): void {
    this.#tried(() => this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
  }

  /** The file alone holds everything afterwards, unless another process uses it: a copy of it is whole. */
  close(): void {
    try {
      this.settle();
    } finally {
      this.#database.close();
    }
  }

  #prepared(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #tried<T>(work: () => T): T {
    return withSqlite(DEFAULTS_STORE, this.#file, this.#waitMs, work);
  }
}
