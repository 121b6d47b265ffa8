/** A lock between processes: a file that only one of them can create, taken over when its holder is gone. */
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { isSystemError } from './system-error.ts';

interface Holder {
  pid: number;
  host: string;
  /** What tells this process from a later one with the same number; "" where the system does not say. */
  born: string;
}

/** A lock that was created but not yet written is left alone for so long. */
const GRACE_MS = 5000;
/** A holder touches its lock this often: of a process on another machine that is the only sign of life. */
const BEAT_MS = 5000;
/** So long without a sign, and the holder on another machine (or in a container of another name) is gone. */
const SILENT_MS = 60_000;

/** Start time of a process in ticks since boot, from field 22 of its stat line; "" where there is no /proc. */
function bornAt(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !isSystemError(error, 'ESRCH');
  }
}

function parse(content: string): Holder | null {
  try {
    const { pid, host, born } = JSON.parse(content) as Partial<Holder>;
    return typeof pid === 'number' && typeof host === 'string' && typeof born === 'string'
      ? { pid, host, born }
      : null;
  } catch {
    return null;
  }
}

function isStale(path: string, content: string): boolean {
  const holder = parse(content);
  // One that is given back meanwhile is nobody's.
  const silentMs = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (holder === null) return silentMs > GRACE_MS;
  if (holder.host !== hostname()) return silentMs > SILENT_MS;
  return !isAlive(holder.pid) || holder.born !== bornAt(holder.pid);
}

function create(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false;
    throw error;
  }
}

/**
 * Removes a stale lock. One process at a time does, under a lock of its own, and judges once more there: another one may
 * have taken the lock over since.
 */
function discard(path: string): void {
  const release = tryFileLock(`${path}.takeover`);
  if (release === null) return;
  try {
    const held = read(path);
    if (held !== null && isStale(path, held)) rmSync(path, { force: true });
  } finally {
    release();
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}

/**
 * Takes the lock, from a process that is gone where need be, and returns what gives it back; null while another
 * process (of this or another machine) holds it. Throws what the file system throws.
 */
export function tryFileLock(path: string): (() => void) | null {
  const content = JSON.stringify({ pid: process.pid, host: hostname(), born: bornAt(process.pid) });
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (create(path, content)) {
      const beat = setInterval(() => touch(path, content), BEAT_MS).unref();
      return () => {
        clearInterval(beat);
        if (read(path) === content) rmSync(path, { force: true });
      };
    }
    const held = read(path);
    if (held === null) continue;
    if (!isStale(path, held)) break;
    discard(path);
  }
  return null;
}

/** Says that the holder lives, if the lock is still its own. */
function touch(path: string, content: string): void {
  try {
    if (read(path) === content) utimesSync(path, new Date(), new Date());
  } catch {
    // A file system that is away for a moment is no reason to end the work; the next time makes up for it.
  }
}

/** Who holds the lock, in words. */
export function holderOf(path: string): string {
  const holder = parse(read(path) ?? '');
  return holder === null ? 'another process' : `process ${holder.pid} on ${holder.host}`;
}
