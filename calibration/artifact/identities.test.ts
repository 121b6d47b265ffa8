import { expect, it } from 'vitest';
import { hashesOfGroups, hashOfIds, ofGroups } from './identities.ts';

const of = (...groups: string[]) => groups.map((group, i) => ({ id: `${i}`, group }));

it('finds the examples of groups that were there before, and no others', () => {
  const hashes = hashesOfGroups(of('one', 'two', 'two', ''));
  expect(hashes).toMatch(/^[0-9a-f]{30}$/);
  expect(ofGroups(of('three', 'two', 'one ', 'one', ''), hashes).map(({ id }) => id)).toEqual([
    '1',
    '3',
    '4',
  ]);
  expect(ofGroups(of('one'), '')).toEqual([]);
});

it('does not depend on the order, nor on how many examples a group has', () => {
  expect(hashesOfGroups(of('b', 'a', 'b'))).toBe(hashesOfGroups(of('a', 'b')));
  expect(hashOfIds([{ id: 'b' }, { id: 'a' }])).toBe(hashOfIds([{ id: 'a' }, { id: 'b' }]));
  // printf 'a\nb\n' | sha256sum
  expect(hashOfIds([{ id: 'b' }, { id: 'a' }])).toBe(
    '911169ddaaf146aff539f58c26c489af3b892dff0fe283c1c264c65ae5aa59a2',
  );
});
