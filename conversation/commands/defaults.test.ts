import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordsOf, runCli, runHere, runShell } from '../../cli/testing/cli.ts';
import { ClarificationDefault, openDefaults } from '../defaults/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-defaults-command-'));
const file = join(folder, 'defaults.db');
const defaults = (...args: string[]) => runHere(['defaults', ...args, '--store', file]);

beforeAll(async () => {
  const store = await openDefaults({ file, create: true });
  const at = Date.now();
  const answer = {
    need: { field: 'page', scope: 'contract' },
    conditions: {},
    signal: 'explicit_yes',
    at,
  } as const;
  for (let n = 0; n < 12; n++) store.learn({ ...answer, tenant: 'acme', value: 'page 1' });
  for (let n = 0; n < 3; n++) store.learn({ ...answer, tenant: 'other', value: '\u001b[31mred' });
  store.note(store.resolve({ field: 'page', scope: 'contract' }, {}, 'acme', at), 'q-7');
  store.close();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('pragaura defaults', () => {
  it('lists what was learned, for people and for programs, and no text acts on the terminal', async () => {
    const { code, stdout, stderr } = await defaults('list');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/acme.*page \(contract\).*page 1.*applies/);
    expect(stdout).toMatch(/other.*␛\[31mred.*proposes/);
    const records = recordsOf((await defaults('list', '--json', '--tenant', 'acme')).stdout);
    expect(records.map((one) => ClarificationDefault.parse(one).tenant)).toEqual(['acme']);
  });

  it('shows one with its votes and uses, exports all, and stops quietly when nobody reads on', async () => {
    const [one] = recordsOf<{ id: string }>((await defaults('list', '--json', '--tenant', 'acme')).stdout);
    const shown = await defaults('show', one!.id);
    expect(shown.stdout).toContain('explicit_yes');
    expect(shown.stdout).toContain('q-7');
    expect((await defaults('show', one!.id, '--tenant', 'other')).code).toBe(66);
    const records = recordsOf((await defaults('export')).stdout);
    expect(records.map((record) => record.schema)).toEqual([
      ...Array.from({ length: 15 }, () => 'pragaura.default-vote/1'),
      'pragaura.default-audit/1',
    ]);
    const head = await runShell(
      `$PRAGAURA defaults export --store ${file} | head -1; exit \${PIPESTATUS[0]}`,
    );
    expect({ code: head.code, stderr: head.stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('forgets one default, or all of a tenant, and refuses to guess', async () => {
    expect((await defaults('forget', '--all')).code).toBe(2);
    expect((await defaults('forget', '--tenant', 'other')).code).toBe(2);
    expect((await defaults('forget', 'nothing', '--tenant', 'other')).code).toBe(66);
    const old = await defaults('forget', '--all', '--older-than', '5', '--tenant', 'other');
    expect({ code: old.code, stderr: old.stderr }).toEqual({
      code: 66,
      stderr: 'pragaura: There was nothing to forget.\n',
    });
    const [one] = recordsOf<{ id: string }>((await defaults('list', '--json', '--tenant', 'other')).stdout);
    const gone = await defaults('forget', one!.id, '--tenant', 'other', '--json');
    expect(recordsOf(gone.stdout)).toEqual([{ schema: 'pragaura.forgotten/1', id: one!.id, votes: 3 }]);
    expect((await defaults('list', '--tenant', 'other')).stdout).toBe('Nothing was learned yet.\n');
    expect((await defaults('forget', '--all', '--tenant', 'acme')).stdout).toBe('acme: 12 votes forgotten\n');
  });

  it('says what is wrong with a store that is missing or none', async () => {
    const missing = await runCli(['defaults', 'list', '--store', join(folder, 'none.db')]);
    expect(missing.code).toBe(66);
    expect(missing.stderr).toContain('There is no store of defaults at');
    const broken = join(folder, 'broken.db');
    writeFileSync(broken, 'no database\n'.repeat(100));
    const refused = await runHere(['defaults', 'list', '--store', broken]);
    expect(refused.code).toBe(66);
    expect(refused.stderr).toContain('cannot be used as a store of defaults');
    expect((await runHere(['defaults', 'list'])).code).toBe(2);
    // Under the name that the commands have which use it.
    const env = { PRAGAURA_DEFAULTS: file };
    expect((await runHere(['defaults', 'list'], { env })).code).toBe(0);
  });
});
