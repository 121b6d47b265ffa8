import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { buildIndex } from '../build-index.ts';
import { options, Scratch } from '../testing/support.ts';
import { lock } from './lock.ts';

const scratch = new Scratch();
afterEach(() => scratch.clear());

/** A number that no process has: above what Linux gives out. */
const NOBODY = 2 ** 22 + 1;
const lockFile = (dir: string) => join(dir, 'pragaura.lock');

describe('lock', () => {
  it('lets one in at a time', () => {
    const dir = scratch.folder();
    const release = lock(dir);
    expect(() => lock(dir)).toThrow(expect.objectContaining({ code: 'INDEX_LOCKED', exitCode: 69 }));
    release();
    expect(existsSync(lockFile(dir))).toBe(false);
    lock(dir)();
  });

  it.each<[string, string | object]>([
    ['is gone', { pid: NOBODY, host: hostname(), born: '1' }],
    ['had this number before', { pid: process.pid, host: hostname(), born: '1' }],
  ])('takes over from a process that %s', (_, holder) => {
    const dir = scratch.folder({ 'pragaura.lock': JSON.stringify(holder) });
    const release = lock(dir);
    expect(JSON.parse(readFileSync(lockFile(dir), 'utf8')).pid).toBe(process.pid);
    release();
  });

  it('does not judge processes of another machine', () => {
    const holder = JSON.stringify({ pid: NOBODY, host: 'elsewhere', born: '1' });
    const dir = scratch.folder({ 'pragaura.lock': holder });
    expect(() => lock(dir)).toThrow(`process ${NOBODY} on elsewhere`);
    expect(readFileSync(lockFile(dir), 'utf8')).toBe(holder);
  });

  it('waits with a lock that is just being written, and clears away one that never was', () => {
    const dir = scratch.folder({ 'pragaura.lock': '' });
    expect(() => lock(dir)).toThrow(expect.objectContaining({ code: 'INDEX_LOCKED' }));
    utimesSync(lockFile(dir), new Date(0), new Date(0));
    lock(dir)();
  });

  it('gives back only its own', () => {
    const dir = scratch.folder();
    const release = lock(dir);
    writeFileSync(lockFile(dir), 'another');
    release();
    expect(readFileSync(lockFile(dir), 'utf8')).toBe('another');
  });

  it('keeps a second writer off a build', async () => {
    const docs = scratch.folder({ 'a.txt': 'A text.' });
    const out = scratch.folder();
    const outcomes = await Promise.allSettled([
      buildIndex([docs], options(out)),
      buildIndex([docs], options(out)),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'INDEX_LOCKED' },
    });
  });
});
