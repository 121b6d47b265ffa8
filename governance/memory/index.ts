/** What is remembered of people, with their consent: encrypted, bounded, and no evidence. */
export { Memory, preferencesOf, type Remembered } from './memory.ts';
export {
  MEMORY_BOUNDS,
  MEMORY_TYPES,
  MemoryEntry,
  MemoryRecord,
  PREFERENCES,
  type Preferences,
} from './record.ts';
export { remembering, withFacts } from './remembering.ts';
