import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PART_KINDS, type Part, type Segments } from '../types.ts';
import { encodeParts, PARTS_SEGMENT, StoredParts } from './parts.ts';

const source = (segments: Segments) => ({ segment: (name: string) => segments[name]! });

/** Parts of a document, ordered as a reader leaves them. */
const documentParts = fc
  .array(
    fc.record({
      kind: fc.constantFrom(...PART_KINDS),
      start: fc.nat(200),
      length: fc.integer({ min: 1, max: 120 }),
      depth: fc.nat(40),
      list: fc.option(fc.integer({ min: 1, max: 9 })),
      position: fc.option(fc.nat(500)),
      ordered: fc.boolean(),
      term: fc.option(fc.constantFrom('-a', '--all', 'bare repository', '__proto__', 'Käse 🙂')),
    }),
    { maxLength: 30 },
  )
  .map((parts) =>
    parts
      .map(({ length, ...part }): Part => ({ ...part, end: part.start + length }))
      .sort((a, b) => a.start - b.start || b.end - a.end),
  );

it('gives back what was stored, and of a stretch all parts that overlap it', () => {
  fc.assert(
    fc.property(
      fc.array(documentParts, { maxLength: 5 }),
      fc.nat(200),
      fc.nat(60),
      (documents, start, length) => {
        const stored = new StoredParts(source(encodeParts(documents)), documents.length);
        const end = start + length + 1;
        documents.forEach((parts, place) => {
          expect(stored.of(place)).toEqual(parts);
          const overlapping = parts.filter((part) => part.start < end && part.end > start);
          expect(stored.within(place, start, end)).toEqual(overlapping);
        });
      },
    ),
  );
});

it('refuses segments that do not belong to so many documents', () => {
  const segments = encodeParts([[], []]);
  const cut = { ...segments, [PARTS_SEGMENT]: segments[PARTS_SEGMENT]!.slice(0, 8) };
  for (const [held, documents] of [
    [segments, 3],
    [segments, 1],
    [cut, 2],
  ] as const) {
    expect(() => new StoredParts(source(held), documents)).toThrow(
      expect.objectContaining({ code: 'INDEX_UNUSABLE' }),
    );
  }
});
