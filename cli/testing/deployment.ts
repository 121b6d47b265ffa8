/** Files that are handed to systemd and container engines, looked at without either. Tests only. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import yargs, { type CommandModule } from 'yargs';
import { loadCommands } from '../../commands.ts';
import { isSystemError } from '../../common/index.ts';

/** What our own command line makes of arguments; throws where it would refuse them. */
export async function understood(args: readonly string[]): Promise<Record<string, unknown>> {
  let parser = yargs([...args])
    .strict()
    .strictCommands()
    .demandCommand(1)
    .fail(false)
    .exitProcess(false);
  for (const command of await loadCommands()) {
    parser = parser.command({ ...command, handler: () => {} } as CommandModule);
  }
  return parser.parseAsync();
}

/** The values of a key in a section of a unit. */
export function settingsIn(unit: string, section: string, key: string): string[] {
  const body = unit.split(/^\[(\w+)\]$/m);
  const lines = body[body.indexOf(section) + 1]!.split('\n');
  return lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1));
}

/** What systemd-analyze has to say of a unit; nothing where it is not installed. */
export function verified(name: string, unit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pragaura-unit-'));
  try {
    const file = join(folder, name);
    // Verified on a machine that has neither the command nor the settings.
    const here = unit
      .replace('/usr/local/bin/pragaura', process.execPath)
      .replace(/^EnvironmentFile=/m, 'EnvironmentFile=-');
    writeFileSync(file, here);
    const { error, status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
      encoding: 'utf8',
    });
    if (isSystemError(error, 'ENOENT')) return '';
    return status === 0 ? stderr : `${status}: ${stderr}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
