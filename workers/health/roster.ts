/** Whether the workers of a queue decide alike. Pure: announcements in, sentences out. */
import type { Announcement } from '../queue/index.ts';

/** A worker that has not announced itself for so long is gone. */
const GONE_AFTER_MS = 90_000;

/** Leaves of plain data by their paths, such as `models.nli`. */
function leaves(value: unknown, path = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) =>
    leaves(inner, path === '' ? name : `${path}.${name}`),
  );
}

/** The paths at which two descriptions of a configuration differ, sorted. */
function differences(ours: unknown, theirs: unknown): string[] {
  const [a, b] = [new Map(leaves(ours)), new Map(leaves(theirs))];
  return [...new Set([...a.keys(), ...b.keys()])].filter((path) => a.get(path) !== b.get(path)).sort();
}

/**
 * A sentence for each other configuration with living workers on the queue, naming what differs; empty when all
 * agree. `now`: by the clock of Redis, as the announcements are.
 */
export function disagreements(
  own: Pick<Announcement, 'configuration' | 'made'>,
  announced: readonly Announcement[],
  now: number,
): string[] {
  const others = new Map<string, Announcement[]>();
  for (const other of announced) {
    if (other.configuration === own.configuration || now - other.seenAt > GONE_AFTER_MS) continue;
    others.set(other.configuration, [...(others.get(other.configuration) ?? []), other]);
  }
  return [...others].map(([configuration, workers]) => {
    const what = differences(own.made, workers[0]!.made).join(', ') || 'nothing that they tell';
    const who = workers.length === 1 ? 'A worker' : `${workers.length} workers`;
    return (
      `${who} of this queue (on ${workers[0]!.host}) decide with configuration ${configuration.slice(0, 12)}, ` +
      `this one with ${own.configuration.slice(0, 12)}. They differ in: ${what}. ` +
      'Each takes the jobs of its own configuration only.'
    );
  });
}
