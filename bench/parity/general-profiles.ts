/** The package's profiles without their act-specialised branches. */
import path from 'node:path';
import { writeParts } from '../../calibration/index.ts';
import {
  type AllocationProfile,
  BRANCHES,
  fileOfProfile,
  loadProfiles,
  type ProfileSet,
} from '../../profiles/index.ts';

/**
 * The same profile with everything that a specialised branch had given to the lexical and the dense branch, by halves
 * (an odd one to the dense branch): the total stays. Genre preferences and amounts of the other units stay as well, so
 * that the branches alone differ.
 */
function withoutSpecialBranches(profile: AllocationProfile): AllocationProfile {
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

/** Writes such a set as a folder of profiles under `dir` and returns the folder. Throws WRITE_FAILED. */
export async function writeGeneralProfiles(dir: string, set: ProfileSet = loadProfiles()): Promise<string> {
  const folder = path.join(dir, `profiles-without-branches-${set.hash.slice(0, 12)}`);
  const profiles = Object.values(set.profiles).map(withoutSpecialBranches);
  await writeProfiles(folder, { budget: set.budget, profiles }, "The package's own budget.");
  return folder;
}

/** Writes profiles as a folder that `loadProfiles` reads; `why` is said of the budget. Throws WRITE_FAILED. */
export async function writeProfiles(
  folder: string,
  { budget, profiles }: { budget: ProfileSet['budget']; profiles: readonly AllocationProfile[] },
  why: string,
): Promise<void> {
  const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
  await writeParts(folder, [
    { name: 'budget.json', text: json({ schema: 'pragaura.budget/1', why, ...budget }) },
    ...profiles.map((profile) => ({ name: fileOfProfile(profile.act), text: json(profile) })),
  ]);
}
