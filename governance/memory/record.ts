/** What may be remembered of a person. */
import { z } from 'zod';

export const MEMORY_TYPES = ['preference', 'fact', 'summary'] as const;

/** Preferences that something goes by, with their values: they change how an answer looks, and nothing else. */
export const PREFERENCES = {
  /** `short`: the answer and where it stands, without its passage and what else was read. */
  length: ['full', 'short'],
} as const;
export type Preferences = { length: (typeof PREFERENCES.length)[number] };

/** Of one person, at most: what is remembered is a handful of things and no archive. */
export const MEMORY_BOUNDS = { entries: 200, name: 64, value: 500 } as const;

const Name = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} '-]*$/u, 'is no word or words')
  .max(MEMORY_BOUNDS.name);

export const MemoryEntry = z.strictObject({
  id: z.string(),
  /** `fact`: what "my NAME" means; `summary`: of a session, to be read by the person, and by nothing else. */
  type: z.enum(MEMORY_TYPES),
  name: Name,
  value: z.string().min(1).max(MEMORY_BOUNDS.value),
  /** Where the person said it: session and turn; null: on the command line. */
  source: z.strictObject({ session: z.string(), turn: z.number().int().min(0) }).nullable(),
  since: z.iso.datetime(),
  /** From then on it is gone; null: until it is forgotten. */
  until: z.iso.datetime().nullable(),
});
export type MemoryEntry = z.infer<typeof MemoryEntry>;

/** All that is remembered of a person, as they see and take it with them. */
export const MemoryRecord = z.strictObject({
  schema: z.literal('pragaura.memory/1'),
  /** As the token has it. */
  person: z.string(),
  /** When they agreed to being remembered. */
  consent: z.iso.datetime(),
  entries: z.array(MemoryEntry).max(MEMORY_BOUNDS.entries),
});
export type MemoryRecord = z.infer<typeof MemoryRecord>;
