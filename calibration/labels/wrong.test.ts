import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLevel } from '../levels/level.ts';
import { type Example, Labelled, type Observation, type Shown } from '../types.ts';
import { saysWhatIsShown } from './examples.ts';
import { patternFound, problemOfPattern } from './patterns.ts';
import { isWrong, lossesOf, type WrongRule } from './wrong.ts';

function observed(example: Partial<Example>, text: string | null): Observation {
  return {
    schema: 'pragaura.observation/3',
    key: 'k',
    example: { id: 'q', query: 'Who?', group: 'g', ...example },
    error: null,
    act: 'FACT',
    closed: null,
    features: null,
    sources: null,
    planning: null,
    candidate:
      text === null ? null : { text, claim: text, docId: 'guide.md', passageId: 'guide.md#2', support: 1 },
    ranking: [],
    receipt: null,
  };
}

const EM: WrongRule = { kind: 'em' };
const f1 = (least: string): WrongRule => ({ kind: 'f1', least: parseLevel(least) });

describe('isWrong', () => {
  it.each([
    ['the very answer', { answers: ['x', 'The Old-Town!'] }, 'oldtown', false],
    ['another answer', { answers: ['Old Town'] }, 'Old Town Hall', true],
    ['no candidate', { answers: ['Old Town'] }, null, true],
    ['unanswerable', { answerable: false }, 'Old Town', true],
    ['unanswerable, no candidate', { answerable: false }, null, true],
    ['to be asked back', { action: 'ASK' as const }, 'Old Town', true],
    ['to be refused, though answers are named', { action: 'ABSTAIN' as const, answers: ['x'] }, 'x', true],
    ['answers before passages', { passages: ['guide.md'], answers: ['y'] }, 'x', true],
    ['nothing labelled', {}, 'x', null],
    ['answerable, but not with what', { answerable: true }, 'x', null],
    ['to be answered, but not with what', { action: 'ANSWER' as const }, null, null],
  ])('%s', (_, example, text, wrong) => {
    expect(isWrong(observed(example, text), EM)).toBe(wrong);
  });

  it('counts an F1 that equals the level as right, where floats alone would not', () => {
    // All 3 words of the answer among the 5 of the gold: F1 = 2 * 3 / 8, as floats 0.7499999999999999.
    const answer = observed({ answers: ['one two three four five'] }, 'one two three');
    expect(lossesOf(answer).f1).toBeGreaterThan(0.25);
    expect(isWrong(answer, f1('0.75'))).toBe(false);
    expect(isWrong(answer, f1('0.750001'))).toBe(true);
    expect(isWrong(answer, f1('.749999'))).toBe(false);
  });
});

const places = [
  { docId: 'guide.md', passageId: 'guide.md#2' },
  { docId: 'guide.md', passageId: 'guide.md#3' },
];
const STEPS: Shown = {
  form: 'steps',
  text: 'To descale it, do this:\n1. Unplug the kettle.\n2. Fill it with vinegar.\n3. Rinse it twice.',
  verdict: null,
  places,
};
const YES: Shown = { form: 'verdict', text: 'Yes. It is\nlow.', verdict: 'yes', places };

function shows(example: Partial<Example>, shown: Shown | null | undefined): Observation {
  return { ...observed(example, 'vinegar'), ...(shown === undefined ? {} : { shown }) };
}

describe('what is shown', () => {
  it.each<[string, Partial<Example>, Shown | null | undefined, boolean | null]>([
    ['a pattern that is found', { patterns: ['no such', 'FILL it with \\w+'] }, STEPS, false],
    ['a pattern that is not', { patterns: ['^vinegar$'] }, STEPS, true],
    ['a pattern over a line break', { patterns: ['yes\\. it is low'] }, YES, false],
    ['all steps in order', { steps: ['unplug kettle', 'Rinse it twice!'] }, STEPS, false],
    ['steps in another order', { steps: ['Rinse it twice', 'Unplug the kettle'] }, STEPS, true],
    ['the same step twice', { steps: ['rinse it twice', 'rinse it twice'] }, STEPS, true],
    ['a step that is missing', { steps: ['Unplug the kettle', 'Dry it'] }, STEPS, true],
    ['a step that is part of a word', { steps: ['plug the kettle'] }, STEPS, true],
    ['steps and a pattern that is not found', { steps: ['unplug'], patterns: ['boil'] }, STEPS, true],
    ['the verdict', { verdict: 'yes', patterns: ['elsewhere'] }, YES, false],
    ['another verdict', { verdict: 'no', patterns: ['low'] }, YES, true],
    ['no verdict, but what is shown matches', { verdict: 'yes', patterns: ['vinegar'] }, STEPS, false],
    ['no verdict', { verdict: 'yes' }, STEPS, true],
    ['a passage that is quoted', { passages: ['other', 'guide.md#3'] }, STEPS, false],
    ['its document', { passages: ['guide.md'] }, STEPS, false],
    ['another passage of the document', { passages: ['guide.md#1'] }, STEPS, true],
    ['answers, whatever the form', { answers: ['vinegar'], passages: ['x'] }, STEPS, false],
    ['patterns before answers', { answers: ['vinegar'], patterns: ['acid'] }, STEPS, true],
    ['nothing to show', { patterns: ['.'] }, null, true],
    ['not made', { patterns: ['.'] }, undefined, null],
    ['nothing should be shown', { patterns: ['.'], action: 'ASK' }, STEPS, true],
  ])('%s', (_, example, shown, wrong) => {
    const observation = shows(example, shown);
    expect(isWrong(observation, EM)).toBe(wrong);
    expect(isWrong(observation, f1('0.5'))).toBe(wrong);
    if (saysWhatIsShown(observation.example)) {
      const loss = wrong === null ? null : Number(wrong);
      expect(lossesOf(observation)).toEqual({ em: loss, f1: loss });
    }
  });

  it('takes any run of what is shown, in order, for its steps, and misses one that is not there', () => {
    const word = fc.stringMatching(/^[b-y]{2,6}$/);
    fc.assert(
      fc.property(fc.array(fc.array(word, { minLength: 1, maxLength: 4 }), { minLength: 1 }), (items) => {
        const text = items.map((words, i) => `${i + 1}. ${words.join(' ')}.`).join('\n');
        const shown = { ...STEPS, text };
        const steps = items.map((words) => words.join(' '));
        expect(isWrong(shows({ steps }, shown), EM)).toBe(false);
        expect(isWrong(shows({ steps: steps.filter((_, i) => i % 2 === 0) }, shown), EM)).toBe(false);
        expect(isWrong(shows({ steps: [...steps, 'zz'] }, shown), EM)).toBe(true);
        expect(isWrong(shows({ steps: [...steps, steps[0]!] }, shown), EM)).toBe(true);
      }),
    );
  });

  it('finds as an expression what JavaScript finds, and says of any text whether it is one', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      'ab',
      '.',
      '[ab]',
      '(a|b)',
      '\\w',
      '\\d',
      'a+',
      '(ab)*',
      '^',
      '$',
      'B?',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 6 }),
        fc.stringMatching(/^[abAB1 ]{0,20}$/),
        (p, text) => {
          const pattern = p.join('');
          expect(patternFound(pattern, text)).toBe(new RegExp(pattern, 'is').test(text));
        },
      ),
    );
    fc.assert(
      fc.property(fc.string(), (pattern) => {
        if (problemOfPattern(pattern) === null) patternFound(pattern, 'x');
        else expect(Labelled.safeParse({ id: 'q', query: 'q', patterns: [pattern] }).success).toBe(false);
      }),
    );
  });

  it('is not held up by an expression that others go back over', () => {
    const text = `${'a'.repeat(3_000)}!`;
    expect(patternFound('(a+)+$', text)).toBe(false);
    expect(patternFound('(a|a)*b', text)).toBe(false);
    for (const pattern of ['(?=x)', '(a)\\1', '((a{0,100}){0,100}){0,100}', '(', ' ', 'x'.repeat(3_000)]) {
      expect(problemOfPattern(pattern)).toMatch(/regular expression|characters|empty/);
    }
  });
});

describe('lossesOf', () => {
  it('is 1 - EM and 1 - F1, 1 where nothing should or could be answered, null without answers', () => {
    expect(lossesOf(observed({ answers: ['Old Town'] }, 'old town'))).toEqual({ em: 0, f1: 0 });
    expect(lossesOf(observed({ answers: ['Old Town'] }, 'old city'))).toEqual({ em: 1, f1: 0.5 });
    expect(lossesOf(observed({ answers: ['Old Town'] }, null))).toEqual({ em: 1, f1: 1 });
    expect(lossesOf(observed({ answerable: false }, 'x'))).toEqual({ em: 1, f1: 1 });
    expect(lossesOf(observed({ passages: ['guide.md'] }, 'x'))).toEqual({ em: null, f1: null });
  });
});
