import { describe, expect, it, vi } from 'vitest';
import { PragauraError } from '../../common/index.ts';
import { Evidence } from '../contracts.ts';
import { LAYERS, type LayerName, LayerSettings } from '../layers/index.ts';
import { Vocabulary, type VocabularyReport } from '../vocabulary/index.ts';
import {
  decide,
  generalThresholds,
  PROVISIONAL,
  precheck,
  screenQuery,
  type Thresholds,
  uncertainty,
} from './index.ts';
import {
  act,
  answersScored,
  conflicting,
  decided,
  evidence,
  type Given,
  input,
  missing,
  noAnswers,
  provisional,
  rival,
  span,
  suspect,
  TEXT,
  verdict,
} from './testing/cases.ts';

const denied = {
  key: 'bridge.md#0',
  sentence: 'It was never built.',
  claim: 'The Ostrel bridge was built.',
  entailment: 0,
  contradiction: 0.9,
};

describe('an answer', () => {
  it('has its place in the document, its claim, U, tau and no promise that nobody made', () => {
    const outcome = decide(input(), provisional);
    expect(outcome).toMatchObject({
      action: 'ANSWER',
      answer: {
        text: '1900',
        claim: 'The Ostrel bridge was built in 1900.',
        docId: 'bridge.md',
        passageId: 'bridge.md#0',
        start: 100 + span.start,
        end: 100 + span.end,
      },
      tau: PROVISIONAL.tau,
      guarantee: { status: 'NOT_CALIBRATED' },
    });
    expect(outcome.guarantee.sentence).toMatch(/Nothing is promised.*provisional rule/i);
    expect(outcome).not.toHaveProperty('clarification');
    expect(outcome).not.toHaveProperty('abstention');
  });

  it('is given on a tie of U and tau', () => {
    const U = uncertainty({ D: 0.2, C: 0.1, E: 0.7 }, PROVISIONAL.weights)!;
    const at = (tau: number): Thresholds => ({ ...provisional, tauFor: () => tau });
    const report = { D: 0.2, C: 0.1, E: 0.7 };
    expect(decided({ report }, at(U))).toBe('ANSWER');
    expect(decided({ report }, at(U - 1e-9))).toBe('ABSTAIN UNCERTAIN');
  });

  it('takes 0 for a threshold, not for none', () => {
    const zero: Thresholds = { ...provisional, tauFor: () => 0 };
    expect(decided({}, zero)).toBe('ABSTAIN UNCERTAIN');
    expect(decided({ report: { D: 0, C: 0, E: 1 } }, zero)).toBe('ANSWER');
  });

  it('asks for the threshold of the predicted act, whatever its name', () => {
    const asked: string[] = [];
    const thresholds: Thresholds = {
      ...provisional,
      tauFor: (name) => {
        asked.push(name);
        return null;
      },
    };
    expect(decided({ act: act('constructor') }, thresholds)).toBe('ABSTAIN UNCERTAIN');
    expect(new Set(asked)).toEqual(new Set(['constructor']));
  });
});

describe('gates', () => {
  it.each<[string, Given, string]>([
    ['no letter', { query: ' \u200b\u202e\t\n?!' }, 'ABSTAIN EMPTY_QUERY'],
    ['nothing', { query: '' }, 'ABSTAIN EMPTY_QUERY'],
    ['a megabyte', { query: 'a '.repeat(500_000) }, 'ABSTAIN QUERY_TOO_LONG'],
    ['a greeting', { query: 'Hello there', act: act('NOT_A_QUESTION') }, 'ABSTAIN NOT_A_QUESTION'],
    ['perhaps a greeting', { act: act('NOT_A_QUESTION', false) }, 'ANSWER'],
    ['no passage', { evidence: [] }, 'ABSTAIN NO_RESULTS'],
    [
      'an unknown identifier',
      { identifiers: [{ id: 'ADR-0050', known: false, near: ['ADR-0040'] }] },
      'ASK UNKNOWN_IDENTIFIER',
    ],
    [
      'one without relatives',
      { identifiers: [{ id: 'INV-2024-001', known: false, near: [] }] },
      'ABSTAIN UNKNOWN_IDENTIFIER',
    ],
    ['a known identifier', { identifiers: [{ id: 'ADR-0012', known: true, near: [] }] }, 'ANSWER'],
    [
      'one of two unknown',
      {
        identifiers: [
          { id: 'ADR-0012', known: true, near: [] },
          { id: 'ADR-0050', known: false, near: [] },
        ],
      },
      'ABSTAIN UNKNOWN_IDENTIFIER',
    ],
    [
      'distance',
      {
        evidence: [evidence({}, { relevance: 0.001 })],
        coverage: { terms: ['ostrel', 'tax', 'law'], unknown: [], known: 1 },
      },
      'ABSTAIN TOO_DISTANT',
    ],
    ['distance with the words of the query', { evidence: [evidence({}, { relevance: 0.001 })] }, 'ANSWER'],
    [
      'unknown words',
      { coverage: { terms: ['zorblax'], unknown: ['zorblax'], known: 0.1 } },
      'ABSTAIN TERMS_NOT_COVERED',
    ],
    [
      'a slip of the finger',
      { coverage: { terms: ['brigde'], unknown: ['brigde'], known: 0.1 } },
      'ASK TERMS_NOT_COVERED',
    ],
    [
      'coverage that is no number',
      { coverage: { terms: [], unknown: [], known: Number.NaN } },
      'ABSTAIN TERMS_NOT_COVERED',
    ],
    ['a conflict', conflicting('Records'), 'ABSTAIN CONFLICTING_EVIDENCE'],
    ['a contradiction without two quotes', { report: { C: 0.6 } }, 'ANSWER'],
    ['two explanations', { ...conflicting('Records'), act: act('EXPLANATION') }, 'ANSWER'],
    [
      'a conflict of two things of one name',
      conflicting('Ostrel (Norway)', { rivals: [rival] }),
      'ASK CONFLICTING_EVIDENCE',
    ],
    [
      'a conflict of two claims about one thing',
      conflicting('Ostrel > Old records', { rivals: [rival] }),
      'ABSTAIN CONFLICTING_EVIDENCE',
    ],
    ['a denied premise', { premises: [denied], answers: answersScored(0.2) }, 'ABSTAIN FALSE_PREMISE'],
    ['nothing but a poisoned passage', { evidence: [], suspects: [suspect] }, 'ABSTAIN POISONED_EVIDENCE'],
    ['a poisoned passage beside sound ones', { suspects: [suspect] }, 'ANSWER'],
    [
      'the nearest passage poisoned and no answer in another',
      { suspects: [suspect], report: { E: 0 } },
      'ABSTAIN POISONED_EVIDENCE',
    ],
    [
      'a lesser passage poisoned and no answer in another',
      { suspects: [{ ...suspect, rank: 1 }], report: { E: 0 } },
      'ABSTAIN NO_SUPPORTED_ANSWER',
    ],
    [
      'another subject altogether',
      {
        evidence: [evidence({}, { dense: 0.4, relevance: null })],
        coverage: { terms: ['ostrel', 'tax', 'law'], unknown: [], known: 1 },
      },
      'ABSTAIN OUT_OF_SCOPE',
    ],
    [
      'another record',
      {
        identifiers: [{ id: 'ADR-0012', known: true, near: [] }],
        identifiersIn: () => ['ADR-0013'],
      },
      'ABSTAIN IDENTIFIER_NOT_IN_EVIDENCE',
    ],
    ['a pronoun alone', { query: 'How often is it calibrated?' }, 'ASK UNRESOLVED_REFERENCE'],
    [
      'a pronoun alone and nothing found',
      { query: 'How often is it calibrated?', evidence: [] },
      'ABSTAIN NO_RESULTS',
    ],
    ['no span', { answers: noAnswers }, 'ABSTAIN NO_SUPPORTED_ANSWER'],
    [
      'a doubting reader and a U above tau',
      { evidence: [evidence({}, { margin: -0.1 })], report: { E: 0.04 } },
      'ABSTAIN NO_SUPPORTED_ANSWER',
    ],
    ['a doubting reader and a U that is not', { evidence: [evidence({}, { margin: -0.1 })] }, 'ANSWER'],
    ['some support, and a U above tau', { report: { D: 0.2, E: 0.15 } }, 'ABSTAIN UNCERTAIN'],
    [
      'a margin that is no number',
      { evidence: [evidence({}, { margin: Number.NaN })] },
      'ABSTAIN NO_SUPPORTED_ANSWER',
    ],
    ['no margin', { evidence: [evidence({}, { margin: null })] }, 'ABSTAIN NO_SUPPORTED_ANSWER'],
    ['no entailment', { report: { E: 0 } }, 'ABSTAIN NO_SUPPORTED_ANSWER'],
    ['entailment not scored', { report: { E: null } }, 'ABSTAIN NO_SUPPORTED_ANSWER'],
    ['nothing scored', { report: { D: null, C: null, E: null } }, 'ABSTAIN NO_SUPPORTED_ANSWER'],
    ['branches apart', { report: { D: 1, C: 0.3, E: 0.45 } }, 'ABSTAIN BRANCHES_DISAGREE'],
    [
      'branches apart with a choice',
      { report: { D: 1, C: 0.3, E: 0.45, rivals: [rival] } },
      'ASK BRANCHES_DISAGREE',
    ],
    [
      'little certainty where a reply could supply something',
      { report: { D: 0.2, E: 0.15 }, state: missing(true) },
      'ASK UNCERTAIN',
    ],
    [
      'little certainty where no reply could',
      { report: { D: 0.2, E: 0.15 }, state: missing(false) },
      'ABSTAIN UNCERTAIN',
    ],
    ['certainty, whatever could be supplied', { state: missing(true) }, 'ANSWER'],
    [
      'nothing scored, whatever could be supplied',
      { report: { E: null }, state: missing(true) },
      'ABSTAIN NO_SUPPORTED_ANSWER',
    ],
    ['a deadline', { deadlineExceeded: true }, 'ABSTAIN DEADLINE_EXCEEDED'],
    ['an index that fails', { indexUnavailable: true }, 'ABSTAIN INDEX_UNAVAILABLE'],
  ])('%s', (_, given, expected) => {
    expect(decided(given)).toBe(expected);
  });

  it('are asked in order: what comes first is named', () => {
    const all: Given = {
      evidence: [],
      identifiers: [{ id: 'ADR-0050', known: false, near: [] }],
      report: { C: 1, E: 0 },
    };
    expect(decided(all)).toBe('ABSTAIN NO_RESULTS');
    expect(decided({ ...all, query: '' })).toBe('ABSTAIN EMPTY_QUERY');
    expect(decided({ ...all, evidence: [evidence()] })).toBe('ABSTAIN UNKNOWN_IDENTIFIER');
  });

  it('close early where nothing more is needed, with no signal made up', () => {
    const early = screenQuery('', act(), provisional)!;
    expect(early).toMatchObject({ action: 'ABSTAIN', U: null, signals: { D: null, C: null, E: null } });
    expect(screenQuery('Who?', act(), provisional)).toBeNull();
    expect(verdict(precheck(input({ evidence: [] }), provisional))).toBe('ABSTAIN NO_RESULTS');
    expect(precheck(input(), provisional)).toBeNull();
  });

  it('leave to the models what they may know better', () => {
    const far = {
      evidence: [evidence({}, { dense: 0 })],
      coverage: { terms: ['tax'], unknown: ['tax'], known: 0 },
    };
    expect(precheck(input({ ...far, query: 'What is it?' }), provisional)).toBeNull();
    expect(decided(far)).toBe('ABSTAIN TERMS_NOT_COVERED');
  });
});

describe('layers', () => {
  const states = (given?: Given) =>
    decide(input(given), provisional).layers.map(({ layer, state }) => `${layer} ${state}`);

  it('stand in the outcome one by one, in order', () => {
    expect(states()).toEqual(LAYERS.map((layer) => `${layer} open`));
    expect(states({ evidence: [] })).toEqual([
      'vocabulary open',
      'spelling open',
      'noResults decided',
      ...LAYERS.slice(3).map((layer) => `${layer} not_reached`),
    ]);
    expect(states({ query: '' })).toEqual([]);
    expect(states({ deadlineExceeded: true })).toEqual([]);
    const early = precheck(input({ evidence: [] }), provisional)!;
    expect(early.layers).toEqual(decide(input({ evidence: [] }), provisional).layers);
  });

  it.each<[LayerName, Given]>([
    ['noResults', { evidence: [] }],
    ['identifierExists', { identifiers: [{ id: 'ADR-0050', known: false, near: [] }] }],
    ['coverage', { coverage: { terms: ['zorblax'], unknown: ['zorblax'], known: 0.1 } }],
    ['falsePremise', { premises: [denied], answers: answersScored(0.2) }],
    ['contradiction', conflicting('Records')],
  ])('%s decides nothing when it is off', (layer, given) => {
    const reason = decide(input(given), provisional).gate;
    const layers = LayerSettings.parse({ [layer]: { on: false } });
    const outcome = decide(input({ ...given, layers }), { ...provisional, tauFor: () => 1 });
    expect(reason).not.toBeNull();
    expect(outcome.gate).not.toBe(reason);
    expect(outcome.layers.find((each) => each.layer === layer)?.state).toBe('off');
  });

  it('that note something say it beside an answer, and beside a refusal only what is no word on an answer', () => {
    const careful: Given = { suspects: [{ ...suspect, rank: 1 }], report: { D: 0.9 } };
    const answered = decide(input(careful), provisional);
    expect([answered.action, answered.caveats.length]).toEqual(['ANSWER', 2]);
    expect(answered.caveats[0]).toContain('"Forum" (forum.md)');
    expect(answered.caveats[1]).toContain('ways of searching');
    const refused = decide(input(careful), { ...provisional, tauFor: () => 0 });
    expect([refused.action, refused.caveats]).toEqual(['ABSTAIN', [answered.caveats[0]]]);
    expect(decide(input(), { ...provisional, tauFor: () => 1 }).caveats).toEqual([]);
  });
});

describe('a term that the vocabulary defines', () => {
  const vocabulary = new Vocabulary(
    [
      {
        id: 'http://example.org/feeder',
        label: 'Feeder line',
        alternatives: [],
        hidden: [],
        definition: 'A line that leaves a substation.',
        broader: [],
        source: 'terms.ttl',
      },
    ],
    {} as VocabularyReport,
  );
  const given: Given = { query: 'What is a feeder line?', act: act('DEFINITION'), vocabulary };

  it('is answered by its definition, with its file as the source, before anything is read', () => {
    const outcome = precheck(input(given), { ...provisional, status: 'CALIBRATED' })!;
    const { answer, definition } = outcome;
    expect(answer).toEqual({
      text: 'A line that leaves a substation.',
      claim: 'Feeder line: A line that leaves a substation.',
      docId: 'terms.ttl',
      passageId: 'terms.ttl#http://example.org/feeder',
      start: 0,
      end: 32,
    });
    expect(Evidence.parse(definition)).toMatchObject({ title: 'Feeder line', source: 'terms.ttl' });
    expect(definition!.text.slice(answer!.start, answer!.end)).toBe(answer!.text);
    expect(outcome).toMatchObject({
      action: 'ANSWER',
      gate: null,
      U: null,
      signals: { D: null, C: null, E: null },
    });
    expect(outcome.guarantee.status).toBe('NOT_CALIBRATED');
    expect(decide(input({ ...given, evidence: [] }), provisional).definition).toEqual(definition);
  });

  it('is looked up once: as a reading that was chosen, and as a term', () => {
    const find = vi.spyOn(vocabulary, 'find');
    precheck(input(given), provisional);
    expect(find).toHaveBeenCalledTimes(2);
    find.mockRestore();
  });

  it('is left to the documents when the layer is off, and is no answer to another question', () => {
    const layers = LayerSettings.parse({ vocabulary: { on: false } });
    expect(decide(input({ ...given, layers }), provisional)).not.toHaveProperty('definition');
    expect(
      decide(input({ ...given, query: 'When was the feeder line built?' }), provisional),
    ).not.toHaveProperty('definition');
  });

  it('is asked about where the vocabulary lacks it', () => {
    expect(decided({ ...given, query: 'What is a fedder line?' })).toBe('ASK UNKNOWN_TERM');
  });
});

describe('what people read', () => {
  it('names the identifier and offers its neighbours', () => {
    const { clarification } = decide(
      input({
        identifiers: [
          { id: 'ADR-0050', known: false, near: ['ADR-0040', 'ADR-0005', 'ADR-0015', 'ADR-0051'] },
        ],
      }),
      provisional,
    );
    expect(clarification).toEqual({
      reason: 'UNKNOWN_IDENTIFIER',
      message: 'ADR-0050 occurs nowhere in the documents. Did you mean ADR-0040, ADR-0005 or ADR-0015?',
      suggestions: ['ADR-0040', 'ADR-0005', 'ADR-0015'],
    });
  });

  it('names the word that a slip hides', () => {
    const coverage = { terms: ['brigde'], unknown: ['brigde'], known: 0.1 };
    expect(decide(input({ coverage }), provisional).clarification!.suggestions).toEqual(['bridge']);
  });

  it('names both sides of a conflict', () => {
    const both = conflicting('Ostrel (Norway)', { rivals: [rival] });
    const { suggestions } = decide(input(both), provisional).clarification!;
    expect(suggestions).toEqual(['Ostrel > Bridges', 'Ostrel (Norway)']);
  });

  it('keeps document text on one short line', () => {
    const title = `A\n\u2028\tB ${'\ud83d\ude00'.repeat(500)}`;
    const { abstention } = decide(input({ evidence: [evidence({ title })], report: { E: 0 } }), provisional);
    expect(abstention!.suggestions[0]).toMatch(/^A B .*…$/u);
    expect(abstention!.suggestions[0]!.length).toBeLessThanOrEqual(160);
    expect(abstention!.suggestions[0]).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  });
});

describe('uncertainty', () => {
  const weights = { alpha: 0.2, beta: 0.3, gamma: 0.5 };

  it.each([
    [{ D: 0, C: 0, E: 1 }, 0],
    [{ D: 1, C: 1, E: 0 }, 1],
    [{ D: 1, C: 0, E: 1 }, 0.2],
    [{ D: 0, C: 1, E: 1 }, 0.3],
    [{ D: 0, C: 0, E: 0 }, 0.5],
    [{ D: 0, C: 0, E: null }, 0.5],
    [{ D: 0, C: null, E: 1 }, 0.3],
    [{ D: null, C: 0, E: 1 }, 0.2],
    [{ D: null, C: null, E: null }, null],
  ])('%j is %j', (signals, U) => {
    if (U === null) expect(uncertainty(signals, weights)).toBeNull();
    else expect(uncertainty(signals, weights)).toBeCloseTo(U, 12);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -0.01, 1.01])('refuses a signal of %d', (value) => {
    for (const name of ['D', 'C', 'E']) {
      expect(() => uncertainty({ D: 0, C: 0, E: 0, [name]: value }, weights)).toThrow(PragauraError);
      expect(() => decide(input({ report: { [name]: value } }), provisional)).toThrow(PragauraError);
    }
  });

  it.each([
    { alpha: -0.1, beta: 0.6, gamma: 0.5 },
    { alpha: 0.5, beta: 0.6, gamma: 0.5 },
    { alpha: Number.NaN, beta: 0.5, gamma: 0.5 },
    { alpha: 0, beta: 0, gamma: 0 },
  ])('refuses weights %j', (wrong) => {
    expect(() => uncertainty({ D: 0, C: 0, E: 0 }, wrong)).toThrow(/division of one/);
  });

  it.each([Number.NaN, -0.1, 1.5])('refuses a tau of %d', (tau) => {
    expect(() => decide(input(), { ...provisional, tauFor: () => tau })).toThrow(/between 0 and 1/);
  });
});

describe('defects are not answers', () => {
  it('throws when the answer is not where its passage says', () => {
    expect(() =>
      decide(
        input({ evidence: [evidence({ text: TEXT.toUpperCase().replace('1900', '1901') })] }),
        provisional,
      ),
    ).toThrow(/does not stand where/);
  });

  it('does not answer from a passage that is not in the evidence', () => {
    expect(decided({ evidence: [evidence({ passageId: 'another' })] })).toBe('ABSTAIN NO_SUPPORTED_ANSWER');
  });
});

describe('a passage that is answer enough', () => {
  const general = generalThresholds(0.5);
  const unsure: Given = { report: { E: 0 }, evidence: [evidence({}, { relevance: 0.9 })] };

  it('is given where the span is not sure, and only by thresholds that know passages', () => {
    expect(decided(unsure)).toBe('ABSTAIN NO_SUPPORTED_ANSWER');
    const outcome = decide(input(unsure), general);
    expect(outcome).toMatchObject({
      action: 'ANSWER',
      passage: 'bridge.md#0',
      guarantee: { status: 'NOT_CALIBRATED' },
    });
    expect(outcome).not.toHaveProperty('answer');
    expect(decide(input(), general)).toMatchObject({ action: 'ANSWER', answer: { text: '1900' } });
  });

  it('goes before a span that is not surely right, and the span before it where it is', () => {
    const { U, tau } = decide(input(), general);
    const passages = general.passages!;
    const at = (largest: number, bar: number) =>
      decide(input(), { ...general, passages: { ...passages, spanFor: () => largest, tauFor: () => bar } });
    expect(U).toBeLessThan(tau!);
    expect(at(U!, 1)).toMatchObject({ action: 'ANSWER', answer: { text: '1900' } });
    expect(at(U! / 2, 1)).toMatchObject({ action: 'ANSWER', passage: 'bridge.md#0', gate: null });
    expect(at(U! / 2, 0)).toMatchObject({ action: 'ANSWER', answer: { text: '1900' } });
  });

  it('is none below the bar, where no passage was read, behind a layer that closes, or for an act without a bar', () => {
    const at = (given: Given, thresholds: Thresholds = general) =>
      decided({ ...unsure, ...given }, thresholds);
    expect(at({ evidence: [evidence({}, { relevance: 0.1, fused: 0.2 })] })).toBe(
      'ABSTAIN NO_SUPPORTED_ANSWER',
    );
    expect(at({ evidence: [evidence({}, { relevance: null })] })).toBe('ABSTAIN NO_SUPPORTED_ANSWER');
    expect(decided(conflicting('Old records'), general)).toBe('ABSTAIN CONFLICTING_EVIDENCE');
    expect(at({}, { ...general, passages: { ...general.passages!, tauFor: () => null } })).toBe(
      'ABSTAIN NO_SUPPORTED_ANSWER',
    );
  });
});
