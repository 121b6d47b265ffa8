import { describe, expect, it } from 'vitest';
import { conditionQuestion, variableIn, withoutQuestion } from './index.ts';

describe('a question of ours', () => {
  it.each([
    [
      'The vocabulary has several meanings of "set".',
      'Which one do you mean: "Set (A group.)" or "Set (A game.)"?',
      'set',
    ],
    ['The vocabulary does not have "fedder".', 'What do you mean by it?', 'fedder'],
    ['The vocabulary does not have "fedder".', 'Did you mean "feeder"?', 'fedder'],
    ['The documents do not know "fedder" or "lime".', 'Did you mean "feeder" or "line"?', 'fedder'],
    ['ADR-0050 occurs nowhere in the documents.', 'Did you mean ADR-0005 or ADR-0051?', 'ADR-0050'],
    [
      'The documents give different answers: "1 m" (Heron) and "2 m" (Tern).',
      'Which one is it about: "Heron" or "Tern"?',
      'subject',
    ],
    ['Different ways of searching find different answers.', 'Which one is meant: "1 m" or "2 m"?', 'reading'],
    ['', 'Which of these is it about: "Heron" or "Tern"?', 'subject'],
    ['', 'What exactly do you want to know about "Heron"?', 'Heron'],
    ['', 'What exactly do you want to know?', 'question'],
    ['', 'Who does "he" refer to?', 'he'],
  ])('%s %s asks for one thing and can be left out', (said, question, variable) => {
    const message = `${said} ${question}`.trim();
    expect([variableIn(message), withoutQuestion(message)]).toEqual([variable, said]);
  });

  it('about a condition leaves the condition', () => {
    const message = conditionQuestion('"you are 60 or over"');
    expect(variableIn(message)).toBe('you are 60 or over');
    expect(withoutQuestion(message)).toBe('The answer depends on this condition: "you are 60 or over".');
  });

  it('is none where a message only tells', () => {
    const message = 'A candidate is "Which one is it?", but it is not certain enough.';
    expect([variableIn(message), withoutQuestion(message)]).toEqual([null, message]);
  });
});
