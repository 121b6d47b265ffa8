/** Ask once, learn the default: what other folders may use of it. */
export {
  type FirstProposal,
  type Habits,
  type HabitsOptions,
  type NamedBefore,
  openHabits,
  type Settled,
} from './habits.ts';
export { corrected, onlyNamed } from './hearing.ts';
export { resolveFrom } from './resolve.ts';
export { type DefaultsOptions, DefaultsStore, openDefaults } from './store.ts';
export {
  Answer,
  ClarificationDefault,
  Conditions,
  DefaultHistory,
  DefaultSettings,
  DefaultsOverrule,
  DefaultUse,
  type Signal,
  type Stratum,
  type Vote,
  VoteCast,
} from './types.ts';
