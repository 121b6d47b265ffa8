import type { Passage } from '../passages/passage.ts';
import type { SegmentSource } from '../types.ts';
import { type Bm25, Field } from './field.ts';
import { numbers } from './numbers.ts';

export const FIELDS = ['text', 'definition', 'quantity', 'procedure', 'cause'] as const;
export type FieldName = (typeof FIELDS)[number];

/** Tuned on the 44 training articles of SQuAD. Names in definitions are short: their length says nothing. */
export const PARAMETERS: Readonly<Record<FieldName, Bm25>> = {
  text: { k1: 0.9, b: 0.7 },
  definition: { k1: 0.5, b: 0 },
  quantity: { k1: 0.9, b: 0.7 },
  procedure: { k1: 0.9, b: 0.7 },
  cause: { k1: 0.9, b: 0.7 },
};

export interface Postings {
  readonly fields: Readonly<Record<FieldName, Field>>;
  /** Bits of `QUANTITY` by ordinal. */
  readonly kinds: Uint16Array;
}

/** Lays the postings over an index's segments. Throws INDEX_UNUSABLE when they are missing or do not fit. */
export function loadPostings(source: SegmentSource, passages: readonly Passage[]): Postings {
  const size = passages.length;
  const field = (name: FieldName) => new Field(source, name, size, PARAMETERS[name]);
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
