import { expect, it } from 'vitest';
import { runCli } from '../../cli/testing/cli.ts';

const refused: [string, string[], number, string][] = [
  ['a re-ranker that is not in the lock file', ['--models.rerank', 'nope'], 78, 'there is no model "nope"'],
  ['a model of a job that it does not do', ['--models.read', 'nope'], 2, 'Unknown argument: models.read'],
  ['an unknown set', ['--sets', 'nope'], 2, 'nope'],
];

it.each(refused)('refuses %s', async (_, args, code, hint) => {
  const { code: exit, stdout, stderr } = await runCli(['bench', 'retrieval', ...args]);
  expect(stderr).toContain(hint);
  expect(exit).toBe(code);
  expect(stdout).toBe('');
});
