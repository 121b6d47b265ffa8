import { describe, expect, it } from 'vitest';
import { exampleOf } from '../labels/examples.ts';
import type { Labelled } from '../types.ts';
import { hashesOfTies, hashOfIds, tiedTo } from './identities.ts';

const of = (...labelled: Omit<Labelled, 'id'>[]) =>
  labelled.map((each, i) => exampleOf({ id: `${i}`, ...each }));

describe('what an artifact was fitted on', () => {
  const hashes = hashesOfTies(
    of(
      { query: 'Who built it?', group: 'one', passages: ['guide.md#1', 'guide.md#2'] },
      { query: 'And then?', history: [{ role: 'user', text: 'Who built it?' }], group: 'one' },
      { query: 'What is said of no document?' },
    ),
  );

  it('is a short hash for each group, document and question', () => {
    // One group, one document, three questions: the words of what names no document are no group.
    expect(hashes).toMatch(/^[0-9a-f]{60}$/);
  });

  it('is found again under other names: by group, else by document, else by question, case and accents aside', () => {
    const test = of(
      { query: 'new 1', group: 'one', passages: ['guide.md#9'] },
      { query: 'new 2', group: 'two', passages: ['other.md', 'guide.md#9'] },
      { query: 'WHO built it', group: 'three' },
      { query: 'and then', history: [{ role: 'user', text: 'who built it' }], group: 'four' },
      { query: 'what is said of no document', group: 'five' },
    );
    expect(tiedTo(test, hashes).map(({ example, tie }) => [example.id, tie.kind, tie.words])).toEqual([
      ['0', 'group', 'the group "one"'],
      ['1', 'document', 'the document "guide.md"'],
      ['2', 'question', 'the question "WHO built it"'],
      ['3', 'question', 'the question "and then"'],
      ['4', 'question', 'the question "what is said of no document"'],
    ]);
  });

  it('is nothing else', () => {
    const test = of(
      { query: 'new', group: 'guide.md' },
      { query: 'other', group: 'two', passages: ['one'] },
      { query: 'And then?', group: 'three' },
      { query: 'one', group: 'One' },
    );
    expect(tiedTo(test, hashes)).toEqual([]);
    expect(tiedTo(of({ query: 'Who built it?', group: 'one' }), '')).toEqual([]);
  });

  it('does not depend on the order, nor on how often something is there', () => {
    const [a, b] = of({ query: 'x', group: 'a' }, { query: 'y', group: 'b' });
    expect(hashesOfTies([b!, a!, b!])).toBe(hashesOfTies([a!, b!]));
    expect(hashOfIds([{ id: 'b' }, { id: 'a' }])).toBe(hashOfIds([{ id: 'a' }, { id: 'b' }]));
    // printf 'a\nb\n' | sha256sum
    expect(hashOfIds([{ id: 'b' }, { id: 'a' }])).toBe(
      '911169ddaaf146aff539f58c26c489af3b892dff0fe283c1c264c65ae5aa59a2',
    );
  });
});
