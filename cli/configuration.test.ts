import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { canonical, type KnownOptions, settingsFor } from './configuration.ts';

const KNOWN: KnownOptions = {
  key: {
    index: true,
    window: true,
    'budget.docsScored': true,
    explain: true,
    layer: true,
    config: true,
    version: true,
  },
  boolean: ['explain', 'version'],
  string: ['index', 'layer', 'config'],
  array: ['layer'],
};
const folder = mkdtempSync(join(tmpdir(), 'pragaura-settings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const isOption = (name: string) => ['index', 'window', 'budget.docsscored', 'out'].includes(name);

function file(content: string | object): string {
  const path = join(folder, `${Math.random().toString(36).slice(2)}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const settings = (args: string[], env: NodeJS.ProcessEnv = {}) => settingsFor(KNOWN, isOption, args, env);

describe('settings', () => {
  it('leave out what an editor checks the file by', () => {
    const path = file({ $schema: 'pragaura.config.schema.json', window: 3 });
    expect(settings(['route', '--config', path])).toEqual({ window: 3 });
  });

  it('come from the file, nested or not, and from the environment, which wins', () => {
    const path = file({ index: 'a', window: 3, budget: { docsScored: 20 } });
    expect(settings(['route', '--config', path])).toEqual({ index: 'a', window: 3, 'budget.docsScored': 20 });
    const env = { PRAGAURA_CONFIG: path, PRAGAURA_WINDOW: '9', PRAGAURA_BUDGET__DOCS_SCORED: '7' };
    expect(settings(['route'], env)).toEqual({ index: 'a', window: '9', 'budget.docsScored': '7' });
    expect(settings(['--config=/nope', `--config=${path}`])).toMatchObject({ index: 'a' });
  });

  it.each([
    ['1', true],
    ['Yes', true],
    ['on', true],
    ['true', true],
    ['0', false],
    ['no', false],
    ['OFF', false],
    ['false', false],
  ])('understand %s, in the environment and in the file', (word, explain) => {
    expect(settings([], { PRAGAURA_EXPLAIN: word })).toEqual({ explain });
    expect(settings(['--config', file({ explain: word })])).toEqual({ explain });
  });

  it('take true, false and 0 as the file can say them, and numbers for text', () => {
    expect(settings(['--config', file({ explain: true, index: 42 })])).toEqual({
      explain: true,
      index: '42',
    });
    expect(settings(['--config', file({ explain: 0, layer: ['a', 7], window: 3 })])).toEqual({
      explain: false,
      layer: ['a', '7'],
      window: 3,
    });
    expect(settings(['--config', file({ layer: 'a' })])).toEqual({ layer: 'a' });
  });

  it.each([
    ['explain', 'y', 'true or false'],
    ['explain', 2, 'true or false'],
    ['explain', null, 'true or false'],
    ['index', true, 'text'],
    ['index', null, 'text'],
    ['layer', ['a', false], 'text'],
    ['index', ['a', 'b'], 'one value'],
    ['window', [1, 2], 'one value'],
  ])('refuse %s as %j, and name file and key', (key, value, what) => {
    const path = file({ [key]: value });
    expect(() => settings(['--config', path])).toThrow(
      expect.objectContaining({
        code: 'CONFIGURATION',
        message: expect.stringMatching(new RegExp(`^${path}:\\d+ sets "${key}" to .* takes ${what}`)),
      }),
    );
  });

  it('refuse a word in the environment that is neither yes nor no, and pass over an empty one', () => {
    expect(() => settings([], { PRAGAURA_EXPLAIN: 'y' })).toThrow(
      expect.objectContaining({
        code: 'CONFIGURATION',
        message: expect.stringContaining('PRAGAURA_EXPLAIN is "y"'),
      }),
    );
    expect(settings([], { PRAGAURA_EXPLAIN: '', PRAGAURA_INDEX: '' })).toEqual({});
  });

  it('leave alone what every command has', () => {
    expect(settings([], { PRAGAURA_VERSION: '2.1' })).toEqual({});
  });

  it('pass over what other commands or other programs know, and refuse what nobody knows', () => {
    expect(settings(['--config', file({ out: 'x' })], { PRAGAURA_IMAGE: 'y', OTHER: 'z' })).toEqual({});
    for (const key of ['indx', '__proto__x', 'constructor']) {
      expect(() => settings(['--config', file({ [key]: 1 })])).toThrow(
        expect.objectContaining({ code: 'CONFIGURATION', exitCode: 78 }),
      );
    }
    const polluting = file('{"__proto__": {"polluted": 1}}');
    expect(() => settings(['--config', polluting])).toThrow(/__proto__\.polluted/);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('refuse a file that is missing, no JSON or no object', () => {
    expect(() => settings(['--config', join(folder, 'none.json')])).toThrow(
      expect.objectContaining({ code: 'NOT_FOUND', hint: expect.stringContaining('--config') }),
    );
    for (const content of ['{', '[]', '7', 'null']) {
      expect(() => settings(['--config', file(content)])).toThrow(
        expect.objectContaining({ code: 'CONFIGURATION', hint: expect.stringContaining('{"index"') }),
      );
    }
  });

  it('leave what stands after "--" alone', () => {
    expect(settings(['ask', '--', '--config', '/nope'])).toEqual({});
  });

  it('compare names without regard to how their words are joined', () => {
    expect(canonical('docs-scored')).toBe(canonical('DOCS_SCORED'));
    expect(canonical('docsScored')).toBe(canonical('docs_scored'));
  });
});
