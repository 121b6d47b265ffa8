import { expect, test } from 'vitest';
import { recordsOf, runHere, runShell, startCli } from '../../cli/testing/cli.ts';

const LINE = JSON.stringify({
  answer: 'The bridge was opened in 1932 [1].',
  passages: ['The bridge was opened in 1932.'],
});

test('bad lines are named in their places, the rest is verified', async () => {
  const lines = [
    LINE,
    'no json',
    '{"answer":"It is.","passages":"none"}',
    '{"id":7,"answer":"","passages":[]}',
    `{"id":"x","answer":"It is so.","passages":[],"extra":1}`,
    LINE,
  ];
  const { code, stdout, stderr } = await runHere(['verify', '--threads', '1'], { input: lines.join('\n') });
  const records = recordsOf<{ schema: string; id: string | null; sentences?: { label: string }[] }>(stdout);
  expect(code).toBe(65);
  expect(records.map(({ schema, id }) => [schema, id])).toEqual([
    ['pragaura.verification/2', 'line-1'],
    ['pragaura.error/1', null],
    ['pragaura.error/1', null],
    ['pragaura.verification/2', '7'],
    ['pragaura.error/1', 'x'],
    ['pragaura.verification/2', 'line-6'],
  ]);
  expect(records[0]!.sentences).toMatchObject([
    { label: 'supported', quotes: [{ passage: 1, start: 0, end: 30 }] },
  ]);
  expect(stderr).toContain('line 2:');
  expect(stderr).toContain('passages');
});

test('a reader that leaves ends an endless stream', async () => {
  const { stdout, stderr } = await runShell(`yes '${LINE}' | $PRAGAURA verify --threads 1 | head -n 2`);
  expect(recordsOf(stdout)).toHaveLength(2);
  expect(stderr).toBe('');
});

test('Ctrl-C finishes what was begun', async () => {
  const child = startCli(['verify', '--threads', '1']);
  child.process.stdin.write(`${LINE}\n`);
  await child.until(({ stdout }) => stdout.includes('\n'));
  child.process.kill('SIGINT');
  const { code, stdout } = await child.finished;
  expect(code).toBe(130);
  expect(recordsOf(stdout)).toHaveLength(1);
});
