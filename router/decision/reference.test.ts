import { describe, expect, it } from 'vitest';
import { decide, precheck } from './index.ts';
import { unresolvedPronoun } from './reference.ts';
import { decided, evidence, input, provisional } from './testing/cases.ts';

describe('unresolvedPronoun', () => {
  it.each([
    ['How much does it cost?', 'it'],
    ['Who approved it?', 'it'],
    ['How often is it calibrated?', 'it'],
    ['And how old is it?', 'it'],
    ['How do I replace them?', 'them'],
    ['Who is she?', 'she'],
    ['What does this mean?', 'this'],
    ['Is that allowed?', 'that'],
    ['What caused it?', 'it'],
    ['What is it called?', 'it'],
    ['Why didn’t they answer?', 'they'],
  ])('%s hangs on %s', (query, pronoun) => {
    expect(unresolvedPronoun(query)).toBe(pronoun);
  });

  it.each([
    'When is the meeting?',
    'Is it forbidden to climb a mast during a thunderstorm?',
    'How long does it take to charge the battery?',
    'What time is it?',
    'What colour is it?',
    'How late is it?',
    'Is it raining?',
    'If a sensor fails, how is it replaced?',
    'Why did they leave Oslo?',
    'Who wrote that plan?',
    'Who are these women?',
    'When did this leak happen?',
    'What is it that burns?',
    'How is it measured in winter?',
    'Does it comply with ADR-0012?',
    'Which model is it?',
    'Who knows where it is?',
    'WHO APPROVED IT?',
    'Who approved?',
    'it',
    '',
    'constructor __proto__ it?',
  ])('%s can stand alone', (query) => {
    expect(unresolvedPronoun(query)).toBeNull();
  });
});

describe('the gate', () => {
  const query = 'How often is it calibrated?';

  it('asks what is meant and offers what is near, once the models have read, which may tell more', () => {
    const near = [evidence({ title: 'Rain gauge' }), evidence({ title: 'Barometer', passageId: 'b#0' })];
    const told = {
      reason: 'UNRESOLVED_REFERENCE',
      message: 'What does "it" refer to?',
      suggestions: ['Rain gauge', 'Barometer'],
    };
    expect(precheck(input({ query, evidence: near }), provisional)).toBeNull();
    expect(decide(input({ query, evidence: near }), provisional).clarification).toEqual(told);
    expect(decide(input({ query: 'Who is she?' }), provisional).clarification!.message).toBe(
      'Who does "she" refer to?',
    );
  });

  it('is open when an identifier is named', () => {
    expect(decided({ query })).toBe('ASK UNRESOLVED_REFERENCE');
    const identifiers = [{ id: 'ADR-0012', known: true, near: [] }];
    expect(decided({ query, identifiers })).toBe('ANSWER');
  });

  it('comes after finding nothing', () => {
    expect(decided({ query, evidence: [] })).toBe('ABSTAIN NO_RESULTS');
  });
});
