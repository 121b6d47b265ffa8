import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { holderOf, tryFileLock } from './file-lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-lock-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const path = join(folder, 'lock');
const elsewhere = JSON.stringify({ pid: process.pid, host: 'elsewhere', born: '1' });
const touchedAgo = (seconds: number): void =>
  utimesSync(path, new Date(), new Date(Date.now() - 1000 * seconds));
const ageMs = (): number => Date.now() - statSync(path).mtimeMs;
/** Longer than between two touches. */
const A_WHILE = 10_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(path, { force: true });
});

describe('a lock of another machine', () => {
  it('holds as long as it is touched', () => {
    writeFileSync(path, elsewhere);
    touchedAgo(50);
    expect(tryFileLock(path)).toBeNull();
    expect(readFileSync(path, 'utf8')).toBe(elsewhere);
  });

  it('is taken over after a minute without a touch, by one', () => {
    writeFileSync(path, elsewhere);
    touchedAgo(61);
    const release = tryFileLock(path);
    expect(release).not.toBeNull();
    expect(tryFileLock(path)).toBeNull();
    expect(holderOf(path)).not.toContain('elsewhere');
    release!();
    expect(existsSync(path)).toBe(false);
  });
});

describe('a lock whose holder is gone', () => {
  const gone = JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), born: '1' });
  const takeover = `${path}.takeover`;
  afterEach(() => {
    vi.restoreAllMocks();
    rmSync(takeover, { force: true });
  });

  it('is not touched where another process has taken it over since it was judged', () => {
    writeFileSync(path, gone);
    let theirs = 0;
    vi.spyOn(process, 'kill').mockImplementationOnce(() => {
      writeFileSync(`${path}.new`, elsewhere);
      renameSync(`${path}.new`, path);
      theirs = statSync(path).ino;
      throw Object.assign(new Error('gone'), { code: 'ESRCH' });
    });
    expect(tryFileLock(path)).toBeNull();
    expect(readFileSync(path, 'utf8')).toBe(elsewhere);
    // Not even moved away for a moment, in which a third process could take it.
    expect(statSync(path).ino).toBe(theirs);
  });

  it('is left to the one that is taking it over, unless that is gone as well', () => {
    writeFileSync(path, gone);
    writeFileSync(takeover, elsewhere);
    expect(tryFileLock(path)).toBeNull();
    expect(readFileSync(path, 'utf8')).toBe(gone);
    writeFileSync(takeover, gone);
    const release = tryFileLock(path);
    expect(release).not.toBeNull();
    release!();
    expect([path, takeover, `${takeover}.takeover`].filter(existsSync)).toEqual([]);
  });
});

describe('the holder', () => {
  it('touches its lock until it gives it back', () => {
    const release = tryFileLock(path)!;
    touchedAgo(3600);
    vi.advanceTimersByTime(A_WHILE);
    expect(ageMs()).toBeLessThan(60_000);
    release();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is not judged by its silence on its own machine', () => {
    const release = tryFileLock(path)!;
    touchedAgo(3600);
    expect(tryFileLock(path)).toBeNull();
    release();
  });

  it('does not touch the lock of whoever took over, nor mind one that is gone', () => {
    const release = tryFileLock(path)!;
    writeFileSync(path, elsewhere);
    touchedAgo(3600);
    vi.advanceTimersByTime(A_WHILE);
    expect(ageMs()).toBeGreaterThan(3_000_000);
    rmSync(path);
    vi.advanceTimersByTime(A_WHILE);
    expect(existsSync(path)).toBe(false);
    release();
  });
});
