import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');
const EVERYWHERE = ['common'];

interface Room {
  name: string;
  mayImport: readonly string[];
}

/** The table of rooms of DESIGN: "all" is every other one, "nothing" none. */
async function roomsOf(design: string): Promise<Room[]> {
  const rows = design.split('\n').flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    const name = /^`(\w+)\/`$/.exec(cells[1] ?? '')?.[1];
    return name === undefined ? [] : [{ name, last: cells.at(-2)! }];
  });
  const names = rows.map(({ name }) => name);
  return rows.map(({ name, last }) => ({
    name,
    mayImport: last === 'all' ? names : [...last.matchAll(/`(\w+)`/g)].map(([, other]) => other!),
  }));
}

/** Imports of another room, as "file -> room"; types are no dependency that runs, and commands may use the command line. */
async function strayImports({ name, mayImport }: Room): Promise<string[]> {
  const files = (await readdir(path.join(ROOT, name), { recursive: true }))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('testing'))
    .map((file) => path.join(name, file));
  const stray = new Set<string>();
  for (const file of files) {
    const text = await readFile(path.join(ROOT, file), 'utf8');
    for (const [, type, from, lazily] of text.matchAll(IMPORT)) {
      const [room] = path.join(path.dirname(file), (from ?? lazily)!).split(path.sep);
      const mine = room === name || EVERYWHERE.includes(room!) || mayImport.includes(room!);
      if (!mine && type === undefined && !(room === 'cli' && file.includes('commands'))) {
        stray.add(`${file} -> ${room}`);
      }
    }
  }
  return [...stray];
}

const IMPORT = /^(?:import|export)( type)? [^;]*?from '(\.[^']+)';|import\('(\.[^']+)'\)/gm;

describe('rooms', async () => {
  const rooms = await roomsOf(await readFile(path.join(ROOT, 'DESIGN.md'), 'utf8'));

  it('stand in the table of DESIGN, all of them', async () => {
    const folders = (await readdir(ROOT, { withFileTypes: true })).filter((entry) => entry.isDirectory());
    const code = folders
      .map(({ name }) => name)
      .filter((name) => !/^\.|^(?:dist|docs|node_modules)$/.test(name));
    expect(rooms.map(({ name }) => name).sort()).toEqual(code.sort());
  });

  it.each(rooms)('$name imports no room that the table does not allow', async (room) => {
    expect(await strayImports(room)).toEqual([]);
  });
});
