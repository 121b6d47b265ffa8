import { describe, expect, it } from 'vitest';
import type { Evidence } from '../contracts.ts';
import { similarWords, topics } from './suggestions.ts';

describe('what can be asked about instead', () => {
  const of = (title: string, text: string, docId = 'docs/boiler_room.txt') =>
    topics([{ title, docId, text }]);

  it('is a title, or how a passage begins that has none but the name of its file', () => {
    expect(of('Boiler room > Keys', 'The key hangs in the office.')).toEqual(['Boiler room > Keys']);
    expect(of('boiler room', '1. The key hangs in the office. Ask there.')).toEqual([
      'The key hangs in the office.',
    ]);
    expect(of('', 'The key hangs in the office')).toEqual(['The key hangs in the office']);
    expect(of('', '')).toEqual(['docs/boiler_room.txt']);
  });

  it('is cut between words', () => {
    const [long] = of('', 'a long sentence that goes on, '.repeat(20));
    expect(long).toBe('a long sentence that goes on, a long sentence that goes on, a long …');
  });
});

describe('what an unknown word may be a slip of', () => {
  const near = (unknown: string, text: string) => similarWords([unknown], [{ title: '', text } as Evidence]);

  it('is one letter away, or two in a long word, and of a short one begins alike', () => {
    expect(near('dook', 'The dock is closed.')).toEqual(['dock']);
    expect(near('lock', 'The dock is closed.')).toEqual([]);
    expect(near('barometre', 'A barometer hangs there.')).toEqual(['barometer']);
    expect(near('nbarometer', 'A barometer hangs there.')).toEqual(['barometer']);
  });
});
