/** What this process takes of a card. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const QUERY = ['--query-compute-apps=pid,used_memory', '--format=csv,noheader,nounits'];

/** MiB of all NVIDIA cards that this process holds; null where nvidia-smi is not there or does not know. */
export async function cardMemory(): Promise<number | null> {
  try {
    const { stdout } = await promisify(execFile)('nvidia-smi', QUERY, { timeout: 10_000 });
    return memoryOf(stdout, process.pid);
  } catch {
    return null;
  }
}

/** Of lines "PID, MiB": the sum of the process; null where it has no line, or one that is no number. */
export function memoryOf(lines: string, pid: number): number | null {
  const own = lines
    .split('\n')
    .map((line) => line.split(',').map((part) => part.trim()))
    .filter(([process]) => process === String(pid))
    .map(([, used]) => (used === undefined || used === '' ? Number.NaN : Number(used)));
  const sum = own.reduce((all, used) => all + used, 0);
  return own.length === 0 || Number.isNaN(sum) ? null : sum;
}
