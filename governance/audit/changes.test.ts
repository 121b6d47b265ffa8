import { describe, expect, it } from 'vitest';
import { type IndexChange, replayChanges } from './changes.ts';

const doc = (id: string, hash: string | null) => ({ id, hash });
const implemented = (
  seq: number,
  about: string,
  from: string,
  to: string,
  ...documents: IndexChange['documents']
) => ({
  ...{ seq, kind: 'ticket.implement', about, from, to, documents },
});
const moved = (seq: number, from: string, to: string) => ({
  ...{ seq, kind: 'generation.current', about: 'generation-000001', from, to, documents: [] },
});
const index = (hash: string, documents: Record<string, string> = {}) => ({
  hash,
  documents: Object.entries(documents).map(([docId, of]) => ({ docId, hash: of })),
});

describe('a log that is replayed', () => {
  it('says what the index is, document by document', () => {
    const changes = [
      implemented(1, '1', 'a', 'b', doc('x', 'x1'), doc('y', null)),
      implemented(4, '2', 'b', 'c', doc('x', 'x2')),
    ];
    expect(replayChanges(changes, index('c', { x: 'x2', z: 'z' }))).toMatchObject({
      ...{ verdict: 'as logged', gaps: [], documents: [], changes: 2 },
    });
    expect(replayChanges(changes, index('d', { x: 'x1', y: 'y' }))).toMatchObject({
      verdict: 'otherwise',
      documents: [
        { id: 'x', ticket: '2', logged: 'x2', found: 'x1' },
        { id: 'y', ticket: '1', logged: null, found: 'y' },
      ],
    });
  });

  it('goes back with a rollback, and forth', () => {
    const changes = [implemented(1, '1', 'a', 'b', doc('x', 'x1')), moved(2, 'b', 'a')];
    expect(replayChanges(changes, index('a', { x: 'x0' }))).toMatchObject({
      verdict: 'as logged',
      documents: [],
    });
    const forth = [...changes, moved(3, 'a', 'b')];
    expect(replayChanges(forth, index('b', { x: 'x0' }))).toMatchObject({
      verdict: 'otherwise',
      documents: [{ id: 'x', logged: 'x1', found: 'x0' }],
    });
  });

  it('names what was changed between two events, and says so where nothing is logged', () => {
    const changes = [implemented(1, '1', 'a', 'b'), implemented(7, '2', 'c', 'd')];
    expect(replayChanges(changes, index('d'))).toMatchObject({ verdict: 'as logged', gaps: [7] });
    const twice = [
      implemented(1, '1', 'a', 'b', doc('x', 'x1')),
      implemented(2, '1', 'a', 'b', doc('x', 'x1')),
    ];
    expect(replayChanges(twice, index('b', { x: 'x1' }))).toMatchObject({
      verdict: 'as logged',
      gaps: [],
      documents: [],
    });
    expect(replayChanges([], index('d'))).toMatchObject({ verdict: 'nothing logged', logged: null });
  });
});
