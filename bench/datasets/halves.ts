import { createHash } from 'node:crypto';

/** What rules and weights were chosen on, and what is reported on. */
export type Half = 'tune' | 'report';

/** The half of a group (an article, a contract, a rule text), by the hash of its name: the same in every set. */
export function halfOf(group: string): Half {
  return createHash('sha256').update(group).digest()[3]! % 2 === 0 ? 'tune' : 'report';
}
