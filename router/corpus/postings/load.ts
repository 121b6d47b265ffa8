import type { Passage } from '../../contracts.ts';
import type { SegmentSource } from '../types.ts';
import { type Bm25, Field } from './field.ts';
import { numbers } from './numbers.ts';

const FIELDS = ['text', 'definition', 'quantity', 'procedure', 'cause'] as const;
export type FieldName = (typeof FIELDS)[number];

const PARAMETERS: Bm25 = { k1: 1.2, b: 0.75 };

export interface Postings {
  readonly fields: Readonly<Record<FieldName, Field>>;
  /** Bits of `QUANTITY` by ordinal. */
  readonly kinds: Uint16Array;
}

/** Lays the postings over an index's segments. Throws INDEX_UNUSABLE when they are missing or do not fit. */
export function loadPostings(source: SegmentSource, passages: readonly Passage[]): Postings {
  const size = passages.length;
  const field = (name: FieldName) => new Field(source, name, size, PARAMETERS);
  return {
    fields: {
      text: field('text'),
      definition: field('definition'),
      quantity: field('quantity'),
      procedure: field('procedure'),
      cause: field('cause'),
    },
    kinds: numbers(source, 'postings.kinds', Uint16Array, size),
  };
}
