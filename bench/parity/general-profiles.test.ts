import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BRANCHES, loadProfiles } from '../../profiles/index.ts';
import { writeGeneralProfiles } from './general-profiles.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pragaura-profiles-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it('writes a set in which the general branches have all, in the same totals, and nothing else differs', async () => {
  const own = loadProfiles();
  const general = loadProfiles(await writeGeneralProfiles(dir));
  expect(general.budget).toEqual(own.budget);
  expect(general.hash).not.toBe(own.hash);
  for (const [name, profile] of Object.entries(general.profiles)) {
    const before = own.profiles[name as keyof typeof own.profiles];
    for (const branch of BRANCHES) {
      if (branch !== 'lexical' && branch !== 'dense') expect(profile.branches[branch]).toBe(0);
      else expect(profile.branches[branch]).toBeGreaterThanOrEqual(before.branches[branch]);
    }
    const { branches: _, degrade, ...rest } = profile;
    const { branches: __, degrade: ___, ...restBefore } = before;
    expect(rest).toEqual(restBefore);
    expect(degrade.every((branch) => branch === 'lexical' || branch === 'dense')).toBe(true);
  }
  // By hand: 22 lexical, 24 dense and 14 of its own, by halves.
  expect(general.profiles.DEFINITION.branches).toMatchObject({ lexical: 29, dense: 31, definition: 0 });
  expect(general.profiles.FACT.branches).toEqual(own.profiles.FACT.branches);
});

it('can be written again where it is', async () => {
  expect(await writeGeneralProfiles(dir)).toBe(await writeGeneralProfiles(dir));
});
