export { allocate } from './allocate.ts';
export { loadProfiles, type ProfileSet } from './load.ts';
export {
  ActDistribution,
  Allocation,
  AllocationProfile,
  Budget,
  COUNTED_UNITS,
  type CountedUnit,
  MAX_DEADLINE_MS,
} from './types.ts';
export { ACTS, type Act, BRANCHES, type BranchName, GENRES, type Genre, PARENT_ACT } from './vocabulary.ts';
