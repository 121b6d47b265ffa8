/** Which examples a split was made of, told without listing them. */
import { createHash } from 'node:crypto';

/** Hexadecimal digits of a group's hash: 40 bits, so that a false meeting among thousands of groups is one in 10^4. */
const DIGITS = 10;

/** SHA-256 of the ids, sorted, one a line. */
export function hashOfIds(examples: readonly { id: string }[]): string {
  const ids = examples.map(({ id }) => id).sort();
  return sha256(ids.map((id) => `${id}\n`).join(''));
}

/** A short hash of each group, sorted, in one text: a line that people pass over. */
export function hashesOfGroups(examples: readonly { group: string }[]): string {
  const groups = new Set(examples.map(({ group }) => hashOf(group)));
  return [...groups].sort().join('');
}

/** The examples whose group is among those of `hashes`, as `hashesOfGroups` wrote them. */
export function ofGroups<T extends { group: string }>(examples: readonly T[], hashes: string): T[] {
  const known = new Set(hashes.match(new RegExp(`.{${DIGITS}}`, 'g')));
  return examples.filter(({ group }) => known.has(hashOf(group)));
}

function hashOf(group: string): string {
  return sha256(group).slice(0, DIGITS);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
