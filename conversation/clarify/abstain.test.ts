import { describe, expect, it } from 'vitest';
import { informationState, openTagger } from '../state/index.ts';
import { type Fact, found, type Judge } from '../state/testing/found.ts';
import { type AbstentionText, abstentionText } from './index.ts';
import { replaced, specified } from './text.ts';

const tag = openTagger();
const told = (query: string, facts: readonly Fact[], given = {}, judge?: Judge): AbstentionText => {
  const input = found(query, facts, given, judge);
  return abstentionText({ ...input, state: informationState(input, tag) });
};

const FEE = 'How much is the annual membership fee?';
const fee = (title: string, amount: string): Fact => ({
  title,
  text: `Farms may join. The annual membership fee is ${amount} euros per farm. It is due in May.`,
  answer: `${amount} euros`,
});
/** The amounts of premise and hypothesis agree or contradict. */
const byAmount: Judge = (premise, hypothesis) =>
  /\d+/.exec(premise)?.[0] === /\d+/.exec(hypothesis)?.[0]
    ? { entailment: 0.95, neutral: 0.03, contradiction: 0.02 }
    : { entailment: 0.02, neutral: 0.03, contradiction: 0.95 };

describe('abstentionText', () => {
  it('quotes both sides of a contradiction, with their sources and places', () => {
    const text = told(FEE, [fee('About us', '160'), fee('Questions', '180')], {}, byAmount);
    expect(text.kind).toBe('CONTRADICTION');
    expect(text.message).toBe(
      'The documents contradict each other, and nothing says which one holds. "The annual membership fee is 160 euros per farm." (About us, doc0.md, 1:1). But "The annual membership fee is 180 euros per farm." (Questions, doc1.md, 2:1).',
    );
    if (text.kind !== 'CONTRADICTION') return;
    expect(text.conflict.map(({ passageId }) => passageId)).toEqual(['p0', 'p1']);
    for (const [i, side] of text.conflict.entries()) {
      expect(fee('', ['160', '180'][i]!).text.slice(side.start, side.end)).toBe(side.text);
    }
  });

  it('does not call agreement a contradiction', () => {
    expect(told(FEE, [fee('About us', '160'), fee('Questions', '160')], {}, byAmount).kind).toBe('NOTHING');
  });

  it('says what the corpus has nothing about', () => {
    const text = told('Who writes the payroll?', [fee('About us', '160')], {
      coverage: { terms: ['payroll'], unknown: ['payroll'] },
    });
    expect(text).toEqual({
      kind: 'NOTHING',
      message: 'The documents say nothing about "payroll". The nearest passage is in "About us".',
      missing: ['payroll'],
      nearest: [{ title: 'About us', passageId: 'p0' }],
    });
  });

  it('says what it does speak of when only the answer is missing', () => {
    const { message } = told('Who sets the membership fee?', [fee('', '160')]);
    expect(message).toBe(
      'The documents speak of "membership fee", but no passage says what was asked. The nearest passage is in "doc0".',
    );
  });

  it('has a sentence for a corpus without any passage', () => {
    expect(told('Who sets the fee?', []).message).toBe('The documents hold nothing on this.');
  });
});

describe('text', () => {
  it('puts a value where the word was, else in brackets', () => {
    expect(replaced('How often is it calibrated?', 'it', 'the $& barometer')).toBe(
      'How often is the $& barometer calibrated?',
    );
    expect(replaced('Is its unit split?', 'it', 'X')).toBe('Is its unit split (X)?');
    expect(specified('When was it built?', '1900')).toBe('When was it built (1900)?');
    expect(specified('tell me', 'x')).toBe('tell me (x)');
  });
});
