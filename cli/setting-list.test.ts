/** The registry of settings: what is listed, and the two files in docs/ that are written from it. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CommandModule } from 'yargs';
import { loadProfiles } from '../profiles/index.ts';
import { type Setting, settingList, settingsPage, settingsSchema } from './setting-list.ts';
import { MAIN } from './testing/cli.ts';

const inner = {
  command: 'deep <files..>',
  builder: (parser) =>
    parser
      .positional('files', { type: 'string', array: true })
      .option('budget.nliPairs', { type: 'number', describe: 'Pairs | at most [default: 24]' })
      .option('secret', { type: 'string', hidden: true, describe: 'Nobody sees it' }),
  handler: () => {},
} satisfies CommandModule;
const command = (name: string, describe: string): CommandModule => ({
  command: name,
  builder: ((parser) =>
    parser
      .option('max-tokens', { alias: 'm', type: 'number', default: 3, describe })
      .option('sort', { choices: ['up', 'down'], describe: 'Order' })
      .command(inner)) as CommandModule['builder'],
  handler: () => {},
});

describe('the list of settings', () => {
  const list = settingList([
    command('one', 'Tokens'),
    command('two [x]', 'Tokens'),
    command('bench', 'Words'),
  ]);
  const of = (name: string) => list.filter((each) => each.name === name);

  it('has each option once for all commands that declare it alike, those within others too', () => {
    expect(of('max-tokens')).toEqual([
      {
        name: 'max-tokens',
        variable: 'PRAGAURA_MAX_TOKENS',
        type: 'number',
        choices: null,
        default: '3',
        description: 'Tokens',
        commands: ['one', 'two'],
      },
      expect.objectContaining({ description: 'Words', commands: ['bench'] }),
    ] satisfies Setting[]);
    expect(of('budget.nliPairs')).toEqual([
      expect.objectContaining({
        variable: 'PRAGAURA_BUDGET__NLI_PAIRS',
        default: '24',
        description: 'Pairs | at most',
        commands: ['one deep', 'two deep', 'bench deep'],
      }),
    ]);
    expect(of('sort')[0]?.choices).toEqual(['up', 'down']);
  });

  it('has no positional, no alias and nothing hidden', () => {
    expect(list.map(({ name }) => name)).toEqual(['budget.nliPairs', 'max-tokens', 'max-tokens', 'sort']);
  });

  it('becomes a page without what benchmarks alone take, in which no text breaks a table', () => {
    const page = settingsPage(list);
    expect(page).not.toContain('Words');
    expect(page).toContain('| Pairs \\| at most | one deep, two deep |');
  });

  it('becomes a schema in which dots are objects, and one name of two kinds may be either', () => {
    const number: Setting = {
      name: 'a.b',
      variable: '',
      type: 'number',
      choices: null,
      default: null,
      description: 'x',
      commands: [],
    };
    expect(
      settingsSchema([number, { ...number, type: 'yes or no' }, { ...number, description: 'y' }]),
    ).toMatchObject({
      properties: { a: { properties: { b: { anyOf: [{ type: 'number' }, { type: 'boolean' }] } } } },
    });
  });
});

describe('docs', () => {
  const written = async (format: string) =>
    (await promisify(execFile)(process.execPath, [MAIN, 'settings', '--format', format])).stdout;
  const docs = (file: string) => readFile(new URL(`../docs/${file}`, import.meta.url), 'utf8');

  it('have the page that the program writes: run "pragaura settings --format markdown > docs/settings.md"', async () => {
    expect(await docs('settings.md')).toBe(await written('markdown'));
  });

  it('have the schema that the program writes, which names every setting', async () => {
    const text = await written('schema');
    expect(await docs('pragaura.config.schema.json')).toBe(text);
    const { settings } = JSON.parse(await written('json')) as { settings: Setting[] };
    const schema = JSON.parse(text) as { properties: Record<string, { properties?: object }> };
    for (const { name } of settings) {
      const [first, second] = name.split('.');
      const at = schema.properties[first!];
      expect(second === undefined ? at : Object.keys(at?.properties ?? {})).toSatisfy((found) =>
        second === undefined ? found !== undefined : found.includes(second),
      );
    }
    expect(settings.length).toBeGreaterThan(150);
    const said = Object.entries(loadProfiles().budget).map(([unit, most]) => [
      unit,
      String(most ?? 'no limit'),
    ]);
    for (const [unit, most] of said) {
      expect(settings.find(({ name }) => name === `budget.${unit}`)?.default).toBe(most);
    }
  });
});
