import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli } from '../../cli/testing/cli.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pragaura-parity-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const refused: [string, string[], number, string][] = [
  ['a level that is none', ['--level', '80%'], 2, '0.8'],
  ['a level of one', ['--level', '1'], 2, 'strictly between 0 and 1'],
  ['a set that is none', ['--set', 'train-44,articles'], 2, '"articles" is no data set'],
  ['a part that is none', ['--parts', 'policies,ablations'], 2, 'policies, paper, budgets'],
  ['a tolerance in per cent', ['--tolerance', '5'], 2, 'a number from 0 to 1'],
  ['a tolerance that is empty', ['--granted-tolerance', ''], 2, 'a number from 0 to 1'],
  ['no question at all', ['--limit', '0'], 2, 'at least 1'],
  ['a folder without the data', ['--set', 'train-44', '--data', '/nowhere'], 66, '--data'],
  ['a certificate that is not there', ['--verify', '/nowhere/x.certificate.json'], 66, 'ledgers beside it'],
];

it.each(refused)('refuses %s', async (_, args, code, hint) => {
  const {
    code: exit,
    stdout,
    stderr,
  } = await runCli(['bench', 'parity', '--out', dir, ...args], { cwd: dir });
  expect(stderr).toContain(hint);
  expect(exit).toBe(code);
  expect(stdout).toBe('');
});

it('refuses what is no certificate', async () => {
  const file = join(dir, 'made-up.certificate.json');
  await writeFile(file, '{"schema":"pragaura.parity-certificate/1","comparable":true}');
  const { code, stderr, stdout } = await runCli(['bench', 'parity', '--verify', file], { cwd: dir });
  expect(stderr).toContain('no parity certificate');
  expect([code, stdout]).toEqual([65, '']);
});
