import { describe, expect, it } from 'vitest';
import { PragauraError } from '../../common/index.ts';
import {
  asksBack,
  FEATURES,
  type Features,
  featuresOf,
  PROVISIONAL,
  scoreOf,
  silenceOf,
  type Thresholds,
  UncertaintyScore,
} from './index.ts';
import { decided, evidence, input, noAnswers, provisional, rival } from './testing/cases.ts';

const nothing = Object.fromEntries(FEATURES.map((name) => [name, null])) as Features;
const learned = {
  kind: 'learned',
  intercept: 0.5,
  inputs: [
    { feature: 'margin', mean: 2, scale: 4, weight: 1.5, missing: -0.25 },
    { feature: 'E', mean: 0.5, scale: 0.5, weight: 2, missing: -1 },
  ],
  isotonic: null,
} satisfies UncertaintyScore;

describe('features', () => {
  it('are what the stages measured, by name', () => {
    const given = input();
    expect(featuresOf(given)).toEqual({
      D: 0,
      C: given.report.C,
      E: 0.9,
      answerScore: 0.9,
      lead: null,
      margin: 3,
      spanLead: 2,
      relevance: 0.9,
      bestRelevance: 0.9,
      fused: 0.9,
      knownTerms: 1,
      voices: 1,
      distinctAnswers: 1,
      answerWords: 1,
      queryWords: 6,
      actProbability: 1,
      semanticEntropy: null,
      sampleAgreement: null,
      sampleSupport: null,
    });
  });

  it('are null, never 0, where nothing was scored', () => {
    const empty = featuresOf(input({ answers: noAnswers, evidence: [evidence({}, { relevance: null })] }));
    for (const name of [
      'answerScore',
      'lead',
      'margin',
      'spanLead',
      'relevance',
      'bestRelevance',
      'voices',
    ]) {
      expect(empty[name as keyof Features]).toBeNull();
    }
  });
});

describe('a learned score', () => {
  it('is one minus the logistic of the standardised features', () => {
    const z = 0.5 + (1.5 * (6 - 2)) / 4 + (2 * (0.75 - 0.5)) / 0.5;
    const U = scoreOf(learned, { ...nothing, answerScore: 0.9, margin: 6, E: 0.75 });
    expect(U).toBeCloseTo(1 - 1 / (1 + Math.exp(-z)), 12);
  });

  it('counts what is missing by its own weight, and a missing candidate as no score', () => {
    const U = scoreOf(learned, { ...nothing, answerScore: 0.9, margin: 6 });
    expect(U).toBeCloseTo(1 - 1 / (1 + Math.exp(-(0.5 + 1.5 - 1))), 12);
    expect(scoreOf(learned, { ...nothing, margin: 6, E: 1 })).toBeNull();
  });

  it('goes through the knots, and beyond their ends stays level', () => {
    const isotonic = [
      { x: 0.2, y: 0.1 },
      { x: 0.6, y: 0.1 },
      { x: 0.6, y: 0.5 },
      { x: 0.8, y: 0.9 },
    ];
    const at = (p: number) => {
      const logit = Math.log(p / (1 - p));
      const score: UncertaintyScore = {
        kind: 'learned',
        intercept: logit,
        inputs: [{ ...learned.inputs[0]!, weight: 0 }],
        isotonic,
      };
      return 1 - scoreOf(score, { ...nothing, answerScore: 1, margin: 0 })!;
    };
    expect([0.01, 0.4, 0.7, 0.99].map((p) => Number(at(p).toFixed(9)))).toEqual([0.1, 0.1, 0.7, 0.9]);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses a feature of %d', (margin) => {
    expect(() => scoreOf(learned, { ...nothing, answerScore: 1, margin })).toThrow(PragauraError);
  });

  it('is data: what is no score is refused', () => {
    expect(UncertaintyScore.safeParse(learned).success).toBe(true);
    for (const wrong of [
      { ...learned, inputs: [] },
      { ...learned, inputs: [{ ...learned.inputs[0], feature: 'constructor' }] },
      { ...learned, intercept: Number.NaN },
      { kind: 'formula', weights: { alpha: -1, beta: 1, gamma: 1 } },
      { kind: '__proto__' },
      { kind: 'planner' },
      { kind: 'formula', weights: PROVISIONAL.weights, temperatures: { answer: 0, entailment: 1 } },
    ]) {
      expect(UncertaintyScore.safeParse(wrong).success).toBe(false);
    }
  });

  it('decides where a formula would', () => {
    const at = (tau: number): Thresholds => ({ ...provisional, score: learned, tauFor: () => tau });
    const U = scoreOf(learned, featuresOf(input()))!;
    expect(decided({}, at(U))).toBe('ANSWER');
    expect(decided({}, at(U - 1e-9))).toBe('ABSTAIN UNCERTAIN');
  });
});

describe('a band in which a question is worth its while', () => {
  const report = { D: 0.2, C: 0.1, E: 0.5 };
  const U = scoreOf({ kind: 'formula', weights: PROVISIONAL.weights }, { ...nothing, ...report })!;
  const band = (askUpTo: number | null): Thresholds => ({
    ...provisional,
    tauFor: () => U - 0.01,
    askUpTo: () => askUpTo,
  });

  it('asks up to its end, a tie included, and abstains above', () => {
    expect(decided({ report }, band(U))).toBe('ASK UNCERTAIN');
    expect(decided({ report }, band(U - 1e-9))).toBe('ABSTAIN UNCERTAIN');
  });

  it('abstains above it even where branches offer a choice; without a band the choice is offered', () => {
    const apart = { report: { D: 1, C: 0.3, E: 0.45, rivals: [rival] } };
    expect(decided(apart, band(0))).toBe('ABSTAIN BRANCHES_DISAGREE');
    expect(decided(apart, band(null))).toBe('ASK BRANCHES_DISAGREE');
  });

  it('asks within it also where no threshold was reached, and answers nothing', () => {
    const none = (askUpTo: number | null): Thresholds => ({ ...band(askUpTo), tauFor: () => null });
    expect(decided({ report }, none(U))).toBe('ASK UNCERTAIN');
    expect(decided({ report }, none(U - 1e-9))).toBe('ABSTAIN UNCERTAIN');
    expect(decided({ report }, none(null))).toBe('ABSTAIN UNCERTAIN');
  });

  it('does not open a gate', () => {
    expect(decided({ report: { ...report, E: null } }, band(1))).toBe('ABSTAIN NO_SUPPORTED_ANSWER');
  });

  it('refuses an end that is no number from 0 to 1', () => {
    expect(() => decided({ report }, band(Number.NaN))).toThrow(/between 0 and 1/);
  });
});

describe("a planner's score", () => {
  const planner: UncertaintyScore = { kind: 'planner', planner: 'p' };
  const says = (ANSWER: number, ASK: number, ABSTAIN: number) => ({ planned: { ANSWER, ASK, ABSTAIN } });
  const candidate = { ...nothing, answerScore: 0.5 };

  it('is 1 - P(ANSWER); null without a candidate, and where no planner looked', () => {
    expect(scoreOf(planner, candidate, says(0.7, 0.2, 0.1))).toBeCloseTo(0.3, 12);
    expect(scoreOf(planner, nothing, says(0.7, 0.2, 0.1))).toBeNull();
    expect(scoreOf(planner, candidate)).toBeNull();
  });

  it('tells asking from silence by which is likelier, or by the band that was calibrated', () => {
    expect(silenceOf(planner, candidate, says(0.2, 0.6, 0.2))).toBeCloseTo(0.3, 12);
    expect(asksBack(planner, candidate, says(0.2, 0.4, 0.4), null)).toBe(true);
    expect(asksBack(planner, candidate, says(0.2, 0.39, 0.41), null)).toBe(false);
    expect(asksBack(planner, candidate, says(0.2, 0.39, 0.41), 0.6)).toBe(true);
    expect(asksBack(planner, candidate, says(0.2, 0.6, 0.2), 0.2)).toBe(false);
    expect(asksBack(planner, candidate, {}, 0.6)).toBeNull();
  });

  it('decides where a formula would', () => {
    const at = (tau: number): Thresholds => ({ ...provisional, score: planner, tauFor: () => tau });
    expect(decided(says(0.7, 0.2, 0.1), at(0.31))).toBe('ANSWER');
    expect(decided(says(0.7, 0.2, 0.1), at(0.29))).toBe('ASK UNCERTAIN');
    expect(decided(says(0.7, 0.1, 0.2), at(0.29))).toBe('ABSTAIN UNCERTAIN');
    expect(decided({}, at(1))).toBe('ABSTAIN UNCERTAIN');
  });
});
