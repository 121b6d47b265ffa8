/**
 * How indexes lie in PostgreSQL: tables in a schema of their own, of which each generation is a partition, so that what may be
 * read by whom is said once for all generations.
 */
import { z } from 'zod';
import { FIELDS } from '../../postings/index.ts';
import { ManifestSchema } from '../../store/manifest.ts';

/** Of whatever version. */
export const KIND = 'pragaura.pgvector/';
/** Said by the schema's comment; changes with the tables and with all that makes rankings other ones. */
export const SCHEMA = 'pragaura.pgvector/1';

/** What a generation says of itself. */
export const Meta = z.strictObject({
  manifest: ManifestSchema,
  /** Of each field how many terms all passages have together, and how many passages have one. */
  fields: z.record(z.enum(FIELDS), z.strictObject({ total: z.number(), holding: z.number() })),
  /** What is read at opening, in how many rows it lies, and its sha256. */
  segments: z.record(z.string(), z.strictObject({ parts: z.number().int(), sha256: z.string() })),
  /** How many postings there are. */
  postings: z.number().int(),
  /** What its owner says are identifiers. */
  declared: z.strictObject({ families: z.array(z.string()), patterns: z.array(z.string()) }),
});
export type Meta = z.infer<typeof Meta>;

/** Postings that one row holds at most. */
export const BLOCK = 8_000;
/** Lists of passages that are no field's: by a key that they explain, by genre, by a kind of quantity (a bit of `QUANTITY`). */
export type Listed = 'entry' | 'heading' | 'genre' | 'kind';

/** The tables that have a partition a generation. */
export const PARTITIONED = ['documents', 'passages', 'postings', 'segments'] as const;

/** PostgreSQL has no NUL in a text. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

/**
 * All that is made once. Whoever owns the tables reads and writes all of them. Of others a row of `readers` says what they
 * may read: an index (path ''), a folder of documents (path 'docs/hr/'), or one. Who may read an index whole searches in
 * PostgreSQL; who may not reads rows of documents and passages, and neither postings nor lists of terms, which are of all.
 */
export function schemaStatements(schema: string): string[] {
  const own = `SELECT g.id FROM ${schema}.generations g JOIN ${schema}.readers r USING (index_name) WHERE r.path = ''`;
  const policies: Record<string, string> = {
    readers: `pg_has_role(to_regrole(quote_ident(role)), 'USAGE')`,
    indexes: `index_name IN (SELECT r.index_name FROM ${schema}.readers r)`,
    generations: `index_name IN (SELECT r.index_name FROM ${schema}.readers r)`,
    documents: `EXISTS (SELECT FROM ${schema}.generations g JOIN ${schema}.readers r USING (index_name)
      WHERE g.id = generation AND (r.path IN ('', doc_id, split_part(source, '#', 1))
        OR (right(r.path, 1) = '/' AND starts_with(doc_id, r.path))))`,
    passages: `generation IN (${own})
      OR (generation, document) IN (SELECT d.generation, d.number FROM ${schema}.documents d)`,
    postings: `generation IN (${own})`,
    segments: `generation IN (${own})`,
  };
  const terms = FIELDS.map((name) => `terms_${name} text`).join(', ');
  const parted = 'PARTITION BY LIST (generation)';
  return [
    `CREATE SCHEMA ${schema}`,
    `COMMENT ON SCHEMA ${schema} IS '${SCHEMA}'`,
    `CREATE TABLE ${schema}.generations (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, index_name text NOT NULL,
      hash text NOT NULL, meta text NOT NULL, written timestamptz NOT NULL DEFAULT now())`,
    `CREATE TABLE ${schema}.indexes (index_name text PRIMARY KEY, generation int NOT NULL REFERENCES ${schema}.generations,
      before int REFERENCES ${schema}.generations ON DELETE SET NULL)`,
    `CREATE TABLE ${schema}.readers (index_name text NOT NULL, role text NOT NULL, path text NOT NULL DEFAULT '',
      PRIMARY KEY (index_name, role, path))`,
    `CREATE TABLE ${schema}.documents (generation int NOT NULL, number int NOT NULL, doc_id text NOT NULL,
      source text NOT NULL, entry text NOT NULL, parts text NOT NULL) ${parted}`,
    // The passage and its parts are JSON texts: decisions quote them to the letter, and jsonb would sort their keys.
    `CREATE TABLE ${schema}.passages (generation int NOT NULL, ordinal int NOT NULL, document int NOT NULL,
      stored text NOT NULL, ${terms}, key bytea NOT NULL, embedding vector NOT NULL) ${parted}`,
    `CREATE TABLE ${schema}.postings (generation int NOT NULL, field text NOT NULL, term text NOT NULL, first int NOT NULL,
      ordinals int[] NOT NULL, shares real[]) ${parted}`,
    `CREATE TABLE ${schema}.segments (generation int NOT NULL, name text NOT NULL, part int NOT NULL,
      bytes bytea NOT NULL) ${parted}`,
    ...Object.entries(policies).flatMap(([table, allowed]) => [
      `ALTER TABLE ${schema}.${table} ENABLE ROW LEVEL SECURITY`,
      `CREATE POLICY readers ON ${schema}.${table} FOR SELECT USING (${allowed})`,
    ]),
  ];
}

const INDEXES: Readonly<Record<(typeof PARTITIONED)[number], string>> = {
  documents: 'number',
  passages: 'ordinal',
  postings: 'field, term, first',
  segments: 'name, part',
};

/** Lists are read as they are, and not unpacked for every question; vectors lie beside the rows that they are compared for. */
const STORAGE: Partial<Record<(typeof PARTITIONED)[number], string>> = {
  passages: 'ALTER embedding SET STORAGE MAIN',
  postings: 'ALTER ordinals SET STORAGE EXTERNAL, ALTER shares SET STORAGE EXTERNAL',
};

/** The tables of a generation before it is written. Nobody but their owner may read them by their own names. */
export function tableStatements(schema: string, generation: number): string[] {
  return PARTITIONED.flatMap((table) => {
    const own = `${schema}.${table}_${generation}`;
    return [
      `CREATE TABLE ${own} (LIKE ${schema}.${table}, CHECK (generation = ${generation}))`,
      `ALTER TABLE ${own} ENABLE ROW LEVEL SECURITY`,
      ...(STORAGE[table] === undefined ? [] : [`ALTER TABLE ${own} ${STORAGE[table]}`]),
    ];
  });
}

/** Name of the graph of neighbours. */
export const graphOf = (generation: number) => `passages_${generation}_graph`;

/** What makes a generation searchable once it is written, and joins it to the others. */
export function finishStatements(schema: string, generation: number, dimension: number): string[] {
  return [
    ...PARTITIONED.map(
      (table) => `ALTER TABLE ${schema}.${table}_${generation} ADD PRIMARY KEY (${INDEXES[table]})`,
    ),
    `CREATE INDEX ${graphOf(generation)} ON ${schema}.passages_${generation} USING hnsw ((embedding::vector(${dimension})) vector_ip_ops)
      WITH (m = 16, ef_construction = 128)`,
    ...PARTITIONED.flatMap((table) => [
      `ANALYZE ${schema}.${table}_${generation}`,
      `ALTER TABLE ${schema}.${table} ATTACH PARTITION ${schema}.${table}_${generation} FOR VALUES IN (${generation})`,
    ]),
  ];
}
