/** Tables of the store, one version after the other. */
import type { StoreKind } from '../../common/index.ts';

const MIGRATIONS: readonly string[] = [
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
  // Entries of the audit trail are only ever added. What was said in one may be forgotten, since it holds words of people;
  // its hash stays. An INSERT OR REPLACE deletes without a trigger for DELETE, hence the third.
  `CREATE TABLE audit_records (
     entry INTEGER PRIMARY KEY,
     record TEXT NOT NULL
   ) STRICT;
   INSERT INTO audit_records SELECT id, record FROM audit;
   DROP INDEX audit_by_subject;
   ALTER TABLE audit RENAME TO audit_before;
   CREATE TABLE audit (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     tenant TEXT NOT NULL,
     at INTEGER NOT NULL,
     kind TEXT NOT NULL,
     subject TEXT NOT NULL,
     query TEXT,
     sha256 TEXT
   ) STRICT;
   INSERT INTO audit SELECT id, tenant, at, kind, subject, query, NULL FROM audit_before;
   DROP TABLE audit_before;
   CREATE INDEX audit_by_subject ON audit (tenant, subject, id);
   CREATE TRIGGER audit_not_changed BEFORE UPDATE ON audit
     BEGIN SELECT RAISE(ABORT, 'the audit trail is only added to'); END;
   CREATE TRIGGER audit_not_deleted BEFORE DELETE ON audit
     BEGIN SELECT RAISE(ABORT, 'the audit trail is only added to'); END;
   CREATE TRIGGER audit_not_replaced BEFORE INSERT ON audit
     WHEN NEW.id IN (SELECT id FROM audit)
     BEGIN SELECT RAISE(ABORT, 'the audit trail is only added to'); END;
   CREATE TRIGGER audit_record_not_changed BEFORE UPDATE ON audit_records
     BEGIN SELECT RAISE(ABORT, 'the audit trail is only added to'); END;`,
];

export const DEFAULTS_STORE: StoreKind = {
  name: 'a store of defaults',
  made: 'It is made when the first query is routed with it.',
  // "PGDF"
  applicationId: 0x50474446,
  migrations: MIGRATIONS,
  codes: { unusable: 'DEFAULTS_UNUSABLE', locked: 'DEFAULTS_LOCKED' },
};
