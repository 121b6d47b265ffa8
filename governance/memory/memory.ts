/**
 * What is remembered of people: a folder with one encrypted file for each, under a key of its own. A person is named there by a
 * keyed hash, so that the folder says neither who is remembered nor what.
 */
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  failureReason,
  holderOf,
  isSystemError,
  PragauraError,
  parseAs,
  tryFileLock,
} from '../../common/index.ts';
import type { Principal } from '../principals/index.ts';
import { MEMORY_BOUNDS, MemoryEntry, MemoryRecord, PREFERENCES, type Preferences } from './record.ts';
import { opened, sealed, unusable } from './seal.ts';

const KEY_BYTES = 32;
const DAY_MS = 86_400_000;
/** How long each type is kept where nobody says. */
const KEPT_DAYS: Readonly<Record<MemoryEntry['type'], number | null>> = {
  preference: null,
  fact: 365,
  summary: 30,
};

export type Remembered = Pick<MemoryEntry, 'type' | 'name' | 'value'> &
  Partial<Pick<MemoryEntry, 'source'>> & { /** From now; null: for good. */ days?: number | null };

/** Methods take the person whom they are about, and throw as `Memory.open`; those that change something also MEMORY_LOCKED. */
export class Memory {
  readonly #dir: string;
  readonly #master: Buffer;

  private constructor(dir: string, master: Buffer) {
    this.#dir = dir;
    this.#master = master;
  }

  /**
   * Opens the folder, and makes it with its master key (mode 600) where there is neither; `key`: file of the master key, best kept
   * elsewhere. Throws MEMORY_UNUSABLE for a folder without its key or a key that is none, and WRITE_FAILED.
   */
  static open(dir: string, key: string = path.join(dir, 'master.key')): Memory {
    const made = statSync(dir, { throwIfNoEntry: false }) === undefined;
    if (made) {
      written(dir, () => mkdirSync(dir, { recursive: true, mode: 0o700 }));
      if (statSync(key, { throwIfNoEntry: false }) === undefined) {
        written(key, () => writeFileSync(key, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx' }));
      }
    }
    let master: Buffer;
    try {
      master = readFileSync(key);
    } catch (error) {
      throw unusable(`its master key ${key} cannot be read (${failureReason(error)})`, error);
    }
    if (master.length !== KEY_BYTES) throw unusable(`${key} is no master key`);
    return new Memory(dir, master);
  }

  /** The person agrees to being remembered; again changes nothing. */
  consent(who: Principal, now = new Date()): MemoryRecord {
    const id = this.#idOf(who);
    return this.#locked(id, () => {
      const known = this.#read(id);
      if (known !== null) return current(known, now);
      const fresh: MemoryRecord = {
        schema: 'pragaura.memory/1',
        person: who.id,
        consent: now.toISOString(),
        entries: [],
      };
      const key = randomBytes(KEY_BYTES);
      this.#put(`${id}.key`, sealed(this.#master, key, `key ${id}`));
      this.#write(id, fresh);
      return fresh;
    });
  }

  /**
   * All that is remembered, without what has expired; null where the person never agreed, or took it back. Waits for nobody:
   * what another process is changing is read as it was, or as it is.
   */
  of(who: Principal, now = new Date()): MemoryRecord | null {
    const id = this.#idOf(who);
    for (;;) {
      const key = this.#get(`${id}.key`);
      try {
        const record = this.#read(id);
        if (record === null || current(record, now).entries.length === record.entries.length) return record;
        this.#drop(id, now);
        return current(record, now);
      } catch (error) {
        // Another consent has come between the two files.
        const again = this.#get(`${id}.key`);
        if (key === null ? again === null : again?.equals(key)) throw error;
      }
    }
  }

  /**
   * Remembers something; of a preference and of a fact the latest of a name alone. Throws NOT_PERMITTED without consent, and
   * INVALID_INPUT for what cannot be remembered.
   */
  remember(who: Principal, what: Remembered, now = new Date()): MemoryEntry {
    const { days = KEPT_DAYS[what.type] } = what;
    const entry = checked({
      id: randomUUID(),
      type: what.type,
      name: what.name,
      value: what.value,
      source: what.source ?? null,
      since: now.toISOString(),
      until: days === null ? null : new Date(now.getTime() + days * DAY_MS).toISOString(),
    });
    this.#change(who, now, (record) => {
      const others = record.entries.filter(
        (each) => entry.type === 'summary' || each.type !== entry.type || !sameName(each.name, entry.name),
      );
      if (others.length >= MEMORY_BOUNDS.entries) {
        throw new PragauraError(
          'INVALID_INPUT',
          `No more than ${MEMORY_BOUNDS.entries} things are remembered of a person.`,
          {
            hint: 'Forget one with "pragaura memory forget ID".',
          },
        );
      }
      return { ...record, entries: [...others, entry] };
    });
    return entry;
  }

  /** Another value for something that is remembered. Throws NOT_FOUND, NOT_PERMITTED and INVALID_INPUT. */
  correct(who: Principal, id: string, value: string, now = new Date()): MemoryEntry {
    let corrected: MemoryEntry | undefined;
    this.#change(
      who,
      now,
      (record) => ({
        ...record,
        entries: record.entries.map((entry) => {
          if (entry.id !== id) return entry;
          corrected = checked({ ...entry, value });
          return corrected;
        }),
      }),
      id,
    );
    return corrected!;
  }

  /** Throws NOT_FOUND and NOT_PERMITTED. */
  forget(who: Principal, id: string, now = new Date()): void {
    this.#change(
      who,
      now,
      (record) => ({
        ...record,
        entries: record.entries.filter((entry) => entry.id !== id),
      }),
      id,
    );
  }

  /**
   * Takes consent back: the person's key is overwritten and removed, so that what it opened is noise wherever a copy of it lies,
   * then the file is. Gives whether anything was remembered.
   */
  erase(who: Principal): boolean {
    const id = this.#idOf(who);
    return this.#locked(id, () => {
      const key = this.#at(`${id}.key`);
      const size = statSync(key, { throwIfNoEntry: false })?.size;
      if (size !== undefined) {
        written(key, () => writeFileSync(key, randomBytes(size), { flag: 'r+', flush: true }));
        written(key, () => rmSync(key));
      }
      written(this.#dir, () => rmSync(this.#at(`${id}.memory`), { force: true }));
      return size !== undefined;
    });
  }

  #change(who: Principal, now: Date, change: (record: MemoryRecord) => MemoryRecord, entry?: string): void {
    const id = this.#idOf(who);
    this.#locked(id, () => {
      const found = this.#read(id);
      const record = found && current(found, now);
      if (record === null) {
        throw new PragauraError(
          'NOT_PERMITTED',
          'Nothing is remembered of somebody who has not agreed to it.',
          {
            hint: 'pragaura memory consent',
          },
        );
      }
      if (entry !== undefined && !record.entries.some((each) => each.id === entry)) {
        throw new PragauraError('NOT_FOUND', `Nothing of the id ${JSON.stringify(entry)} is remembered.`, {
          hint: '"pragaura memory list" names the ids.',
        });
      }
      this.#write(id, change(record));
    });
  }

  /** Nobody in particular is remembered: everybody is that. Throws NOT_PERMITTED. */
  #idOf({ id, via }: Principal): string {
    if (via === 'none') {
      throw new PragauraError('NOT_PERMITTED', 'Nobody in particular is remembered.', {
        hint: 'Say who asks, by --principal-token, or --trust-local on a machine of your own.',
      });
    }
    return createHmac('sha256', this.#master)
      .update(JSON.stringify([via, id]))
      .digest('hex')
      .slice(0, 40);
  }

  #read(id: string): MemoryRecord | null {
    const key = this.#get(`${id}.key`);
    const content = this.#get(`${id}.memory`);
    // Without either the person is not remembered; a key alone is left of a consent that was cut short.
    if (key === null || content === null) return null;
    const plain = opened(opened(this.#master, key, `key ${id}`), content, `memory ${id}`);
    return parseAs(MemoryRecord, 'The file was not written by this version.')(JSON.parse(plain.toString()));
  }

  /** Takes what has expired off the disk, unless somebody is changing it, who will. */
  #drop(id: string, now: Date): void {
    try {
      this.#locked(id, () => {
        const record = this.#read(id);
        if (record !== null) this.#write(id, current(record, now));
      });
    } catch (error) {
      if (!PragauraError.isInstance(error) || error.code !== 'MEMORY_LOCKED') throw error;
    }
  }

  #write(id: string, record: MemoryRecord): void {
    const key = opened(this.#master, this.#get(`${id}.key`)!, `key ${id}`);
    this.#put(`${id}.memory`, sealed(key, Buffer.from(JSON.stringify(record)), `memory ${id}`));
  }

  #at(name: string): string {
    return path.join(this.#dir, name);
  }

  #get(name: string): Buffer | null {
    try {
      return readFileSync(this.#at(name));
    } catch (error) {
      if (isSystemError(error, 'ENOENT')) return null;
      throw unusable(`${name} cannot be read (${failureReason(error)})`, error);
    }
  }

  /** Whole or not at all. */
  #put(name: string, bytes: Uint8Array): void {
    const part = this.#at(`${name}.part`);
    written(part, () => {
      writeFileSync(part, bytes, { mode: 0o600, flush: true });
      renameSync(part, this.#at(name));
    });
  }

  /** One at a time for each person: what is read is what was written last. */
  #locked<T>(id: string, work: () => T): T {
    const file = this.#at(`${id}.lock`);
    const release = written(file, () => tryFileLock(file));
    if (release === null) {
      throw new PragauraError(
        'MEMORY_LOCKED',
        `What is remembered of this person is being changed by ${holderOf(file)}.`,
        {
          hint: 'Try again in a moment.',
        },
      );
    }
    try {
      return work();
    } finally {
      release();
    }
  }
}

/** Without what has expired. */
function current(record: MemoryRecord, now: Date): MemoryRecord {
  const entries = record.entries.filter(({ until }) => until === null || Date.parse(until) > now.getTime());
  return { ...record, entries };
}

/** Of what is remembered; a value that is no choice any more is as if it was not there. */
export function preferencesOf(record: MemoryRecord | null): Preferences {
  const said = record?.entries.find(({ type, name }) => type === 'preference' && name === 'length')?.value;
  return { length: PREFERENCES.length.find((known) => known === said) ?? 'full' };
}

function checked(value: MemoryEntry): MemoryEntry {
  const entry = parseAs(
    MemoryEntry,
    `A name is of words, ${MEMORY_BOUNDS.name} characters at most, a value has ${MEMORY_BOUNDS.value} at most.`,
  )(value);
  if (entry.type !== 'preference') return entry;
  const choices = Object.entries(PREFERENCES).find(([name]) => name === entry.name)?.[1];
  if (choices?.some((choice) => choice === entry.value)) return entry;
  const known = Object.entries(PREFERENCES).map(([name, values]) => `${name} (${values.join(' or ')})`);
  throw new PragauraError('INVALID_INPUT', `Nothing goes by the preference ${entry.name} = ${entry.value}.`, {
    hint: `There is ${known.join(', ')}.`,
  });
}

const sameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

function written<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new PragauraError('WRITE_FAILED', `${file} cannot be written: ${failureReason(error)}.`, {
      hint: 'The folder of the memory must be writable, with room.',
      cause: error,
    });
  }
}
