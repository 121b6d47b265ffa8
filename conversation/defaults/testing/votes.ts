/** Votes for tests: short to write, in the order in which they were cast. */
import { type DefaultSettings, DefaultSettings as Settings, type Signal, type Vote } from '../types.ts';

export const DAY = 86_400_000;
export const NOW = 1_800_000_000_000;
export const SETTINGS: DefaultSettings = Settings.parse({});

export interface VoteSpec {
  value: string;
  signal?: Signal;
  when?: Record<string, string>;
  daysAgo?: number;
  docId?: string;
  times?: number;
}

export function cast(...said: VoteSpec[]): Vote[] {
  const each = said.flatMap((one) => Array.from({ length: one.times ?? 1 }, () => one));
  return each.map(({ value, signal = 'explicit_yes', when = {}, daysAgo = 0, docId = null }, place) => ({
    id: place + 1,
    at: NOW - daysAgo * DAY,
    signal,
    value,
    docId,
    conditions: Object.entries(when).sort(([a], [b]) => (a < b ? -1 : 1)),
  }));
}
