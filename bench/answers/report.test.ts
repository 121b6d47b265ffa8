import { describe, expect, it } from 'vitest';
import type { Dataset } from '../datasets/types.ts';
import { type AnswerResult, render, reportOn } from './report.ts';

const set: Dataset = {
  name: 'test',
  about: 'made up',
  documents: [],
  queries: Array.from({ length: 10 }, (_, i) => ({
    id: `q${i}`,
    query: '?',
    answers: [`right ${i}`],
    relevant: [],
    group: `g${i % 5}`,
  })),
};

const answered = (i: number, text: string, U: number): AnswerResult => ({
  id: `q${i}`,
  action: 'ANSWER',
  reason: null,
  act: 'FACT',
  confident: true,
  answer: text,
  candidate: text,
  U,
  goldRead: true,
});
const withheld = (i: number, candidate: string | null, U: number | null): AnswerResult => ({
  ...answered(i, '', 0),
  action: 'ABSTAIN',
  reason: 'UNCERTAIN',
  answer: null,
  candidate,
  U,
  goldRead: false,
});

const results: AnswerResult[] = [
  ...[0, 1, 2, 3, 4, 5].map((i) => answered(i, `The right ${i}!`, i / 10)),
  answered(6, 'wrong', 0.6),
  withheld(7, 'right 7', 0.7),
  withheld(8, 'right', 0.8),
  withheld(9, null, null),
];

describe('reportOn', () => {
  const report = reportOn(set, results);

  it('scores the best candidate of every question, answered or not', () => {
    expect(report.full.em.mean).toBeCloseTo(0.7, 12);
    // "right" shares one of two words with "right 8"; "wrong" and nothing share none.
    expect(report.full.f1.mean).toBeCloseTo((7 + 2 / 3) / 10, 12);
    expect(report.withoutCandidate).toBe(1);
  });

  it('keeps the least uncertain 80 %', () => {
    expect(report.covered).toMatchObject({ answered: 8, threshold: 0.7, tied: 1 });
    expect(report.covered.em.value).toBeCloseTo(7 / 8, 12);
  });

  it('tells what was answered from what was withheld, right and wrong', () => {
    expect(report.actions).toEqual({ ANSWER: 7, ABSTAIN: 3 });
    expect(report.given!.em.mean).toBeCloseTo(6 / 7, 12);
    expect(report.withheld!.mean).toBeCloseTo(1 / 3, 12);
    expect(report.reasons).toEqual({ UNCERTAIN: 3 });
  });

  it('has areas that agree with each other', () => {
    // Order by U: six right, wrong, right, wrong, wrong.
    const risks = [0, 0, 0, 0, 0, 0, 1 / 7, 1 / 8, 2 / 9, 3 / 10];
    expect(report.areas.AURC.value).toBeCloseTo(risks.reduce((a, b) => a + b) / 10, 12);
    const best = [0, 0, 0, 0, 0, 0, 0, 1 / 8, 2 / 9, 3 / 10];
    const excess = (risks.reduce((a, b) => a + b) - best.reduce((a, b) => a + b)) / 10;
    expect(report.areas['E-AURC'].value).toBeCloseTo(excess, 12);
    expect(report.curve.map(({ risk }) => risk)).toEqual(risks);
    expect(report.areas.AURC.interval!.low).toBeLessThanOrEqual(report.areas.AURC.value!);
  });

  it('keeps a question that failed as a class of its own', () => {
    const broken = reportOn(set, [...results.slice(0, 9), { id: 'q9', error: 'SCORING_FAILED' }]);
    expect(broken).toMatchObject({ questions: 10, failed: 1, withoutCandidate: 0 });
    expect(broken.full.em).toMatchObject({ n: 10, unscored: 1, low: 0.7, high: 0.8 });
    expect(render(broken)).toContain('failed: 1');
  });

  it('can be read when nothing was answered', () => {
    const silent = reportOn(set, results.slice(7));
    expect(silent.given).toBeNull();
    expect(render(silent)).not.toContain('decision ANSWER');
  });
});
