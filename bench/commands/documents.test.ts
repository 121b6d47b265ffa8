import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../cli/testing/cli.ts';

let dir: string;
const put = async (name: string, text: string) => {
  await mkdir(join(dir, name, '..'), { recursive: true });
  await writeFile(join(dir, name), text);
};
const lines = (rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

const QUESTION = { act: 'FACT', kind: 'plain', expect: 'ANSWER' };
const OPEN = [
  { ...QUESTION, id: 'port', query: 'Which port does the harbour server listen on?', accept: ['\\b8417\\b'] },
  {
    ...QUESTION,
    id: 'moon',
    query: 'Who was the first man on the moon?',
    expect: 'ABSTAIN',
    accept: undefined,
  },
];
const HELD = [
  { ...QUESTION, id: 'log', query: 'Where does the harbour server keep its log?', accept: ['harbour\\.log'] },
];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pragaura-documents-'));
  const about = { title: 'Harbour', kind: 'manual', licence: 'none', version: '1.0' };
  await put(
    'own/collections/harbour.yaml',
    JSON.stringify({ ...about, name: 'harbour', package: 'harbour-doc', paths: ['doc'] }),
  );
  await put(
    'own/collections/absent.yaml',
    JSON.stringify({ ...about, name: 'absent', package: 'absent-doc', paths: ['doc'] }),
  );
  await put('own/questions/harbour.open.ndjson', lines(OPEN));
  await put('own/questions/harbour.held.ndjson', lines(HELD));
  await put('own/questions/absent.open.ndjson', lines(OPEN));
  await put(
    'cache/packages/harbour-doc_1.0/doc/server.html',
    '<h1>Server</h1><p>The harbour server listens on port 8417.</p><h2>Files</h2><p>The harbour server keeps its log in /var/log/harbour.log.</p>',
  );
  await put(
    'cache/packages/harbour-doc_1.0/doc/boats.html',
    '<h1>Boats</h1><p>A boat is registered with "harbour add NAME". Boats leave in the order in which they came.</p>',
  );
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const bench = (...args: string[]) =>
  runCli(
    [
      'bench',
      'documents',
      '--collections',
      'own',
      '--cache',
      'cache',
      '--out',
      'out',
      '--threads',
      '1',
      ...args,
    ],
    { cwd: dir },
  );

describe('a small collection', () => {
  it('is indexed by the set-up, which asks nothing', async () => {
    const { code, stdout, stderr } = await bench('--setup', '--sets', 'harbour');
    expect([code, stdout]).toEqual([0, 'Ready in cache: harbour\n']);
    expect(stderr).toContain('2 documents');
    await expect(readdir(join(dir, 'out'))).rejects.toThrow('ENOENT');
  });

  it('is asked its open half, once; every question lies in a file with what was shown', async () => {
    const first = await bench('--sets', 'harbour', '--json');
    expect(first.code).toBe(0);
    expect(first.stderr).toContain('0 embedded');
    const { reports } = JSON.parse(first.stdout);
    expect(reports).toHaveLength(1);
    const { contenders, half, ms } = reports[0];
    expect([half, contenders.product.n, contenders.product.falseAnswer.of]).toEqual(['open', 2, 1]);
    // What is shown without a question asked of it holds the answer: nothing else is in the documents.
    expect(contenders['best passage'].useful).toMatchObject({ value: 1, of: 1 });
    expect(contenders['best passage'].falseAnswer.value).toBe(1);
    expect(ms.p50).toBeGreaterThan(0);
    const { questions } = JSON.parse(await readFile(join(dir, 'out', 'documents-harbour-open.json'), 'utf8'));
    expect(questions.map(({ id }: { id: string }) => id).sort()).toEqual(['moon', 'port']);
    const port = questions.find(({ id }: { id: string }) => id === 'port');
    expect(port.said['best passage'].shown.text).toContain('8417');
    expect(port.decision.action).toBe(port.said.product.action);
    const reading = await readFile(join(dir, 'out', 'documents-harbour-open.txt'), 'utf8');
    for (const { query } of OPEN) expect(reading).toContain(`Q: ${query}`);
    expect(reading).not.toContain(HELD[0]!.query);

    const again = await bench('--sets', 'harbour', '--against', 'out');
    expect(again.stderr).toContain('2 of 2, 2 from an earlier run');
    expect(again.stdout).toContain(
      '== harbour, open half: Harbour (harbour-doc 1.0); 2 questions of 2 groups',
    );
  });

  it('is asked its held half only when that is said', async () => {
    const { code, stdout } = await bench('--sets', 'harbour', '--half', 'held');
    expect(code).toBe(0);
    expect(stdout).toContain('== harbour, held half: Harbour (harbour-doc 1.0); 1 questions of 1 groups');
    expect(await readFile(join(dir, 'out', 'documents-harbour-held.txt'), 'utf8')).toContain(HELD[0]!.query);
  });
});

it.each([
  ['a collection that is none', ['--sets', 'harbour,bay'], 2, 'There are emanual, conditionalqa'],
  ['a package that is not there', ['--sets', 'harbour,absent'], 66, '--setup --sets absent'],
  ['a folder without the data', ['--sets', 'policyqa', '--data', '/nowhere'], 66, '--data'],
  ['a run that is not there', ['--sets', 'harbour', '--against', 'own'], 66, '--against'],
  ['a half that is none', ['--half', 'both'], 2, 'open'],
  ['no question at all', ['--limit', '0'], 2, 'at least 1'],
  ['costs that nothing weighs', ['--utilities', 'wrong=1,question=1,silence=1'], 2, '--decider planner'],
])('refuses %s', async (_, args, code, hint) => {
  const { code: exit, stdout, stderr } = await bench(...args);
  expect(stderr).toContain(hint);
  expect([exit, stdout]).toEqual([code, '']);
});

it('refuses a folder without collections', async () => {
  const { code, stdout, stderr } = await runCli(['bench', 'documents', '--collections', 'cache'], {
    cwd: dir,
  });
  expect(stderr).toContain('collections/*.yaml');
  expect([code, stdout]).toEqual([66, '']);
});
