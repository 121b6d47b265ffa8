/** How what an engine hands over is scored: by the formulas of the embedded index, out of the terms and vectors themselves. */
import {
  type FieldName,
  type Lexicon,
  PARAMETERS,
  type QueryTerm,
  shareOf,
  type WeightedTerm,
} from '../postings/index.ts';
import type { Manifest } from '../types.ts';
import type { IndexedPassage, Seen } from './backend.ts';
import type { FieldTotals } from './copy.ts';
import { type Filters, isAllowed } from './filters.ts';
import { similarity } from './similarity.ts';

/** Of what explains a term so many passages are looked at. */
export const MOST_ENTRIES = 1_000;

/** What of a generation scores depend on. */
interface Counted {
  manifest: Pick<Manifest, 'counts'>;
  fields: Readonly<Record<FieldName, Pick<FieldTotals, 'total'>>>;
}

/** The share of a passage's BM25, in [0, 1], by the terms of one of its fields: with blanks between them, as they are kept. */
export function termShare(
  { fields, manifest }: Counted,
  field: FieldName,
  weighed: readonly WeightedTerm[],
  terms: string | null | undefined,
): number {
  const average = fields[field].total / manifest.counts.passages;
  return shareOf(weighed, terms?.split(' ') ?? [], { parameters: PARAMETERS[field], average });
}

/** Passages as a query sees them, without those that its filters keep out. */
export function seenFrom(
  found: readonly { indexed: IndexedPassage; terms: string | null | undefined }[],
  asked: { terms: readonly QueryTerm[]; vector: Float32Array; filters?: Filters | undefined },
  { meta, text }: { meta: Counted; text: Lexicon },
): Seen[] {
  const weighed = text.weigh(asked.terms);
  return found
    .filter(({ indexed }) => isAllowed(indexed.passage, asked.filters))
    .map(({ indexed, terms }) => ({
      ...indexed,
      lexical: termShare(meta, 'text', weighed, terms),
      dense: similarity(indexed.vector!, asked.vector),
    }));
}

/** Those of the ordinals that an index of `size` passages has. */
export function ordinalsIn(size: number, ordinals: readonly number[]): number[] {
  return ordinals.filter((ordinal) => Number.isInteger(ordinal) && ordinal >= 0 && ordinal < size);
}

/** The single bits of a set of kinds. */
export function bitsOf(kinds: number): number[] {
  return Array.from({ length: 16 }, (_, i) => 1 << i).filter((bit) => (kinds & bit) !== 0);
}
