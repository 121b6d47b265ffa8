import { describe, expect, it } from 'vitest';
import { compareArithmetic, renderArithmetic } from './compare.ts';
import type { ArithmeticRecord } from './record.ts';

function record(label: string, shift: number, n = 2): ArithmeticRecord {
  const job = (scores: number[][]) => ({ scores, accuracy: 0.5 + shift / 10, rate: 10 });
  return {
    schema: 'pragaura.bench-arithmetic/1',
    label,
    machine: 'a machine',
    instructions: ['avx2'],
    arithmetic: 'exact',
    widened: shift > 0,
    models: {},
    n,
    jobs: {
      relevance: job([[1 + shift], [2]]),
      spans: job([
        [3, 5, 1],
        [shift > 0 ? 4 : 3, 5, 1],
      ]),
      entailment: job([
        [0.6 - shift, 0.3, 0.1 + shift],
        [0.2, 0.5, 0.3],
      ]),
      embeddings: job([
        [1, 0],
        [0, 1],
      ]),
    },
  };
}

describe('records of several processors', () => {
  const rows = compareArithmetic([record('a', 0), record('b', 0.5)]);
  const of = (job: string, label: string) => rows.find((row) => row.job === job && row.label === label)!;

  it('are held against the first', () => {
    expect(rows.filter(({ label }) => label === 'a').map(({ max, lost }) => [max, lost])).toEqual(
      Array.from({ length: 4 }, () => [0, 0]),
    );
    expect(of('relevance', 'b')).toMatchObject({ n: 2, max: 0.5, beyond: 1, others: null });
    expect(of('relevance', 'b').lost).toBeCloseTo(0.05, 12);
    expect(of('spans', 'b')).toMatchObject({ max: 0, others: 1 });
    expect(of('entailment', 'b')).toMatchObject({ max: 0.5, beyond: 1, others: 1 });
    expect(of('embeddings', 'b')).toMatchObject({ max: 0, beyond: 0 });
  });

  it('are refused alone, and where they are of another number of items', () => {
    expect(() => compareArithmetic([record('a', 0)])).toThrow('nothing to be compared with');
    expect(() => compareArithmetic([record('a', 0), record('b', 0, 3)])).toThrow('of 3 items');
  });

  it('are printed with what they were made on', () => {
    const text = renderArithmetic([record('a', 0), record('b', 0.5)], rows);
    expect(text).toContain('b: exact sums, weights taken as unsigned; avx2; a machine');
    expect(text).toMatch(/relevance, logit\n\n[\s\S]*\nb +2 +/);
  });
});
