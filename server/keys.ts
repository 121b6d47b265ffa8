/** API keys: made, listed, revoked and rotated in a file, which keeps the hash of a key and never the key. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import {
  failureReason,
  holderOf,
  messageOf,
  PragauraError,
  parseAs,
  tryFileLock,
  writeWholeFile,
} from '../common/index.ts';
import { SCOPES, type Scope } from './scopes.ts';

const SCHEMA = 'pragaura.keys/1';
const KEY = /^pragaura_([0-9a-f]{12})_[\w-]{43}$/;
const DAY_MS = 86_400_000;

const Key = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{12}$/),
  name: z.string().min(1).max(200),
  /** SHA-256 of the whole key: it holds 256 bits of chance, which no slow hash could add to. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  scopes: z.array(z.enum(SCOPES)).min(1),
  /** Null: all. */
  collections: z.array(z.string()).min(1).nullable(),
  /** Queries a minute; null: as the server has it. */
  perMinute: z.number().int().min(1).nullable(),
  created: z.iso.datetime(),
  /** Null: never. */
  expires: z.iso.datetime().nullable(),
  revoked: z.iso.datetime().nullable(),
});
export type Key = z.infer<typeof Key>;

const KeyFile = z.strictObject({ schema: z.literal(SCHEMA), keys: z.array(Key).max(100_000) });

/** What a new key may do. `days`: until it expires, null: never. */
export interface KeyWish {
  name: string;
  scopes: readonly Scope[];
  collections: readonly string[] | null;
  perMinute: number | null;
  days: number | null;
}

/** Keys of a file. Throws NOT_FOUND and CONFIGURATION. */
export function readKeys(file: string): Key[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const why = failureReason(cause);
    throw new PragauraError('NOT_FOUND', `The keys ${file} cannot be read: ${why}.`, {
      hint: `"pragaura keys create --keys ${file} --name NAME" makes the first.`,
      cause,
    });
  }
  try {
    return parseAs(KeyFile, 'It is written by "pragaura keys".')(JSON.parse(text)).keys;
  } catch (cause) {
    throw new PragauraError('CONFIGURATION', `${file} is no file of keys: ${messageOf(cause)}`, {
      hint: 'It is written by "pragaura keys".',
      cause,
    });
  }
}

/**
 * Makes a key, whose text is given here and kept nowhere; begins the file where there is none. Throws CONFIGURATION,
 * and WRITE_FAILED, also while another process changes the file.
 */
export function createKey(
  file: string,
  wish: KeyWish,
  now = Date.now(),
): Promise<{ key: Key; text: string }> {
  return changing(file, true, (keys) => {
    const made = makeKey(wish, now);
    return { keys: [...keys, made.key], result: made };
  });
}

/** Revokes a key, at once and for good. Throws as `createKey`, and NOT_FOUND where there is none of that id. */
export function revokeKey(file: string, id: string, now = Date.now()): Promise<Key> {
  return changing(file, false, (keys) => {
    const found = keyOf(keys, id);
    const key = { ...found, revoked: found.revoked ?? new Date(now).toISOString() };
    return { keys: keys.map((each) => (each.id === id ? key : each)), result: key };
  });
}

/**
 * A key that takes the place of another one, which goes on for `overlapMs`; it lives as long as that one was made for.
 * Throws as `revokeKey`, and INVALID_INPUT for one that opens nothing any more.
 */
export function rotateKey(
  file: string,
  id: string,
  overlapMs: number,
  now = Date.now(),
): Promise<{ key: Key; text: string }> {
  return changing(file, false, (keys) => {
    const old = keyOf(keys, id);
    const closed = stateOf(old, now);
    if (closed !== 'valid') {
      throw new PragauraError('INVALID_INPUT', `The key ${id} is ${closed}: there is nothing to rotate.`, {
        hint: '"pragaura keys create" makes a new one.',
      });
    }
    const { name, scopes, collections, perMinute, created, expires } = old;
    const days = expires === null ? null : (Date.parse(expires) - Date.parse(created)) / DAY_MS;
    const made = makeKey({ name, scopes, collections, perMinute, days }, now);
    const end = Math.min(now + overlapMs, expires === null ? Number.POSITIVE_INFINITY : Date.parse(expires));
    const ending = { ...old, expires: new Date(end).toISOString() };
    return { keys: [...keys.map((each) => (each.id === id ? ending : each)), made.key], result: made };
  });
}

/** What a key is worth at a moment. */
export function stateOf({ revoked, expires }: Key, now = Date.now()): 'valid' | 'revoked' | 'expired' {
  if (revoked !== null) return 'revoked';
  return expires !== null && Date.parse(expires) <= now ? 'expired' : 'valid';
}

function makeKey({ days, scopes, collections, ...wish }: KeyWish, now: number): { key: Key; text: string } {
  const id = randomBytes(6).toString('hex');
  const text = `pragaura_${id}_${randomBytes(32).toString('base64url')}`;
  const key: Key = {
    id,
    ...wish,
    sha256: hashOf(text).toString('hex'),
    scopes: [...new Set(scopes)],
    collections: collections === null ? null : [...collections],
    created: new Date(now).toISOString(),
    expires: days === null ? null : new Date(now + days * DAY_MS).toISOString(),
    revoked: null,
  };
  return { key, text };
}

function keyOf(keys: readonly Key[], id: string): Key {
  const found = keys.find((key) => key.id === id);
  if (found !== undefined) return found;
  throw new PragauraError('NOT_FOUND', 'There is no key of that id.', {
    hint: '"pragaura keys list" has the ids: 12 characters, the middle of a key.',
  });
}

const hashOf = (text: string) => createHash('sha256').update(text).digest();

async function changing<T>(
  file: string,
  begin: boolean,
  change: (keys: Key[]) => { keys: Key[]; result: T },
): Promise<T> {
  const lock = `${file}.lock`;
  let release: (() => void) | null;
  try {
    release = tryFileLock(lock);
  } catch (cause) {
    throw new PragauraError('WRITE_FAILED', `${file} cannot be written: ${messageOf(cause)}`, { cause });
  }
  if (release === null) {
    throw new PragauraError('WRITE_FAILED', `${holderOf(lock)} is changing ${file}.`, { hint: 'Try again.' });
  }
  try {
    const there = statSync(file, { throwIfNoEntry: false }) !== undefined;
    const { keys, result } = change(begin && !there ? [] : readKeys(file));
    const text = `${JSON.stringify({ schema: SCHEMA, keys }, null, 2)}\n`;
    await writeWholeFile(file, text, 'Name a file in a folder that can be written to with --keys.');
    return result;
  } finally {
    release();
  }
}

/** The keys of a file as it is now: what is revoked there is refused from the next request on. */
export class KeyRing {
  readonly #file: string;
  #seen = '';
  #keys = new Map<string, Key>();

  /** Throws as `readKeys`. */
  constructor(file: string) {
    this.#file = file;
    this.#refresh();
  }

  /** How many there are that open something. */
  get valid(): number {
    this.#refresh();
    return [...this.#keys.values()].filter((key) => stateOf(key) === 'valid').length;
  }

  /**
   * The key of this text; null for a text that is none. Throws TOKEN_REFUSED for a key that is unknown, revoked or
   * expired, and as `readKeys` where the file is no longer one: then nobody is let in.
   */
  find(text: string, now = Date.now()): Key | null {
    const id = KEY.exec(text)?.[1];
    if (id === undefined) return null;
    this.#refresh();
    const key = this.#keys.get(id);
    if (key === undefined || !timingSafeEqual(Buffer.from(key.sha256, 'hex'), hashOf(text))) {
      throw refused('it is none of the keys');
    }
    const state = stateOf(key, now);
    if (state === 'valid') return key;
    throw refused(state === 'revoked' ? 'it was revoked' : 'it has expired');
  }

  #refresh(): void {
    const stat = statSync(this.#file, { throwIfNoEntry: false });
    const seen = stat === undefined ? 'none' : `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
    if (seen === this.#seen) return;
    this.#keys = new Map();
    this.#seen = '';
    this.#keys = new Map(readKeys(this.#file).map((key) => [key.id, key]));
    this.#seen = seen;
  }
}

function refused(why: string): PragauraError {
  return new PragauraError('TOKEN_REFUSED', `The API key is refused: ${why}.`, {
    hint: 'Whoever runs the server makes a new one: "pragaura keys create".',
  });
}
