import { expect, it } from 'vitest';
import type { Asked } from './ask.ts';
import { differenceOf, figuresOf, type Row } from './figures.ts';
import { renderModels } from './render.ts';

const asked = (given: Partial<Asked>): Asked => ({
  action: 'ANSWER',
  answer: 'Oslo',
  U: 0.1,
  D: 0.2,
  C: 0,
  E: 0.5,
  ranking: ['own', 'other'],
  read: 4,
  spent: { rerankPairs: 4, nliPairs: 6, contextTokens: 400 },
  ms: { total: 100, judge: 60, nli: 20 },
  ...given,
});

const question = (group: string) => ({
  group,
  answers: ['Oslo', 'the city of Oslo'],
  relevant: [{ docId: 'own', grade: 1 }],
});

/** Half: two read instead of four. */
const half = { read: 2, spent: { rerankPairs: 4, nliPairs: 2, contextTokens: 200 } };

const ROWS: Row[] = [
  // Both right, the second reader sure of it, and faster.
  {
    question: question('a'),
    asked: [asked({}), asked({ ...half, U: 0.05, D: null, E: 0.7, ms: { total: 70, judge: 40, nli: 10 } })],
  },
  // The second one is wrong, behind everything else.
  {
    question: question('a'),
    asked: [
      asked({ U: 0.2 }),
      asked({
        ...half,
        action: 'ABSTAIN',
        answer: 'Bergen',
        U: 0.9,
        ranking: ['other', 'own'],
        ms: { total: 80, judge: 40, nli: 10 },
      }),
    ],
  },
  // A gate closed before anything was read, for both.
  {
    question: question('b'),
    asked: [0, 1].map(() =>
      asked({
        action: 'ABSTAIN',
        answer: null,
        U: null,
        D: null,
        C: null,
        E: null,
        ranking: [],
        read: 0,
        spent: { rerankPairs: 0, nliPairs: 0, contextTokens: 0 },
        ms: { total: 10, judge: null, nli: null },
      }),
    ),
  },
  // Half an answer of the first one, a right one of the second.
  {
    question: question('b'),
    asked: [
      asked({ answer: 'Oslo fjord', U: 0.05, ms: { total: 110, judge: 70, nli: 20 } }),
      asked({ ...half, ms: { total: 60, judge: 30, nli: 10 } }),
    ],
  },
];

it('takes means, quantiles and areas of one reader', () => {
  const first = figuresOf(ROWS, 0);
  // Of 10, 100, 100, 110; stages only where they ran.
  expect(first.ms.p50).toBe(100);
  expect(first.ms.p95).toBeCloseTo(108.5, 10);
  expect([first.ms.judge, first.ms.nli]).toEqual([60, 20]);
  expect(first.spent).toEqual({ rerankPairs: 3, nliPairs: 4.5, contextTokens: 300, read: 3 });
  expect(first.means).toMatchObject({ ms: 80, 'R@1': 0.75, 'R@10': 0.75, EM: 0.5, C: 0, E: 0.5 });
  expect(first.means.D).toBeCloseTo(0.2, 10);
  // "Oslo fjord" shares one word: F1 2/3.
  expect(first.means.F1).toBeCloseTo((1 + 1 + 0 + 2 / 3) / 4, 10);
  // Losses in order of U: 1, 0, 0, and the one without U last, 1.
  expect(first.aurc).toBeCloseTo((1 + 1 / 2 + 1 / 3 + 2 / 4) / 4, 10);
  // Three of four are answered.
  expect(first.emAtCoverage).toBeCloseTo(2 / 3, 10);
  expect(first.nulls).toEqual({ D: 1, C: 1, E: 1 });
  expect(first.answered).toBe(0.75);
});

it('takes each further reader less the first one, over what both have', () => {
  const { contrasts, otherAnswers, otherActions } = differenceOf(ROWS, 1, { resamples: 200 });
  // -30, -20, 0, -50.
  expect(contrasts.ms).toMatchObject({ n: 4, groups: 2, a: 55, b: 80, difference: -25 });
  // Both groups have a mean of -25.
  expect(contrasts.ms.interval).toEqual({ low: -25, high: -25 });
  expect(contrasts['R@1']).toMatchObject({ difference: -0.25, bHigher: 1, aHigher: 0 });
  expect(contrasts['R@10'].difference).toBe(0);
  // One lost in group a, one won in group b.
  expect(contrasts.EM).toMatchObject({ difference: 0, interval: { low: -0.5, high: 0.5 } });
  // The first row has no D with the second reader, the third has none with either.
  expect(contrasts.D).toMatchObject({ n: 4, unscored: 2, difference: 0 });
  expect(contrasts.E.difference).toBeCloseTo(0.2 / 3, 10);
  // Losses of the second one in order of U: 0, 0, 1, 1.
  expect(contrasts.AURC.a).toBeCloseTo((0 + 0 + 1 / 3 + 2 / 4) / 4, 10);
  expect(contrasts.AURC.difference).toBeCloseTo(-1.5 / 4, 10);
  expect([otherAnswers, otherActions]).toEqual([0.5, 0.25]);
});

it('finds no difference between a reader and itself', () => {
  const twice = ROWS.map(({ question, asked: [one] }) => ({ question, asked: [one!, one!] }));
  const { contrasts, otherAnswers, otherActions } = differenceOf(twice, 1, { resamples: 50 });
  for (const contrast of Object.values(contrasts)) {
    expect(contrast).toMatchObject({ difference: 0, interval: { low: 0, high: 0 } });
  }
  expect([otherAnswers, otherActions]).toEqual([0, 0]);
});

it('has no figure where the set knows no answers', () => {
  const rows = ROWS.map((row) => ({ ...row, question: { ...row.question, answers: [] } }));
  expect(figuresOf(rows, 0)).toMatchObject({
    aurc: null,
    emAtCoverage: null,
    means: { EM: null, F1: null, 'R@1': 0.75 },
  });
  const { contrasts } = differenceOf(rows, 1, { resamples: 50 });
  expect(contrasts.AURC).toMatchObject({ n: 0, difference: null, interval: null });
  expect(contrasts.EM).toMatchObject({ unscored: 4, difference: null, interval: null });
});

it('shows a column a reader and one for each difference', () => {
  const versions = {} as never;
  const text = renderModels({
    schema: 'pragaura.bench-models/1',
    machine: 'a machine',
    set: 'set',
    about: 'a set; 2 documents',
    titles: false,
    questions: ROWS.length,
    groups: 2,
    threads: 2,
    readers: [
      { label: 'whole', keep: null, versions, figures: figuresOf(ROWS, 0) },
      { label: 'halves@dir', keep: 2, versions, figures: figuresOf(ROWS, 1) },
    ],
    differences: [{ reader: 'halves@dir', first: 'whole', ...differenceOf(ROWS, 1, { resamples: 200 }) }],
  });
  expect(text).toContain('2: halves@dir (in halves, the best 2 are read)');
  expect(text).toMatch(/^ {2,}1 +2 +2 less 1$/m);
  expect(text).toMatch(/^ms of a decision, mean +80\.0 +55\.0 +-25\.0 \[-25\.0, -25\.0\]$/m);
  expect(text).toMatch(/^passages read in full +3\.0 +1\.5$/m);
  expect(text).toMatch(/^without D, C, E +1, 1, 1 +2, 1, 1$/m);
  expect(text).toContain('2 beside 1: another best answer 0.500, another action 0.250 of the queries');
});
