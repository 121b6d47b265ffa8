/** The rules of a log, line by line: what verifying, writing on and repairing have in common. */

import { type PublicKey, publicKeyFrom } from '../keys.ts';
import { type Entry, isSealedBy, lineHash, NO_PREDECESSOR, parseEntry, type SealEntry } from './entry.ts';

export const FIRST_KIND = 'log.began';

/** Follows a log from its first line. Once a line was wrong nothing after it counts. */
export class Chain {
  /** The last seal that holds. */
  seal: SealEntry | null = null;
  log: string | null = null;
  events = 0;
  seals = 0;
  /** Events after the last seal. */
  unsealed = 0;
  /** How often a line is older than the one before it by its own clock. */
  backwards = 0;
  #key: PublicKey | null;
  #next = 0;
  #previous = NO_PREDECESSOR;
  #at = '';

  /** Without a key the log's own word on it is taken: then whoever rewrites all of it can sign it too. */
  constructor(key: PublicKey | null) {
    this.#key = key;
  }

  get key(): PublicKey | null {
    return this.#key;
  }

  /** Takes the next line, without its newline. Null: it holds; else what is wrong, in words. */
  push(line: Buffer): string | null {
    const entry = parseEntry(line);
    if (typeof entry === 'string') return entry;
    const problem = this.#misplaced(entry) ?? (entry.type === 'seal' ? this.#badSeal(entry) : null);
    if (problem !== null) return problem;
    if (entry.at < this.#at) this.backwards += 1;
    this.#at = entry.at;
    this.#next += 1;
    this.#previous = lineHash(line);
    this.log = entry.log;
    if (entry.type === 'event') {
      this.events += 1;
      this.unsealed += 1;
    } else {
      this.seals += 1;
      this.unsealed = 0;
      this.seal = entry;
    }
    return null;
  }

  #misplaced(entry: Entry): string | null {
    if (entry.seq !== this.#next) return `has the number ${entry.seq} where ${this.#next} comes next`;
    if (entry.previous !== this.#previous) return 'does not follow from the line before it';
    if (this.log !== null) return entry.log === this.log ? null : 'belongs to another log';
    if (entry.type !== 'event' || entry.event.kind !== FIRST_KIND) return 'is no beginning of a log';
    const { key } = entry.event.detail;
    const own = typeof key === 'string' ? publicKeyFrom(key) : null;
    if (own === null) return 'names no key';
    this.#key ??= own;
    return own.fingerprint === this.#key.fingerprint ? null : 'names another key than the one given';
  }

  #badSeal(seal: SealEntry): string | null {
    if (seal.events !== this.unsealed) return `seals ${seal.events} events where there are ${this.unsealed}`;
    return this.#key !== null && isSealedBy(seal, this.#key) ? null : 'has a signature that does not hold';
  }
}
