import { describe, expect, it } from 'vitest';
import { isExact, judge } from './oracle.ts';

const decision = (id: string, answer = 'x', ms = 1) => JSON.stringify({ id, answer, timings: { total: ms } });
const expected = new Map(['a', '__proto__', '7'].map((id) => [id, decision(id)]));

describe('judge', () => {
  it('is content with every id once, in any order, whatever the clocks say', () => {
    const verdict = judge(expected, [decision('7', 'x', 9), decision('a', 'x', 3), decision('__proto__')]);
    expect(verdict).toEqual({ expected: 3, lost: [], duplicated: [], foreign: [], differing: [] });
    expect(isExact(verdict)).toBe(true);
  });

  it.each([
    ['lost', [decision('a'), decision('7')], { lost: ['__proto__'] }],
    ['duplicated', [...expected.values(), decision('a')], { duplicated: ['a'] }],
    ['foreign', [...expected.values(), decision('b')], { foreign: ['b'] }],
    ['half a line', [...expected.values(), '{"id":"a","ans'], { foreign: ['{"id":"a","ans'] }],
    ['differing', [decision('a', 'y'), decision('__proto__'), decision('7')], { differing: ['a'] }],
    ['differing', [decision('a'), decision('__proto__'), '{"answer":"x","id":"7"}'], { differing: ['7'] }],
  ])('finds what is %s', (_, lines, found) => {
    const verdict = judge(expected, lines);
    expect(verdict).toMatchObject(found);
    expect(isExact(verdict)).toBe(false);
  });

  it('does not hold the number of the input line against an error record', () => {
    const error = (line: number | null, message = 'no') =>
      JSON.stringify({
        schema: 'pragaura.error/1',
        id: 'a',
        line,
        error: { code: 'INVALID_INPUT', message },
      });
    const wanted = new Map([['a', error(3)]]);
    expect(isExact(judge(wanted, [error(null)]))).toBe(true);
    expect(judge(wanted, [error(null, 'other')]).differing).toEqual(['a']);
  });
});
