import { describe, expect, it } from 'vitest';
import { decide } from './index.ts';
import { decided, evidence, input, missing, noAnswers, provisional } from './testing/cases.ts';

/** Answers whatever passes the gates. */
const lenient = { ...provisional, tauFor: () => 1 };

describe('passages that nobody read', () => {
  const nothing = { relevance: null, margin: null, entailment: null, contradiction: null };
  const report = { D: null, C: null, E: null };

  it('are results, and the refusal says that they were not read', () => {
    const { action, abstention } = decide(
      input({ evidence: [evidence({}, nothing)], answers: noAnswers, report }),
      provisional,
    );
    expect(action).toBe('ABSTAIN');
    expect(abstention).toMatchObject({
      reason: 'NO_SUPPORTED_ANSWER',
      message: 'Passages were found, but none could be read within the budget.',
      suggestions: ['Ostrel > Bridges'],
    });
  });

  it('are not spoken of when one of them was read', () => {
    const both = [evidence(), evidence({ passageId: 'b#0' }, nothing)];
    const { abstention } = decide(input({ evidence: both, answers: noAnswers, report }), provisional);
    expect(abstention!.message).toBe('The documents touch on this but no passage states an answer.');
  });
});

describe('the word after "how"', () => {
  const coverage = { terms: ['high', 'mast'], unknown: ['high'], known: 0.3 };

  it.each(['high', 'long', 'tall', 'far', 'often', 'old', 'big', 'deep', 'wide', 'fast', 'heavy'])(
    'need not be in the documents: %s',
    (word) => {
      const given = { query: `How ${word} is the mast?`, coverage: { ...coverage, unknown: [word] } };
      expect(decided({ ...given, evidence: [evidence({ title: 'The mast' })] })).toBe('ANSWER');
    },
  );

  it('does not excuse another unknown word, and is not named beside it', () => {
    const unknown = { terms: ['high', 'zorblax'], unknown: ['high', 'zorblax'], known: 0 };
    const { abstention } = decide(
      input({ query: 'How high is the zorblax?', coverage: unknown }),
      provisional,
    );
    expect(abstention!.message).toBe('The documents do not know "zorblax".');
  });

  it('is excused nowhere else', () => {
    expect(decided({ query: 'Is the mast high?', coverage })).toBe('ABSTAIN TERMS_NOT_COVERED');
    const broken = { ...coverage, known: Number.NaN };
    expect(decided({ query: 'How high is the mast?', coverage: broken })).toBe('ABSTAIN TERMS_NOT_COVERED');
  });
});

describe('a threshold that is none', () => {
  it('is refused with a hint', () => {
    expect(() => decide(input(), { ...provisional, tauFor: () => 2 })).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION', hint: expect.stringContaining('0 to 1') }),
    );
  });
});

describe('a yes-or-no question', () => {
  const query = 'Is it allowed to climb the mast?';

  it('is answered only when the evidence says it clearly', () => {
    expect(decided({ query, report: { E: 0.25 } }, lenient)).toBe('ANSWER');
    expect(decided({ query, report: { E: provisional.limits.verification } }, lenient)).toBe('ANSWER');
    expect(decided({ query, report: { E: 0.14 } }, lenient)).toBe('ABSTAIN NO_SUPPORTED_ANSWER');
    const key = 'bridge.md#0';
    const verdict = { key, source: 0, entailment: 0.4, contradiction: 0.5, stance: 'contradicts' as const };
    const reading = { cluster: 0, score: 0.9 } as never;
    const byPassage = new Map([key, 'another#0'].map((passage) => [passage, reading]));
    const answers = { ...input().answers, byPassage };
    const denied = { query, answers, report: { E: 0.25, verdicts: [verdict] } };
    expect(decided(denied, lenient)).toBe('ABSTAIN NO_SUPPORTED_ANSWER');
    const elsewhere = { ...verdict, key: 'another#0' };
    expect(decided({ ...denied, report: { E: 0.25, verdicts: [elsewhere] } }, lenient)).toBe('ANSWER');
    const { message } = decide(input({ query, report: { E: 0.14 } }), lenient).abstention!;
    expect(message).toBe('The documents touch on this, but whether it is so is not stated clearly enough.');
  });

  it('is asked back where a reply could supply something', () => {
    const unclear = { query, report: { E: 0.14 } };
    expect(decided({ ...unclear, state: missing(true) }, lenient)).toBe('ASK NO_SUPPORTED_ANSWER');
    expect(decided({ ...unclear, state: missing(false) }, lenient)).toBe('ABSTAIN NO_SUPPORTED_ANSWER');
  });

  it('asks for more than others do', () => {
    expect(decided({ query: 'When may they climb the mast?', report: { E: 0.14 } }, lenient)).toBe('ANSWER');
    expect(decided({ query: 'Can you tell me when they climb?', report: { E: 0.14 } }, lenient)).toBe(
      'ANSWER',
    );
  });
});

describe('"Did you mean"', () => {
  const passages = [evidence({ text: 'More than thirty masts, these and those with hellos.' })];

  it.each(['thank', 'hello', 'thees', 'whith'])('offers no word that nobody looks up: %s', (word) => {
    const coverage = { terms: [word], unknown: [word], known: 0 };
    expect(decided({ query: word, coverage, evidence: passages })).toBe('ABSTAIN TERMS_NOT_COVERED');
  });

  it('still offers the others', () => {
    const coverage = { terms: ['thrity'], unknown: ['thrity'], known: 0 };
    expect(decide(input({ coverage, evidence: passages }), provisional).clarification!.suggestions).toEqual([
      'thirty',
    ]);
  });
});
