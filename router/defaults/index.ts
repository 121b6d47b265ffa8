/** Ask once, learn the default: what other folders may use of it. */
export { type Habits, type HabitsOptions, openHabits, type Settled } from './habits.ts';
export { clarificationRequest, type Request, resolveFrom } from './resolve.ts';
export { type DefaultsOptions, DefaultsStore, type Forget, openDefaults } from './store.ts';
export type { AuditEntry } from './tables.ts';
export {
  Answer,
  ClarificationDefault,
  ClarificationRequest,
  Conditions,
  DefaultSettings,
  DefaultsOverrule,
  DefaultUse,
  Need,
  type Signal,
  type Stratum,
  type Vote,
  VoteCast,
} from './types.ts';
