import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { canonical, type KnownOptions, settingsFor } from './settings.ts';

const KNOWN: KnownOptions = {
  key: { index: true, window: true, 'budget.docsScored': true, explain: true, config: true },
  boolean: ['explain'],
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
  it('come from the file, nested or not, and from the environment, which wins', () => {
    const path = file({ index: 'a', window: 3, budget: { docsScored: 20 } });
    expect(settings(['route', '--config', path])).toEqual({ index: 'a', window: 3, 'budget.docsScored': 20 });
    const env = { PRAGAURA_CONFIG: path, PRAGAURA_WINDOW: '9', PRAGAURA_BUDGET__DOCS_SCORED: '7' };
    expect(settings(['route'], env)).toEqual({ index: 'a', window: '9', 'budget.docsScored': '7' });
    expect(settings(['--config=/nope', `--config=${path}`])).toMatchObject({ index: 'a' });
  });

  it('understand yes and no in the environment', () => {
    expect(settings([], { PRAGAURA_EXPLAIN: '1' })).toEqual({ explain: true });
    expect(settings([], { PRAGAURA_EXPLAIN: 'no' })).toEqual({ explain: false });
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
