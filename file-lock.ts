/** A lock between processes: a file that only one of them can create, taken over when its holder is gone. */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
  if (holder === null) return Date.now() - statSync(path).mtimeMs > GRACE_MS;
  if (holder.host !== hostname()) return false;
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

/** Moves a stale lock out of the way; false when somebody else was faster. */
function discard(path: string, content: string): boolean {
  const aside = `${path}.${process.pid}.tmp`;
  try {
    renameSync(path, aside);
    const taken = readFileSync(aside, 'utf8');
    if (taken !== content) create(path, taken);
    rmSync(aside, { force: true });
    return taken === content;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false;
    throw error;
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
      return () => {
        if (read(path) === content) rmSync(path, { force: true });
      };
    }
    const held = read(path);
    if (held === null) continue;
    if (isStale(path, held)) discard(path, held);
    else break;
  }
  return null;
}

/** Who holds the lock, in words. */
export function holderOf(path: string): string {
  const holder = parse(read(path) ?? '');
  return holder === null ? 'another process' : `process ${holder.pid} on ${holder.host}`;
}
