import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScorers, type Scorers } from '../index.ts';
import { runScore } from './score-stream.ts';

let scorers: Scorers;
beforeAll(async () => {
  scorers = await openScorers({ threads: 2 });
});
afterAll(() => scorers.close());

async function score(job: 'nli' | 'rerank' | 'read', lines: readonly string[], window = 16) {
  const output = new PassThrough();
  const written = text(output);
  const exitCode = await runScore(job, { scorers, input: Readable.from([lines.join('\n')]), output, window });
  output.end();
  const raw = await written;
  return {
    exitCode,
    raw,
    records: raw
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  };
}

test('nli, the bad lines in their places', async () => {
  const { exitCode, records } = await score('nli', [
    '{"id":"1","premise":"A man is playing a guitar.","hypothesis":"A man plays an instrument."}',
    '{"id":"2","premise":"A man is playing a guitar."}',
    'not json',
    '{"id":"4","premise":"","hypothesis":"","extra":1}',
    '{"id":"5","premise":"A man is playing a guitar.","hypothesis":"Nobody is playing music."}',
  ]);
  expect(exitCode).toBe(65);
  expect(records.map((r) => r.schema)).toEqual([
    'pragaura.nli/1',
    'pragaura.error/1',
    'pragaura.error/1',
    'pragaura.error/1',
    'pragaura.nli/1',
  ]);
  expect(records[0].entailment).toBeGreaterThan(0.5);
  expect(records[4].contradiction).toBeGreaterThan(0.5);
  expect(records[1]).toMatchObject({ id: '2', line: 2, error: { code: 'INVALID_INPUT' } });
});

test('names pairs as route names queries: after their line without an id, numbers as strings', async () => {
  const pair = { premise: 'Ada sleeps.', hypothesis: 'Ada is awake.' };
  const { exitCode, records } = await score('nli', [
    JSON.stringify(pair),
    JSON.stringify({ id: 7, ...pair }),
    JSON.stringify({ id: '', ...pair }),
  ]);
  expect(exitCode).toBe(65);
  expect(records.map((r) => [r.schema, r.id])).toEqual([
    ['pragaura.nli/1', 'line-1'],
    ['pragaura.nli/1', '7'],
    ['pragaura.error/1', null],
  ]);
  expect(records[2].error.hint).toContain('"premise"');
});

test('rerank', async () => {
  const { exitCode, records } = await score('rerank', [
    '{"id":"a","query":"When was the bridge opened?","passage":"The bridge was opened in 1932."}',
    '{"id":"b","query":"When was the bridge opened?","passage":"Bread is baked here."}',
  ]);
  expect(exitCode).toBe(0);
  expect(records[0].score).toBeGreaterThan(records[1].score);
});

test('a title may be given, and is read', async () => {
  const pair = { query: 'When was the bridge opened?', passage: 'The bridge was opened in 1932.' };
  const { exitCode, records } = await score('read', [
    JSON.stringify({ id: 'a', ...pair }),
    JSON.stringify({ id: 'a', ...pair, title: 'Bridges' }),
    JSON.stringify({ id: 'b', ...pair, title: 7 }),
  ]);
  expect(exitCode).toBe(65);
  expect(records[1]).toMatchObject({ answer: records[0].answer, start: records[0].start });
  expect(records[1].tokens).toBe(records[0].tokens + 1);
  expect(records[2]).toMatchObject({ id: 'b', error: { code: 'INVALID_INPUT' } });
});

test('read gives an answer only where the reader stands behind it', async () => {
  const passage = 'The bridge was opened in 1932.';
  const { records } = await score('read', [
    JSON.stringify({ id: 'a', query: 'When was the bridge opened?', passage }),
    JSON.stringify({ id: 'b', query: 'Who won the football match?', passage }),
    JSON.stringify({ id: 'c', query: 'Who?', passage: '' }),
  ]);
  expect(records[0]).toMatchObject({ id: 'a', answer: '1932', start: 25, end: 29 });
  expect(records[0].margin).toBeGreaterThan(0);
  expect(records[1]).toMatchObject({ id: 'b', answer: null, start: null, end: null, score: null });
  expect(records[1].candidates.length).toBeGreaterThan(0);
  expect(records[2]).toMatchObject({ id: 'c', answer: null, candidates: [] });
});

test('the same bytes at any window', async () => {
  const lines = Array.from({ length: 40 }, (_, i) =>
    JSON.stringify({
      id: `${i}`,
      query: `Who paid ${i}?`,
      passage: `Ada paid ${i % 7} crowns. ${'And so on. '.repeat(i % 5)}`,
    }),
  );
  const narrow = await score('read', lines, 1);
  expect((await score('read', lines, 40)).raw).toBe(narrow.raw);
});
