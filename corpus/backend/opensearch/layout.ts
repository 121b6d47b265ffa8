/** What a generation looks like in OpenSearch: an index of its own, to which an alias with the index's name points. */
import { z } from 'zod';
import { FIELDS, type FieldName, PARAMETERS } from '../../postings/index.ts';
import { ManifestSchema } from '../../store/manifest.ts';
import type { Manifest } from '../../types.ts';
import type { Address } from './address.ts';

export const KIND = 'pragaura.opensearch/';
/** Changes with all that makes rankings other ones. */
export const SCHEMA = 'pragaura.opensearch/1';

/** What the mapping of a generation says of it. */
export const Meta = z.strictObject({
  schema: z.literal(SCHEMA),
  manifest: ManifestSchema,
  /** Of each field how many terms all passages have together, and how many passages have one. */
  fields: z.record(z.enum(FIELDS), z.strictObject({ total: z.number(), holding: z.number() })),
  /** What is read at opening, in how many documents it lies, and its sha256. */
  segments: z.record(z.string(), z.strictObject({ parts: z.number().int(), sha256: z.string() })),
  /** Said last: every passage is there and was counted. */
  complete: z.boolean(),
});
export type Meta = z.infer<typeof Meta>;

/** Hits that one search may give at most. */
export const MOST_HITS = 210_000;
/** And one by vectors. */
export const MOST_NEAREST = 10_000;

export function generationIndex(alias: string, { hash }: Pick<Manifest, 'hash'>): string {
  return `${alias}-generation-${hash.slice(0, 16)}`;
}

/** The generations of an alias, as a pattern of names. */
export function generationsOf(alias: string): string {
  return `${alias}-generation-*`;
}

export const passageId = (ordinal: number) => `p${ordinal}`;
export const segmentId = (name: string, part: number) => `s${part}/${name}`;

function textField(name: FieldName) {
  return {
    type: 'text',
    analyzer: 'pragaura_terms',
    similarity: `pragaura_${name}`,
    index_options: 'freqs',
  };
}

/** Settings and mappings of a generation. Terms come analysed: they are parted at spaces and left as they are. */
export function indexBody({ shards, replicas }: Address, meta: Meta) {
  const keyword = { type: 'keyword', doc_values: false };
  const kept = { ...keyword, index: false };
  return {
    settings: {
      number_of_shards: shards,
      ...(replicas === null ? { auto_expand_replicas: '0-1' } : { number_of_replicas: replicas }),
      refresh_interval: '-1',
      max_result_window: MOST_HITS,
      // A filter may name each document.
      max_terms_count: 1_000_000,
      'index.knn': true,
      analysis: {
        tokenizer: { pragaura_spaces: { type: 'whitespace', max_token_length: 1_000 } },
        analyzer: { pragaura_terms: { type: 'custom', tokenizer: 'pragaura_spaces' } },
      },
      similarity: Object.fromEntries(
        FIELDS.map((name) => [`pragaura_${name}`, { type: 'BM25', ...PARAMETERS[name] }]),
      ),
    },
    mappings: {
      dynamic: 'strict',
      _meta: meta,
      properties: {
        id: kept,
        ordinal: { type: 'integer' },
        docId: keyword,
        source: keyword,
        genre: keyword,
        kinds: { type: 'integer' },
        entries: keyword,
        headings: keyword,
        terms: { properties: Object.fromEntries(FIELDS.map((name) => [name, textField(name)])) },
        vector: {
          type: 'knn_vector',
          dimension: meta.manifest.embedder.dimension,
          method: {
            name: 'hnsw',
            engine: 'lucene',
            space_type: 'innerproduct',
            parameters: { m: 16, ef_construction: 128 },
          },
        },
        /** The passage and its parts, as JSON: the engine may put the keys of an object in another order. */
        stored: kept,
        /** The same vector to the bit, for exact cosines: base64 of little-endian floats. */
        floats: kept,
        /** A piece of what is read at opening: base64. */
        bytes: kept,
      },
      _source: { excludes: ['vector'] },
    },
  };
}
