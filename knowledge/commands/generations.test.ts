/** Generations from end to end: the built command line, decisions as of then, and the way back on record. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordsOf, runCli, runHere } from '../../cli/testing/cli.ts';
import type { GenerationState } from '../../corpus/index.ts';
import type { Entry } from '../../governance/index.ts';
import type { Decision } from '../../router/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-knowledge-'));
const at = (name: string) => join(folder, name);
const index = at('index');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = async (deadline: string, ...more: string[]) => {
  writeFileSync(at('docs/deadline.md'), `# Deadline\n\nThe deadline for applications is ${deadline}.\n`);
  expect((await runHere(['index', at('docs'), '--out', index, ...more])).code).toBe(0);
};
const knowledge = (...args: string[]) => runHere(['knowledge', ...args, '--index', index]);
const ask = async (...args: string[]) => {
  const asked = ['ask', '--json', 'What is the deadline for applications?', '--index', index];
  const { code, stdout } = await runHere([...asked, ...args]);
  expect(code).toBe(0);
  return JSON.parse(stdout) as Decision;
};

beforeAll(async () => {
  mkdirSync(at('docs'));
  writeFileSync(at('docs/fees.md'), '# Fees\n\nThe fee for applications is 40 crowns.\n');
  await write('May 3', '--keep-generations', '3');
  await write('June 7');
  writeFileSync(
    at('policy.cedar'),
    `@id("all") permit (principal in Role::"administrator", action in [Action::"read", Action::"rollback"], resource is Document);
     @id("read") permit (principal in Role::"staff", action == Action::"read", resource is Document);`,
  );
});

describe('generations', () => {
  it('are listed, and decide as of then', async () => {
    const { stdout } = await knowledge('generations', '--json');
    const [now, then] = recordsOf<GenerationState>(stdout) as [GenerationState, GenerationState];
    expect([now.current, then.current]).toEqual([true, false]);
    expect((await ask()).answer!.text).toContain('June 7');
    for (const asOf of [then.generation, then.hash.slice(0, 12)]) {
      const decision = await ask('--as-of', asOf);
      expect(decision.answer!.text).toContain('May 3');
      expect(decision.versions.index).toBe(then.hash);
    }
    const lost = await runHere(['ask', 'Who?', '--index', index, '--as-of', '2001-01-01']);
    expect(lost).toMatchObject({ code: 66, stdout: '' });
    expect(lost.stderr).toContain('generation-000001');
    expect((await knowledge('generations')).stdout).toMatch(/^generation-000002 .* current\n/);
  });

  it('are gone back to by whom the policy lets, with what happens on the log before it does', async () => {
    const policy = ['--policy-file', at('policy.cedar'), '--audit', at('audit.log')];
    const refused = await knowledge('rollback', ...policy);
    expect(refused).toMatchObject({ code: 77, stdout: '' });
    expect(refused.stderr).not.toContain('deadline.md');
    expect((await ask()).answer!.text).toContain('June 7');
    const done = await knowledge('rollback', ...policy, '--trust-local', '--json');
    expect(recordsOf(done.stdout)).toMatchObject([
      { from: { generation: 'generation-000002' }, to: { generation: 'generation-000001', current: true } },
    ]);
    expect((await ask()).answer!.text).toContain('May 3');
    const events = readFileSync(at('audit.log'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry)
      .flatMap((entry) => (entry.type === 'event' && entry.seq > 0 ? [entry.event] : []));
    expect(events.map(({ kind, by }) => [kind, by.via])).toEqual([
      ['generation.refused', 'none'],
      ['generation.rollback', 'local'],
      ['generation.current', 'local'],
    ]);
    expect((await knowledge('rollback', 'generation-000002')).stdout).toContain('is the index now');
    expect((await ask()).answer!.text).toContain('June 7');
  });

  it('say what cannot be', async () => {
    expect(await knowledge('rollback', 'generation-000009')).toMatchObject({ code: 66, stdout: '' });
    expect(await knowledge('rollback', '--document-labels', 'x')).toMatchObject({ code: 2, stdout: '' });
    expect(await runCli(['knowledge', 'generations', '--index', at('none')])).toMatchObject({
      code: 66,
      stdout: '',
    });
    expect(await knowledge('keep', 'many')).toMatchObject({ code: 2, stdout: '' });
    expect((await knowledge('keep', '0')).stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(await knowledge('rollback')).toMatchObject({ code: 66, stdout: '' });
  });
});
