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
];

export const DEFAULTS_STORE: StoreKind = {
  name: 'a store of defaults',
  made: 'It is made when the first query is routed with it.',
  // "PGDF"
  applicationId: 0x50474446,
  migrations: MIGRATIONS,
  codes: { unusable: 'DEFAULTS_UNUSABLE', locked: 'DEFAULTS_LOCKED' },
};
