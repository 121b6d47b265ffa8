import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tryFileLock } from '../common/index.ts';
import { createKey, KeyRing, readKeys, revokeKey, rotateKey, stateOf } from './keys.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-keys-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NOW = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;
const WISH = { name: 'intranet', scopes: ['decide'] as const, collections: ['hr'], perMinute: 10, days: 30 };
const fresh = (name: string) => path.join(folder, `${name}.json`);

describe('a key', () => {
  it('is given once and kept nowhere; what is kept says what it opens', async () => {
    const file = fresh('once');
    const { key, text } = await createKey(file, WISH, NOW);
    const other = await createKey(file, { ...WISH, days: null }, NOW);
    expect(readKeys(file)).toEqual([key, other.key]);
    expect(key).toMatchObject({ name: 'intranet', created: '2026-01-01T00:00:00.000Z' });
    expect(key.expires).toBe('2026-01-31T00:00:00.000Z');
    expect(other.key.expires).toBeNull();
    expect(readFileSync(file, 'utf8')).not.toContain(text.slice(-43));
    const ring = new KeyRing(file);
    expect(ring.find(text, NOW)).toEqual(key);
    expect(ring.find(other.text, NOW)).toEqual(other.key);
    // The id of one with the secret of another.
    const mixed = `pragaura_${key.id}_${other.text.slice(-43)}`;
    expect(() => ring.find(mixed, NOW)).toThrow(expect.objectContaining({ code: 'TOKEN_REFUSED' }));
    expect(ring.find('eyJhbGciOiJIUzI1NiJ9.e30.x', NOW)).toBeNull();
  });

  it('expires at its moment', async () => {
    const file = fresh('expires');
    const { key, text } = await createKey(file, WISH, NOW);
    const ring = new KeyRing(file);
    expect(ring.find(text, NOW + 30 * DAY - 1)).toEqual(key);
    expect(() => ring.find(text, NOW + 30 * DAY)).toThrow(/expired/);
  });

  it('that is revoked stays so, and is refused by whoever has the file open', async () => {
    const file = fresh('revoked');
    const { key, text } = await createKey(file, WISH, NOW);
    const ring = new KeyRing(file);
    expect(ring.find(text, NOW)).toEqual(key);
    const revoked = await revokeKey(file, key.id, NOW + 1);
    expect(stateOf(revoked, NOW)).toBe('revoked');
    expect(() => ring.find(text, NOW)).toThrow(/revoked/);
    expect(await revokeKey(file, key.id, NOW + 9)).toEqual(revoked);
    expect(ring.valid).toBe(0);
  });

  it('that is rotated goes on for the overlap and no longer; the new one has all but the secret', async () => {
    const file = fresh('rotated');
    const old = await createKey(file, WISH, NOW);
    const made = await rotateKey(file, old.key.id, DAY, NOW + 10 * DAY);
    const { id: _, sha256: __, created, expires, ...same } = made.key;
    expect(old.key).toMatchObject(same);
    expect(Date.parse(expires!) - Date.parse(created)).toBe(30 * DAY);
    const ring = new KeyRing(file);
    expect(ring.find(old.text, NOW + 11 * DAY - 1)).toMatchObject({ id: old.key.id });
    expect(() => ring.find(old.text, NOW + 11 * DAY)).toThrow(/expired/);
    expect(ring.find(made.text, NOW + 11 * DAY)).toEqual(made.key);
    // An overlap makes none live longer.
    const last = await rotateKey(file, made.key.id, 365 * DAY, NOW + 12 * DAY);
    expect(() => ring.find(made.text, NOW + 40 * DAY)).toThrow(/expired/);
    await revokeKey(file, last.key.id, NOW);
    await expect(rotateKey(file, last.key.id, DAY, NOW)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('a file of keys', () => {
  it('that is none is refused, and left as it is', async () => {
    const file = fresh('broken');
    for (const text of ['{', '[]', '{"schema":"pragaura.keys/2","keys":[]}']) {
      writeFileSync(file, text);
      await expect(createKey(file, WISH)).rejects.toMatchObject({ code: 'CONFIGURATION' });
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
    await expect(revokeKey(fresh('none'), 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(createKey(path.join(file, 'x'), WISH)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
  });

  it('is changed by one at a time, and written whole', async () => {
    const file = fresh('locked');
    await createKey(file, WISH, NOW);
    await expect(revokeKey(file, '0'.repeat(12))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const { ino } = statSync(file);
    const release = tryFileLock(`${file}.lock`)!;
    await expect(createKey(file, WISH)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    release();
    await createKey(file, WISH, NOW);
    expect(statSync(file).ino).not.toBe(ino);
    expect(readKeys(file)).toHaveLength(2);
  });
});
