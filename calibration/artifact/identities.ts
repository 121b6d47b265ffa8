/** Which examples a split was made of, told without listing them. */
import { createHash } from 'node:crypto';
import { questionTieOf, type Tie, tiesOf } from '../splits/components.ts';
import type { Example } from '../types.ts';

/**
 * Hexadecimal digits of a tie's hash: 48 bits. Where two that differ meet, a query is refused that shares nothing, and
 * none is let in that shares something; among ten thousand queries held against ten thousand that is one chance in 10^6.
 */
const DIGITS = 12;

/** SHA-256 of the ids, sorted, one a line. */
export function hashOfIds(examples: readonly { id: string }[]): string {
  const ids = examples.map(({ id }) => id).sort();
  return sha256(ids.map((id) => `${id}\n`).join(''));
}

/** A short hash of each group, document and question, sorted, in one text: a line that people pass over. */
export function hashesOfTies(examples: readonly Example[]): string {
  const hashes = new Set(examples.flatMap((example) => allTiesOf(example).map(hashOf)));
  return [...hashes].sort().join('');
}

/**
 * The examples with a tie among those of `hashes`, as `hashesOfTies` wrote them, each with the first that holds: group,
 * document, question. Of questions only those that are the same in every word are found: nearness cannot be hashed.
 */
export function tiedTo(examples: readonly Example[], hashes: string): { example: Example; tie: Tie }[] {
  const known = new Set(hashes.match(new RegExp(`.{${DIGITS}}`, 'g')));
  return examples.flatMap((example) => {
    const tie = allTiesOf(example).find((each) => known.has(hashOf(each)));
    return tie === undefined ? [] : [{ example, tie }];
  });
}

/** An example that names no document has its own words for a group, which are its question. */
function allTiesOf(example: Example): Tie[] {
  return [...(example.ungrouped ? [] : tiesOf(example)), questionTieOf(example)];
}

function hashOf({ key }: Tie): string {
  return sha256(key).slice(0, DIGITS);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
