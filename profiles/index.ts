export { allocate, largestRemainder } from './allocate.ts';
export { fileOfProfile, loadProfiles, type ProfileSet, profileSetOf } from './load.ts';
export {
  ActDistribution,
  Allocation,
  AllocationProfile,
  Budget,
  COUNTED_UNITS,
  type CountedUnit,
  documentsOf,
  MAX_DEADLINE_MS,
} from './types.ts';
export { ACTS, type Act, BRANCHES, type BranchName, GENRES, type Genre, PARENT_ACT } from './vocabulary.ts';
