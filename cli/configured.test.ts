import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import yargs, { type CommandModule } from 'yargs';
import { configured, isOptionOfAny } from './configured.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-configured-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let ran: Record<string, unknown>[] = [];
beforeEach(() => {
  ran = [];
});
afterEach(() => {
  vi.unstubAllEnvs();
});
const handler = (args: object) => void ran.push({ ...args });

const deepest: CommandModule = {
  command: 'process',
  builder: (parser) => parser.option('set', { type: 'string' }),
  handler,
};
const latency: CommandModule = {
  command: 'latency',
  builder: (parser) =>
    parser.command(deepest).option('runs', { type: 'number' }).option('cold-start', { type: 'boolean' }),
  handler,
};
const bench: CommandModule = {
  command: 'bench',
  builder: (parser) => parser.command(latency).option('out', { type: 'string' }),
  handler,
};
const other: CommandModule = { command: 'other', handler };
const ALL = [bench, other];

async function run(words: string, config: object): Promise<Record<string, unknown>> {
  const file = join(folder, 'config.json');
  writeFileSync(file, JSON.stringify(config));
  const args = [...words.split(' '), '--config', file];
  let parser = yargs(args).strict().strictCommands().fail(false).exitProcess(false);
  const isOption = (name: string) => isOptionOfAny(ALL, name);
  for (const command of ALL) parser = parser.command(configured(command, isOption, args));
  await parser.parseAsync();
  expect(ran).toHaveLength(1);
  return ran[0]!;
}

it('takes options of commands within commands from the file and the environment', async () => {
  vi.stubEnv('PRAGAURA_COLD_START', 'yes');
  const args = await run('bench latency', { out: 'x', runs: 3 });
  expect(args).toMatchObject({ out: 'x', runs: 3, coldStart: true });
});

it('takes them however deep the command is, and lets the command line win', async () => {
  expect(await run('bench latency process --runs 5', { runs: 3, set: 'a' })).toMatchObject({
    set: 'a',
    runs: 5,
  });
});

it('passes over what a command within another one knows', async () => {
  expect(await run('other', { runs: 3, set: 'a' })).not.toHaveProperty('runs');
  expect(isOptionOfAny(ALL, 'set')).toBe(true);
  expect(isOptionOfAny([other], 'set')).toBe(false);
});

it('refuses what no command knows, also for a command within another one', async () => {
  await expect(run('bench latency', { rums: 3 })).rejects.toMatchObject({ code: 'CONFIGURATION' });
});
