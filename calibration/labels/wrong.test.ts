import { describe, expect, it } from 'vitest';
import { parseLevel } from '../levels/level.ts';
import type { Example, Observation } from '../types.ts';
import { isWrong, lossesOf, type WrongRule } from './wrong.ts';

function observed(example: Partial<Example>, text: string | null): Observation {
  return {
    schema: 'pragaura.observation/2',
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
    ['the passage', { passages: ['other', 'guide.md#2'] }, 'x', false],
    ['the document', { passages: ['guide.md'] }, 'x', false],
    ['another passage of the document', { passages: ['guide.md#1'] }, 'x', true],
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

describe('lossesOf', () => {
  it('is 1 - EM and 1 - F1, 1 where nothing should or could be answered, null without answers', () => {
    expect(lossesOf(observed({ answers: ['Old Town'] }, 'old town'))).toEqual({ em: 0, f1: 0 });
    expect(lossesOf(observed({ answers: ['Old Town'] }, 'old city'))).toEqual({ em: 1, f1: 0.5 });
    expect(lossesOf(observed({ answers: ['Old Town'] }, null))).toEqual({ em: 1, f1: 1 });
    expect(lossesOf(observed({ answerable: false }, 'x'))).toEqual({ em: 1, f1: 1 });
    expect(lossesOf(observed({ passages: ['guide.md'] }, 'x'))).toEqual({ em: null, f1: null });
  });
});
