/** The package's profiles without their act-specialised branches. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type AllocationProfile, BRANCHES, loadProfiles, type ProfileSet } from '../../profiles/index.ts';

/**
 * The same profile with everything that a specialised branch had given to the lexical and the dense branch, by halves
 * (an odd one to the dense branch): the total stays. Genre preferences and amounts of the other units stay as well, so
 * that the branches alone differ.
 */
export function withoutSpecialBranches(profile: AllocationProfile): AllocationProfile {
  const { lexical, dense, ...special } = profile.branches;
  const freed = Object.values(special).reduce((sum, k) => sum + k, 0);
  const toLexical = Math.floor(freed / 2);
  const branches = {
    ...Object.fromEntries(BRANCHES.map((branch) => [branch, 0])),
    lexical: lexical + toLexical,
    dense: dense + freed - toLexical,
  } as AllocationProfile['branches'];
  const general = profile.degrade.filter((branch) => branch === 'lexical' || branch === 'dense');
  return { ...profile, branches, degrade: general.length > 0 ? general : ['lexical', 'dense'] };
}

/** Writes such a set as a folder of profiles under `dir` and returns the folder. Throws what the file system throws. */
export async function writeGeneralProfiles(dir: string, set: ProfileSet = loadProfiles()): Promise<string> {
  const folder = path.join(dir, `profiles-without-branches-${set.hash.slice(0, 12)}`);
  await mkdir(folder, { recursive: true });
  await writeJson(path.join(folder, 'budget.json'), {
    schema: 'pragaura.budget/1',
    why: "The package's own budget.",
    ...set.budget,
  });
  for (const profile of Object.values(set.profiles)) {
    const file = `${profile.act.toLowerCase().replaceAll('_', '-')}.json`;
    await writeJson(path.join(folder, file), withoutSpecialBranches(profile));
  }
  return folder;
}

/** Under its final name a file is always whole. */
async function writeJson(file: string, value: object): Promise<void> {
  await writeFile(`${file}.${process.pid}.tmp`, `${JSON.stringify(value, null, 2)}\n`);
  await rename(`${file}.${process.pid}.tmp`, file);
}
