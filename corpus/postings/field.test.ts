import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PragauraError } from '../../common/index.ts';
import type { SegmentSource } from '../types.ts';
import { Field } from './field.ts';
import { FieldWriter } from './field-writer.ts';

const PARAMETERS = { k1: 0.9, b: 0.7 };

function sourceOf(segments: Record<string, Uint8Array>): SegmentSource {
  return {
    segment(name) {
      if (!Object.hasOwn(segments, name)) throw new PragauraError('INDEX_UNUSABLE', `no ${name}`);
      return segments[name]!;
    },
  };
}

function segmentsOf(docs: readonly (readonly string[])[]): Record<string, Uint8Array> {
  const writer = new FieldWriter('f');
  for (const doc of docs) {
    for (const term of doc) writer.add(term);
    writer.endPassage();
  }
  return writer.segments();
}

function fieldOf(docs: readonly (readonly string[])[]): Field {
  return new Field(sourceOf(segmentsOf(docs)), 'f', docs.length, PARAMETERS);
}

const asked = (...terms: string[]) => terms.map((term) => ({ term, weight: 1 }));

/** The formula, term by term, from the documents themselves. */
function reference(
  docs: string[][],
  query: { term: string; weight: number }[],
  { k1, b } = PARAMETERS,
): number[] {
  const average = docs.reduce((sum, doc) => sum + doc.length, 0) / docs.length;
  const idf = (term: string) => {
    const df = docs.filter((doc) => doc.includes(term)).length;
    return Math.log(1 + (docs.length - df + 0.5) / (df + 0.5));
  };
  const attainable = query.reduce((sum, { term, weight }) => sum + weight * idf(term) * (k1 + 1), 0);
  return docs.map((doc) => {
    let score = 0;
    for (const { term, weight } of query) {
      const tf = doc.filter((other) => other === term).length;
      const length = average === 0 ? 0 : doc.length / average;
      if (tf > 0) score += (weight * idf(term) * tf * (k1 + 1)) / (tf + k1 * (1 - b + b * length));
    }
    return attainable === 0 ? 0 : score / attainable;
  });
}

const WORDS = ['a', 'b', 'c', '__proto__', 'constructor', 'toString', '東京', '🚀', 'é', 'zz', ''];
const word = fc.constantFrom(...WORDS);
const corpus = fc.array(fc.array(word, { maxLength: 12 }), { minLength: 1, maxLength: 15 });
const query = fc.uniqueArray(
  fc.record({ term: fc.oneof(word, fc.constant('unknown')), weight: fc.constantFrom(1, 0.4) }),
  { selector: ({ term }) => term, maxLength: 6 },
);

describe('BM25 over the postings', () => {
  it('is the formula, for every passage of any corpus', () => {
    fc.assert(
      fc.property(corpus, query, (docs, terms) => {
        const field = fieldOf(docs);
        const scores = field.scoresOf(field.weigh(terms), [...docs.keys()]);
        reference(docs, terms).forEach((expected, ordinal) => {
          expect(scores[ordinal]).toBeCloseTo(expected, 6);
          expect(scores[ordinal]).toBeLessThan(1);
        });
      }),
    );
  });

  it('gives the best k of the very scores that it gives one by one, ties by ordinal, none at zero', () => {
    fc.assert(
      fc.property(corpus, query, fc.nat(20), (docs, terms, k) => {
        const field = fieldOf(docs);
        const weighted = field.weigh(terms);
        const all = field.scoresOf(weighted, [...docs.keys()]).map((score, ordinal) => ({ ordinal, score }));
        const best = all
          .filter(({ score }) => score > 0)
          .sort((a, b) => b.score - a.score || a.ordinal - b.ordinal);
        expect(field.search(weighted, k)).toEqual(best.slice(0, k));
        const even = (ordinal: number) => ordinal % 2 === 0;
        expect(field.search(weighted, k, even)).toEqual(
          best.filter(({ ordinal }) => even(ordinal)).slice(0, k),
        );
      }),
    );
  });

  it('counts terms that no passage holds against the score', () => {
    const field = fieldOf([['a'], ['b'], ['c']]);
    const [alone] = field.search(field.weigh(asked('a')), 1);
    const [beside] = field.search(field.weigh(asked('a', 'unknown')), 1);
    expect(beside!.score).toBeLessThan(alone!.score / 2);
  });

  it('scores the 256 heaviest of many terms', () => {
    const docs = [Array.from({ length: 400 }, (_, i) => `t${i}`), ['t399'], ['x']];
    const field = fieldOf(docs);
    const weighted = field.weigh(asked(...docs[0]!));
    expect(weighted).toHaveLength(256);
    expect(weighted.some(({ term }) => term === 't399')).toBe(false);
  });

  it('holds an empty corpus and empty passages', () => {
    expect(fieldOf([]).search([], 5)).toEqual([]);
    expect(fieldOf([[], []]).search(fieldOf([[], []]).weigh(asked('a')), 5)).toEqual([]);
  });
});

describe('segments', () => {
  const docs = [['a', 'b', 'a'], ['c']];

  it('read the same from bytes at odd offsets', () => {
    const shifted = Object.fromEntries(
      Object.entries(segmentsOf(docs)).map(([name, bytes]) => {
        const moved = new Uint8Array(bytes.length + 1);
        moved.set(bytes, 1);
        return [name, moved.subarray(1)];
      }),
    );
    const field = new Field(sourceOf(shifted), 'f', 2, PARAMETERS);
    expect(field.search(field.weigh(asked('a')), 5)).toEqual(
      fieldOf(docs).search(fieldOf(docs).weigh(asked('a')), 5),
    );
  });

  it('are the same bytes for the same passages', () => {
    expect(segmentsOf(docs)).toEqual(segmentsOf(docs));
  });

  it.each(Object.keys(segmentsOf(docs)))('are refused when %s is missing, cut or torn', (name) => {
    const { [name]: bytes, ...others } = segmentsOf(docs);
    const open = (segments: Record<string, Uint8Array>) => () =>
      new Field(sourceOf(segments), 'f', 2, PARAMETERS);
    const unusable = expect.objectContaining({ code: 'INDEX_UNUSABLE' });
    expect(open(others)).toThrow(unusable);
    expect(open({ ...others, [name]: bytes!.subarray(0, bytes!.length - 1) })).toThrow(unusable);
    expect(open({ ...others, [name]: bytes!.subarray(0, 0) })).toThrow(unusable);
  });

  it('are refused for another number of passages', () => {
    expect(() => new Field(sourceOf(segmentsOf(docs)), 'f', 3, PARAMETERS)).toThrow(/wrong length/);
  });
});
