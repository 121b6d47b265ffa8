import { describe, expect, it } from 'vitest';
import { exampleOf } from '../labels/examples.ts';
import type { Labelled } from '../types.ts';
import { documentIn, documentsAmong, tiedGroups } from './documents.ts';

const examples = (...labelled: Omit<Labelled, 'id'>[]) =>
  labelled.map((each, i) => exampleOf({ id: `q${i}`, ...each }));
const namesOf = (given: ReturnType<typeof examples>) => {
  const documents = documentsAmong(given);
  return given.map((example) => documentIn(documents, example));
};

describe('documentsAmong', () => {
  it('leaves groups that share nothing as they are', () => {
    const given = examples(
      { query: 'one', group: 'b' },
      { query: 'two', group: 'a' },
      { query: 'three', group: 'b' },
    );
    expect(namesOf(given)).toEqual(['b', 'a', 'b']);
    expect(tiedGroups(given, documentsAmong(given))).toBeNull();
  });

  it('takes groups for one that share a document or (nearly) a question, chained, whatever the order', () => {
    const long = 'in which year did the committee decide that the old bridge over the river must be closed';
    const given = examples(
      { query: 'one', group: 'c', passages: ['guide.md#1'] },
      { query: 'two', group: 'b', passages: ['guide.md#7'] },
      { query: long, group: 'b' },
      { query: long.replace('must', 'should'), group: 'a' },
      { query: 'three', group: 'z' },
    );
    expect(namesOf(given)).toEqual(['a', 'a', 'a', 'a', 'z']);
    expect(namesOf(given.toReversed())).toEqual(['z', 'a', 'a', 'a', 'a']);
    expect(tiedGroups(given, documentsAmong(given))).toBe(
      '4 groups count as 2 documents: the others share documents or questions with one of them.',
    );
  });

  it('is told of all examples: what ties two may be left out of what is counted', () => {
    const given = examples(
      { query: 'one', group: 'a', passages: ['x'] },
      { query: 'two', group: 'b', passages: ['x', 'y'] },
      { query: 'three', group: 'c', passages: ['y'] },
    );
    const documents = documentsAmong(given);
    expect(tiedGroups([given[0]!, given[2]!], documents)).toMatch(/^2 groups count as 1 document:/);
  });

  it('leaves what names no document to itself', () => {
    const given = examples({ query: 'Who built it?' }, { query: 'who built it' }, { query: 'x', group: 'g' });
    expect(namesOf(given)).toEqual(['Who built it?', 'who built it', 'g']);
  });

  it('throws for an example that it was not told of', () => {
    const [one, other] = examples({ query: 'one', group: 'a' }, { query: 'two', group: 'a' });
    expect(() => documentIn(documentsAmong([one!]), other!)).toThrow(
      expect.objectContaining({ code: 'INTERNAL', message: expect.stringContaining('"q1"') }),
    );
  });
});
