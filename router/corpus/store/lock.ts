import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { PragauraError } from '../../../errors.ts';
import { isSystemError } from './files.ts';
import { LOCK } from './layout.ts';

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
 * Takes the lock of an index folder, from a process that is gone where need be, and returns what gives it back.
 * @throws INDEX_LOCKED while another process (of this or another machine) holds it
 */
export function lock(dir: string): () => void {
  const path = join(dir, LOCK);
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
  const holder = parse(read(path) ?? '');
  const who = holder === null ? 'another process' : `process ${holder.pid} on ${holder.host}`;
  throw new PragauraError('INDEX_LOCKED', `${dir} is being written by ${who}.`, {
    hint: `Wait until it is done. If no such process runs any more, remove ${path}.`,
  });
}
