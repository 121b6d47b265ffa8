/** What processes take, as Linux counts it. */
import { readdirSync, readFileSync } from 'node:fs';

/** Ticks a second in which Linux tells processor time. */
const TICKS = 100;

export interface Taken {
  /** MiB in memory: shared pages by the part of each process; and those of no file, which cannot be given back. */
  memoryMiB: number;
  ownMiB: number;
  /** Processor seconds so far, of children that have ended too. */
  cpuS: number;
}

/** Of these processes and all below them; null where that cannot be read. */
export function takenBy(pids: readonly number[]): Taken | null {
  try {
    const taken = { memoryMiB: 0, ownMiB: 0, cpuS: 0 };
    for (const pid of withChildren(pids)) {
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
      const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0);
      taken.memoryMiB += kib('Pss') / 2 ** 10;
      taken.ownMiB += kib('Pss_Anon') / 2 ** 10;
      const [utime, stime, cutime, cstime] = statOf(pid).slice(11, 15).map(Number);
      taken.cpuS += (utime! + stime! + cutime! + cstime!) / TICKS;
    }
    return taken;
  } catch {
    return null;
  }
}

/** What stands behind the name in a process's line, the state first. */
function statOf(pid: number | string): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function withChildren(pids: readonly number[]): number[] {
  const parents = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const parent = Number(statOf(name)[1]);
      parents.set(parent, [...(parents.get(parent) ?? []), Number(name)]);
    } catch {
      // It has ended meanwhile.
    }
  }
  const all = [...pids];
  for (let i = 0; i < all.length; i += 1) all.push(...(parents.get(all[i]!) ?? []));
  return all;
}
