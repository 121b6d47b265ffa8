import { describe, expect, it } from 'vitest';
import { halfOfQuery, sampled } from './sample.ts';
import type { DecisionQuery } from './types.ts';

const query = (group: string, place: number, action: DecisionQuery['action']): DecisionQuery => ({
  id: `${group}-${place}`,
  query: '?',
  action,
  group,
  source: 's',
  fits: true,
});
/** One large group and ten small ones; a quarter is to be asked. */
const queries = [
  ...Array.from({ length: 80 }, (_, i) => query('large', i, i % 4 === 0 ? 'ASK' : 'ANSWER')),
  ...Array.from({ length: 40 }, (_, i) => query(`g${i % 10}`, i, i < 10 ? 'ASK' : 'ANSWER')),
];

describe('sampled', () => {
  it('keeps the shares of the actions and spreads over groups', () => {
    const some = sampled(queries, 40);
    expect(some).toHaveLength(40);
    expect(some.filter(({ action }) => action === 'ASK')).toHaveLength(10);
    expect(new Set(some.map(({ group }) => group)).size).toBe(11);
    expect(some.filter(({ group }) => group === 'large').length).toBeLessThan(10);
  });

  it('is the same every time, another with another seed, and everything when there is less', () => {
    expect(sampled(queries, 40)).toEqual(sampled(queries, 40));
    expect(sampled(queries, 40, 2)).not.toEqual(sampled(queries, 40));
    expect(sampled(queries, 500)).toEqual(queries);
  });
});

describe('halves', () => {
  it('go by group, unless the set says it', () => {
    const halves = Array.from({ length: 200 }, (_, i) => halfOfQuery({ group: `group ${i}` }));
    const tuned = halves.filter((half) => half === 'tune').length;
    expect(tuned).toBeGreaterThan(70);
    expect(tuned).toBeLessThan(130);
    expect(halfOfQuery({ group: 'x', half: 'tune' })).toBe('tune');
    expect(halfOfQuery({ group: 'x', half: 'report' })).toBe('report');
  });
});
