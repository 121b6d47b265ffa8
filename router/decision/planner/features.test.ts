import { describe, expect, it } from 'vitest';
import type { InformationState } from '../../../conversation/index.ts';
import { evidence, input } from '../testing/cases.ts';
import { claimPairs, claimVerdicts, PLANNING_FEATURES, planningFeatures } from './index.ts';
import { ruleIn } from './rule.ts';
import { statementsOf, toldIn } from './told.ts';

const user = (text: string) => ({ role: 'user' as const, text });
const asked = (text: string) => ({ role: 'assistant' as const, text });

const RULE =
  'You qualify for the pass if you meet all of the following:\n\n' +
  '* you live in Ostrel\n* you are over 60\n* you hold a valid card';
const SAID = [
  user('I moved to Ostrel in May.'),
  asked('Are you over 60?'),
  user('Yes'),
  asked('Do you hold a valid card?'),
  user('No, I lost it.'),
];

describe('what the user told', () => {
  it('tells replies from own words', () => {
    const told = toldIn(SAID);
    expect(told.own).toEqual(['I moved to Ostrel in May.']);
    expect(told.replies.map(({ yes }) => yes)).toEqual([true, false]);
    expect(told.asked).toBe(false);
    expect(toldIn([...SAID, asked('Is it yours?')]).asked).toBe(true);
  });

  it('is neither yes nor no where the reply is something else', () => {
    expect(toldIn([asked('Which card?'), user('the blue one')]).replies[0]!.yes).toBeNull();
    expect(toldIn([asked('Are you well?'), user('I am not sure')]).replies[0]!.yes).toBe(false);
  });

  it('becomes statements', () => {
    expect(statementsOf(toldIn(SAID))).toMatch(/^I moved to Ostrel in May\. .*over 60\. .*not.* card\.$/i);
  });
});

describe('a rule', () => {
  it('has conditions that are open, asked for, or spoken of', () => {
    const rule = ruleIn(RULE, 'Can I get the pass?', toldIn(SAID.slice(0, 3)));
    expect(rule.conditions).toHaveLength(3);
    expect(rule.unasked.map(({ text }) => text)).toContain('you hold a valid card');
    expect(rule.unasked.map(({ text }) => text)).not.toContain('you are over 60');
    expect([rule.anyOf, rule.settled]).toEqual([false, false]);
  });

  it('is settled by one no where all are needed, and by one yes where any is enough', () => {
    expect(ruleIn(RULE, 'Can I get it?', toldIn(SAID)).settled).toBe(true);
    const any = RULE.replace('all of', 'any of');
    expect(ruleIn(any, 'Can I get it?', toldIn(SAID))).toMatchObject({ anyOf: true, settled: true });
    expect(ruleIn(any, 'Can I get it?', toldIn(SAID.slice(3)))).toMatchObject({ settled: false });
  });

  it('joins its items by the word at their end before anything else', () => {
    expect(ruleIn('You must:\n* be 18, or\n* have a guardian', '', toldIn([])).anyOf).toBe(true);
    expect(ruleIn('Apply if you:\n* are 18; and\n* live here', '', toldIn([])).anyOf).toBe(false);
  });

  it('says nothing of a text without conditions', () => {
    expect(ruleIn('The bridge is old.', 'Is it old?', toldIn([]))).toMatchObject({
      conditions: [],
      anyOf: null,
      settled: null,
    });
  });
});

describe('claims for the entailment model', () => {
  const rule = evidence({ text: RULE, title: 'Pass' });

  it('are the question against passage and case, then the conditions against what was told', () => {
    const pairs = claimPairs({ query: 'Can I get the pass?', evidence: [rule], history: SAID }, 9);
    expect(pairs.map(({ kind }) => kind)).toEqual(['claim', 'case', 'condition', 'condition', 'condition']);
    expect(pairs[0]).toMatchObject({ hypothesis: 'I can get the pass.', premise: `Pass. ${RULE}` });
    expect(pairs[1]!.premise).toMatch(/^I moved to Ostrel in May\..*Pass\. You qualify/s);
    expect(pairs[2]!.hypothesis).toBe('You live in Ostrel');
    expect(claimPairs({ query: 'Can I get the pass?', evidence: [rule], history: SAID }, 2)).toHaveLength(2);
  });

  it('are none where nothing asks for them', () => {
    expect(claimPairs({ query: 'When was it built?', evidence: [rule], history: [] }, 9)).toEqual([]);
    expect(claimPairs({ query: 'Can I get it?', evidence: [], history: SAID }, 9)).toEqual([]);
  });

  it('leave out what the model did not get to', () => {
    const pairs = claimPairs({ query: 'Can I get the pass?', evidence: [rule], history: SAID }, 9);
    const score = { entailment: 0.7, contradiction: 0.1 };
    expect(claimVerdicts(pairs, [null, score, null, score])).toEqual({
      claim: null,
      case: score,
      conditions: [score],
    });
    expect(claimVerdicts(pairs, [])).toBeNull();
  });
});

describe('planningFeatures', () => {
  const bare = { rewrite: null, claims: null };

  it('has every feature, a number or null', () => {
    const found = planningFeatures({ ...input(), ...bare });
    expect(Object.keys(found).sort()).toEqual([...PLANNING_FEATURES].sort());
    for (const value of Object.values(found)) expect(value === null || Number.isFinite(value)).toBe(true);
  });

  it('is null where nothing was measured, never 0', () => {
    const found = planningFeatures({ ...input(), ...bare });
    for (const name of [
      'incompleteness',
      'missingCondition',
      'claimEntailment',
      'path',
      'questionGain',
    ] as const) {
      expect(found[name]).toBeNull();
    }
    for (const name of [
      'openShare',
      'settled',
      'lastReply',
      'premiseContradiction',
      'relevanceLead',
    ] as const) {
      expect(found[name]).toBeNull();
    }
    const nothing = planningFeatures({ ...input({ evidence: [] }), ...bare });
    expect([nothing.ruleConditions, nothing.distance, nothing.topDocuments]).toEqual([null, null, null]);
  });

  it('reads form, acts, evidence and history', () => {
    const far = evidence({ docId: 'far.md', passageId: 'far.md#0' }, { relevance: 0.4, dense: 0.5 });
    const found = planningFeatures({
      ...input({ evidence: [evidence(), far], history: SAID, query: 'Can I get the pass or a refund?' }),
      ...bare,
      rewrite: { changed: true, reasons: [], open: [{ word: 'it', candidates: ['a', 'b'] }] },
    });
    expect(found).toMatchObject({
      yesNo: 1,
      ownCase: 1,
      ownRight: 1,
      offersChoice: 1,
      when: 0,
      'act:FACT': 1,
    });
    expect(found.relevanceLead).toBeCloseTo(0.5, 12);
    expect(found.distance).toBeCloseTo(0.2, 12);
    expect(found).toMatchObject({
      topDocuments: 2,
      answerEntropy: 0,
      turns: 5,
      rewritten: 1,
      openReferences: 1,
    });
    expect(found).toMatchObject({
      repliesYes: 1,
      repliesNo: 1,
      lastReply: 0,
      toldWords: 6,
      lastTurnAsked: 0,
    });
  });

  it('reads state, claims, premises, path and question', () => {
    const state = {
      known: [
        { text: 'Ostrel', kind: 'place', from: 'query', grounded: true },
        { text: 'pass', kind: 'attribute', from: 'query', grounded: false },
      ],
      missing: [{ kind: 'condition', text: 'x', recoverable: true }],
      constraints: [],
      turn: 0,
      incompleteness: 0.5,
      resolutionRate: 0.5,
      confidence: 0.9,
      coverage: 1,
      ambiguity: {
        score: 0.2,
        signals: {
          shortQuery: 0,
          danglingPronoun: 0,
          vagueQuantifier: 0,
          noNamedEntity: 1,
          halfComparison: 0,
        },
        because: [],
      },
      conflict: { contradiction: 0, cosine: 0.3 },
      answerability: 0.72,
    } satisfies InformationState;
    const sure = { entailment: 0.9, contradiction: 0 };
    const not = { entailment: 0, contradiction: 0.8 };
    const found = planningFeatures({
      ...input({
        state,
        premises: [{ key: 'bridge.md#0', sentence: 'x', claim: 'y', entailment: 0.1, contradiction: 0.2 }],
        path: { kind: 'broken', score: 0, path: [], known: ['Ostrel'], variables: ['card'] },
      }),
      rewrite: null,
      claims: { claim: sure, case: not, conditions: [sure, not, { entailment: 0.2, contradiction: 0.2 }] },
      question: { gain: 1, options: [], resolution: 0.4 },
    });
    expect(found).toMatchObject({
      incompleteness: 0.5,
      noNamedEntity: 1,
      knownGrounded: 1,
      knownUngrounded: 1,
      missingCondition: 1,
      missingRecoverable: 1,
      cosineConflict: 0.3,
      claimEntailment: 0.9,
      caseContradiction: 0.8,
      conditionsMet: 1,
      conditionsDenied: 1,
      conditionsUndecided: 1,
      premiseContradiction: 0.2,
      path: 0.5,
      pathVariables: 1,
      questionGain: 1,
      questionResolution: 0.4,
    });
    const none = planningFeatures({ ...input({ state }), rewrite: null, claims: null, question: null });
    expect([none.questionGain, none.questionOptions]).toEqual([0, 0]);
  });
});
