import { expect, test } from 'vitest';
import { differencesOf } from './differences.ts';
import type { Recorded } from './recording.ts';

const span = (start: number, score: number) => ({ text: '', start, end: start + 2, score });
const of = (logit: number, start: number, entailment: number): Recorded => ({
  embed: new Map([['t', Float32Array.of(1, 0)]]),
  rerank: new Map([
    ['p', { logit, score: 0 }],
    [`only ${logit}`, { logit, score: 0 }],
  ]),
  read: new Map([
    ['p', { best: span(start, 3), noAnswer: 1 }],
    ['q', { best: null, noAnswer: 2 }],
  ]),
  nli: new Map([['p', { entailment, neutral: 0.5 - entailment, contradiction: 0.5 }]]),
});
const TOLERANCES = { logit: 0.1, probability: 0.01, cosine: 0.001 };

test('what both scored is compared, and nothing else', () => {
  const { rows, otherSpans } = differencesOf(of(1, 4, 0.25), of(1.5, 5, 0.125), TOLERANCES);
  const by = new Map(rows.map((row) => [row.what.split(',')[0], row]));
  expect(by.get('relevance')).toMatchObject({ n: 1, max: 0.5, tolerance: 0.1 });
  expect(by.get('entailment')).toMatchObject({ n: 1, max: 0.125, tolerance: 0.01 });
  expect(by.get('no answer')).toMatchObject({ n: 2, max: 0 });
  expect(by.get('embedding')).toMatchObject({ n: 1, max: 0, tolerance: 0.001 });
  expect(otherSpans).toEqual({ n: 2, different: 1 });
});

test('a job that nobody asked for has no row', () => {
  const none = { ...of(1, 4, 0.25), nli: new Map() };
  expect(differencesOf(none, none, TOLERANCES).rows.map(({ what }) => what)).not.toContainEqual(
    expect.stringContaining('entailment'),
  );
});
