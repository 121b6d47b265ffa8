import { describe, expect, it } from 'vitest';
import type { ContenderOutput } from './asked.ts';
import { judge, overlap } from './judge.ts';
import type { Question } from './types.ts';

const question = (more: Partial<Question>): Question => ({
  id: 'q',
  query: 'Which port does the mapfile server use?',
  group: 'g',
  act: 'FACT',
  kind: 'plain',
  expect: 'ANSWER',
  ...more,
});

const answer = (
  text: string,
  more: Partial<NonNullable<ContenderOutput['shown']>> = {},
): ContenderOutput => ({
  action: 'ANSWER',
  shown: { text, quotes: [text], verdict: null, form: 'passage', band: 'HIGH', cut: null, ...more },
  offered: [],
});

const refusal = (action: 'ASK' | 'ABSTAIN', offered: string[] = []): ContenderOutput => ({
  action,
  shown: null,
  offered,
});

const port = question({ accept: [[/port 8080/is], [/\b8080\b/is, /\btcp\b/is]] });

describe('what has to match', () => {
  it.each([
    ['one alternative', answer('It is PORT\n  8080.'), 'useful'],
    ['every expression of an alternative', answer('TCP, 8080'), 'useful'],
    ['one expression of two', answer('8080'), 'wrong'],
    ['none', answer('It is 80.'), 'wrong'],
    ['silence', refusal('ABSTAIN'), 'needless silence'],
    ['a question', refusal('ASK'), 'needless question'],
  ])('%s', (_, said, outcome) => {
    expect(judge(port, said).outcome).toBe(outcome);
  });

  it('is looked for in the quotes only where they lie over a place that answers', () => {
    const shown = {
      quotes: ['8080', 'Unless told otherwise the server listens on port 8080 of the machine.'],
    };
    const anchors = ['the server listens on port 8080'];
    expect(judge({ ...port, anchors }, answer('8080', shown)).outcome).toBe('useful');
    expect(judge(port, answer('8080', shown)).outcome).toBe('wrong');
    expect(judge({ ...port, anchors }, answer('8080', { ...shown, form: 'span' })).outcome).toBe('wrong');
    expect(judge({ ...port, anchors: ['a page about something else'] }, answer('8080', shown)).outcome).toBe(
      'wrong',
    );
  });

  it('has every part of two questions in one', () => {
    const two = question({ kind: 'compound', accept: [[/never/]], parts: [[[/alpha/i]], [[/beta/i]]] });
    expect(judge(two, answer('Alpha first, then beta.')).outcome).toBe('useful');
    expect(judge(two, answer('Alpha alone.')).outcome).toBe('wrong');
  });
});

it.each([
  ['yes', 'useful', true],
  ['no', 'wrong', false],
  ['depends', 'wrong', false],
] as const)('a verdict of %s, where yes is right, is %s whatever the words', (verdict, outcome, right) => {
  const yes = question({ accept: [[/recursive/]], verdicts: ['yes'] });
  const judged = judge(yes, answer('Functions may be recursive.', { verdict }));
  expect([judged.outcome, judged.verdict]).toEqual([outcome, right]);
});

it('without a verdict the words count, and the verdict is not right', () => {
  const yes = question({ accept: [[/recursive/]], verdicts: ['yes'] });
  const judged = judge(yes, answer('Functions may be recursive.'));
  expect([judged.outcome, judged.verdict]).toEqual(['useful', false]);
});

it.each([
  ['the right spelling', ['mapfile'], 'useful'],
  ['the word as it was written', ['mapfiel'], 'needless question'],
  ['another word', ['readline'], 'needless question'],
])('a misspelt question may be asked back with %s', (_, offered, outcome) => {
  const misspelt = question({ query: 'What does mapfiel do?', kind: 'misspelt', accept: [[/lines/]] });
  expect(judge(misspelt, refusal('ASK', offered)).outcome).toBe(outcome);
});

it.each([
  ['ABSTAIN', answer('x'), 'false answer'],
  ['ABSTAIN', refusal('ASK'), 'asked in vain'],
  ['ABSTAIN', refusal('ABSTAIN'), 'right silence'],
  ['ASK', answer('x'), 'guessed'],
  ['ASK', refusal('ASK'), 'asked back'],
  ['ASK', refusal('ABSTAIN'), 'not asked back'],
] as const)('where %s is due, %j', (expected, said, outcome) => {
  expect(judge(question({ expect: expected }), said).outcome).toBe(outcome);
});

it('compares words with the best gold answer, silence being 0', () => {
  const gold = question({ golds: ['press the red button', 'hold it'] });
  const judged = judge(gold, answer('Press the red button twice'));
  expect(judged.f1).toBeCloseTo(6 / 7);
  expect([judged.recall, judged.words, judged.outcome]).toEqual([1, 5, 'useful']);
  expect(judge(gold, answer('something else')).outcome).toBe('wrong');
  expect(judge(gold, refusal('ABSTAIN'))).toEqual({
    outcome: 'needless silence',
    verdict: null,
    f1: 0,
    recall: 0,
    words: null,
  });
});

it.each([
  ['a span inside', 'port 8080', 'the server listens on port 8080', true],
  ['a run of five words', 'and so the server listens on port 80', 'the server listens on port 8080', true],
  ['the same words in another order', 'port on listens server the', 'the server listens on port', false],
  ['nothing', '', 'the server', false],
])('overlap: %s', (_, a, b, expected) => {
  expect(overlap(a, b)).toBe(expected);
  expect(overlap(b, a)).toBe(expected);
});
