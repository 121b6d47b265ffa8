import { describe, expect, it } from 'vitest';
import { DuplicateIds } from './route-stream.ts';

describe('DuplicateIds', () => {
  it('counts repeats and remembers the first', () => {
    const ids = new DuplicateIds();
    for (const id of ['a', 'b', 'a', '__proto__', 'constructor', 'a', '__proto__']) ids.add(id);
    expect(ids.count).toBe(3);
    expect(ids.first).toBe('a');
  });

  it('takes no distinct ids for repeats, and finds a recent repeat after very many', () => {
    const ids = new DuplicateIds();
    for (let i = 0; i < 200_000; i++) ids.add(`line-${i}`);
    expect(ids.count).toBe(0);
    ids.add('line-199999');
    expect(ids.count).toBe(1);
  });
});
