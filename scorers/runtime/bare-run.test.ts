import { expect, test } from 'vitest';
import { bareRunOf } from './bare-run.ts';

const BRIDGE = { query: 'When was the bridge opened?', passage: 'The bridge was opened in 1932.' };

test('what a call gives to its model, without running it', async () => {
  const pairs = [BRIDGE, { ...BRIDGE, passage: 'It rains. '.repeat(400) }];
  const run = await bareRunOf({ jobs: ['rerank', 'read'] }, (scorers) => scorers.rerank(pairs));
  const [first, ...windows] = run.sequences;
  expect(first).toMatchObject({ second: 8 });
  expect(first!.ids).toHaveLength(16);
  expect(windows.length).toBeGreaterThan(1);
  expect(run.outputs).toEqual(['relevance', 'start', 'end']);
  expect(run).toMatchObject({ batching: 'single', session: { intraOpNumThreads: 1 } });
});

test('a call that gives nothing to a model', async () => {
  await expect(bareRunOf({ jobs: ['embed'] }, async () => {})).rejects.toMatchObject({ code: 'INTERNAL' });
});

test('each job goes to its own model', async () => {
  const run = await bareRunOf({}, (scorers) => scorers.embed(['Oslo']));
  expect(run.outputs).toEqual(['last_hidden_state']);
  expect(run.sequences).toHaveLength(1);
});
