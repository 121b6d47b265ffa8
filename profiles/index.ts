export {
  ActDistribution,
  AllocationProfile,
  Budget,
  COUNTED_UNITS,
  type CountedUnit,
} from './types.ts';
export { ACTS, type Act, BRANCHES, type BranchName, GENRES, type Genre, PARENT_ACT } from './vocabulary.ts';
