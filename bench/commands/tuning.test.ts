import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli } from '../../cli/testing/cli.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pragaura-tuning-'));
  await writeFile(join(dir, 'empty.json'), '');
  await writeFile(join(dir, 'cut.json'), '{"version":"untrained","data":[{"title":"","para');
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const refused: [string, string[], number, string][] = [
  ['no questions', [], 2, 'questions'],
  ['questions that are not there', ['--questions', 'nowhere.json'], 66, 'pragtrain.untrained'],
  ['an empty file', ['--questions', 'empty.json'], 65, 'empty.json is not the data set expected'],
  ['a file cut short', ['--questions', 'cut.json'], 65, 'cut.json is not the data set expected'],
  [
    'figures of constants',
    ['--questions', 'empty.json', '--figures', 'f.json'],
    2,
    '--figures keeps what --profiles finds',
  ],
  ['a search with questions', ['--profiles', '--questions', 'empty.json'], 2, '--questions is for constants'],
  ['a search with other models', ['--profiles', '--models-dir', '.'], 2, '--models-dir is for constants'],
  ['training on what is left out', ['--profiles', '--development', 'hotpot'], 2, 'train-44, hotpot-train'],
  ['a set that is none', ['--profiles', '--held-out', 'hotpot-train'], 2, 'articles-a, new-wiki, hotpot'],
  ['data that are missing', ['--profiles', '--data', 'nowhere'], 66, 'nowhere'],
  ['a single trial', ['--profiles', '--trials', '1'], 2, 'a whole number of at least 2'],
];

it.each(refused)('refuses %s', async (_, args, code, hint) => {
  const { code: exit, stdout, stderr } = await runCli(['bench', 'tuning', ...args], { cwd: dir });
  expect(stderr).toContain(hint);
  expect(exit).toBe(code);
  expect(stdout).toBe('');
});
