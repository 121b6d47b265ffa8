import { describe, expect, it } from 'vitest';
import { type InformationState, standing } from '../../../conversation/index.ts';
import { decide, type Outcome } from '../index.ts';
import {
  conflicting,
  evidence,
  type Given,
  input,
  noAnswers,
  provisional,
  rival,
  verdict,
} from '../testing/cases.ts';
import { byRelevance, gated, hardGate, planned } from './index.ts';

const EVEN = { wrong: 1, question: 1, silence: 1 };
const ANSWER = { ANSWER: 0.8, ASK: 0.1, ABSTAIN: 0.1 };
const ASK = { ANSWER: 0.1, ASK: 0.8, ABSTAIN: 0.1 };
const ABSTAIN = { ANSWER: 0.1, ASK: 0.1, ABSTAIN: 0.8 };

const state = (given: Partial<InformationState>): InformationState => ({
  known: [],
  missing: [],
  constraints: [],
  turn: 0,
  incompleteness: null,
  resolutionRate: null,
  confidence: 0.9,
  coverage: 1,
  ambiguity: {
    score: 0,
    signals: { shortQuery: 0, danglingPronoun: 0, vagueQuantifier: 0, noNamedEntity: 0, halfComparison: 0 },
    because: [],
  },
  conflict: { contradiction: null, cosine: 0 },
  answerability: null,
  ...given,
});

const PLANNER = { model: { hash: 'abcdef0123456789' }, utilities: EVEN, prior: null };

function by(probabilities: typeof ANSWER, given: Given = {}): Outcome {
  const all = input(given);
  return planned(all, decide(all, provisional), PLANNER, probabilities);
}

describe('planned', () => {
  it('takes the action of least expected cost, with a reason and a message that fit it', () => {
    expect(by(ANSWER)).toMatchObject({ action: 'ANSWER', answer: { text: '1900', start: 131 } });
    const asks = by(ASK);
    expect(verdict(asks)).toBe('ASK UNCERTAIN');
    expect(asks.clarification!.message).toMatch(/^[^?]*\?$/);
    expect(asks).not.toHaveProperty('answer');
    const silent = by(ABSTAIN);
    expect(verdict(silent)).toBe('ABSTAIN UNCERTAIN');
    expect(silent.abstention!.message).toBe(
      'A candidate is "1900", but it is not certain enough to be given as the answer.',
    );
  });

  it('asks for an open condition in the words that a reply to it is understood by', () => {
    const open = { kind: 'condition' as const, text: 'you live in the UK', recoverable: true };
    const { message } = by(ASK, { state: state({ missing: [open] }) }).clarification!;
    const history = [
      { role: 'user' as const, text: 'Can I claim?' },
      { role: 'assistant' as const, text: message },
    ];
    expect(standing('yes', history).text).toBe('Can I claim (you live in the UK)?');
  });

  it('is on record, and promises nothing', () => {
    const { plan, U, tau, guarantee } = by(ANSWER);
    expect(plan).toEqual({ probabilities: ANSWER, utilities: EVEN, action: 'ANSWER' });
    expect([U!.toFixed(6), tau, guarantee.status]).toEqual(['0.200000', null, 'NOT_CALIBRATED']);
    expect(guarantee.sentence).toContain('planner abcdef012345 decides');
  });

  it('answers where thresholds would not', () => {
    const unsure: Given = { report: { E: 0.01 } };
    expect(decide(input(unsure), provisional).action).toBe('ABSTAIN');
    expect(by(ANSWER, unsure)).toMatchObject({ action: 'ANSWER', gate: null, answer: { text: '1900' } });
  });

  it('keeps the words of an outcome whose action it takes too', () => {
    const given = conflicting('Records', { rivals: [rival] });
    const before = decide(input(given), provisional);
    const after = by(before.action === 'ASK' ? ASK : ABSTAIN, given);
    expect(after.clarification ?? after.abstention).toEqual(before.clarification ?? before.abstention);
    const other = by(before.action === 'ASK' ? ABSTAIN : ASK, given);
    expect((other.clarification ?? other.abstention)!.reason).toBe('CONFLICTING_EVIDENCE');
  });

  it('never answers without a span that stands in a passage', () => {
    expect(by(ANSWER, { answers: noAnswers }).action).not.toBe('ANSWER');
    expect(by({ ANSWER: 0.8, ASK: 0.15, ABSTAIN: 0.05 }, { answers: noAnswers }).action).toBe('ASK');
    const all = input();
    const moved = { ...all, evidence: all.evidence.map((each) => ({ ...each, text: `x${each.text}` })) };
    const after = planned(moved, decide(input({ answers: noAnswers }), provisional), PLANNER, ANSWER);
    expect(after.action).not.toBe('ANSWER');
  });

  it('has the prior on record that the probabilities are for', () => {
    const prior = { ANSWER: 0.5, ASK: 0.25, ABSTAIN: 0.25 };
    const of = (given: typeof prior | null) =>
      planned(input(), decide(input(), provisional), { ...PLANNER, prior: given }, ANSWER).plan;
    expect(of(prior)).toMatchObject({ prior });
    expect(of(null)).not.toHaveProperty('prior');
  });

  it.each([
    ['nothing found', { evidence: [], answers: noAnswers }],
    ['no word', { query: '?!' }],
    ['too late', { deadlineExceeded: true }],
    ['an index that fails', { indexUnavailable: true }],
    ['an unknown identifier', { identifiers: [{ id: 'ADR-0050', known: false, near: [] }] }],
  ] as [string, Given][])('leaves a final refusal as it is: %s', (_, given) => {
    const before = decide(input(given), provisional);
    expect(before.action).not.toBe('ANSWER');
    expect(by(ANSWER, given)).toEqual(before);
  });
});

describe('the hard gate of the paper', () => {
  const amb = (score: number) => ({ ambiguity: { ...state({}).ambiguity, score } });
  const lacks = (recoverable: boolean) => ({ missing: [{ kind: 'term' as const, text: 'x', recoverable }] });

  it.each([
    ['1: conflict', { conflict: { contradiction: null, cosine: 0.71 }, confidence: 0, coverage: 0 }, 'ASK'],
    ['1: at the limit it is none', { conflict: { contradiction: null, cosine: 0.7 } }, 'ANSWER'],
    ['2: neither confidence nor coverage', { confidence: 0.34, coverage: 0.29, ...amb(1) }, 'ABSTAIN'],
    ['2: coverage alone', { confidence: 0.34, coverage: 0.3 }, 'ANSWER'],
    ['2: nothing measured', { confidence: null, coverage: null }, 'ABSTAIN'],
    ['3: ambiguity', { ...amb(0.46), ...lacks(false) }, 'ASK'],
    ['4: not answerable', lacks(false), 'ABSTAIN'],
    ['5: a reply would help', lacks(true), 'ASK'],
    ['6: nothing speaks against it', {}, 'ANSWER'],
  ] as [string, Partial<InformationState>, string][])('%s', (_, given, action) => {
    expect(hardGate(state(given))).toBe(action);
  });

  it('abstains without a state, and goes by its own thresholds', () => {
    expect(hardGate(null)).toBe('ABSTAIN');
    const settings = { conflict: 1, confidence: 0, coverage: 0, ambiguity: 1, classifier: false };
    expect(hardGate(state({ ...amb(0.9), ...lacks(false), confidence: 0 }), settings)).toBe('ANSWER');
  });

  it('decides an outcome as a planner would, without a plan', () => {
    const all = input({ state: state(amb(0.6)) });
    const outcome = gated(all, decide(all, provisional));
    expect(verdict(outcome)).toBe('ASK UNCERTAIN');
    expect(outcome.plan).toBeUndefined();
    const empty = input({ answers: noAnswers, state: state({}) });
    expect(gated(empty, decide(empty, provisional)).action).toBe('ABSTAIN');
  });
});

describe('relevance alone', () => {
  const plain = (given: Given = {}) => byRelevance(input(given), decide(input(given), provisional));

  it('answers with the first passage as it stands when it is more relevant than not, whatever U is', () => {
    const sure = plain({ answers: noAnswers, evidence: [evidence({}, { relevance: 0.5 })] });
    expect(sure).toMatchObject({ action: 'ANSWER', passage: 'bridge.md#0', whole: true, gate: null });
    expect(sure).not.toHaveProperty('answer');
    expect(sure.guarantee.sentence).toContain('relevance alone decides');
    expect(verdict(plain({ evidence: [evidence({}, { relevance: 0.49 })] }))).toBe('ABSTAIN UNCERTAIN');
  });

  it('leaves what is final, and terms that the documents do not know', () => {
    expect(verdict(plain({ evidence: [] }))).toBe('ABSTAIN NO_RESULTS');
    const coverage = { terms: ['zorblax'], unknown: ['zorblax'], known: 0.1 };
    expect(verdict(plain({ coverage, evidence: [evidence({}, { relevance: 0.9 })] }))).toBe(
      'ABSTAIN TERMS_NOT_COVERED',
    );
  });
});
