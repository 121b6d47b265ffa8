import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aboutParts,
  clarifiedQuestion,
  conditionQuestion,
  partIn,
  variableIn,
  withoutQuestion,
} from './index.ts';

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
    [
      'Different ways of searching find different answers.',
      'Which one is meant: "1 m" or "2 m"?',
      'interpretation',
    ],
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

describe('a message about questions of several', () => {
  const asked = 'Which plan do you mean: "basic plan" or "family plan"?';

  it('is read back as an exchange about the one that it names', () => {
    const message = aboutParts(['What does the plan cost?'], asked);
    expect(partIn(message)).toEqual({ part: 'What does the plan cost?', message: asked });
    expect(partIn(`The fee is 3 euros.\n${message}`)?.part).toBe('What does the plan cost?');
    const history = [
      { role: 'user' as const, text: 'What does the plan cost? Who sells it?' },
      { role: 'assistant' as const, text: message },
    ];
    expect(clarifiedQuestion('basic plan', history)).toEqual({
      asked,
      turn: 1,
      question: 'What does the plan cost?',
      questionTurn: 0,
      values: ['basic plan'],
    });
  });

  it('of two, or of one too long to be repeated, names them and is about the whole query', () => {
    expect(aboutParts(['A?', 'B?', 'C?'], 'No.')).toBe(
      'Of your questions, "A?", "B?" and "C?" are open. No.',
    );
    expect(partIn(aboutParts(['A?', 'B?'], asked))).toBeNull();
    expect(partIn(aboutParts(['word '.repeat(200)], asked))).toBeNull();
    expect(partIn(asked)).toBeNull();
  });

  it('holds whatever the question holds, on one line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }), (question) => {
        const message = aboutParts([question], asked);
        expect(message).not.toContain('\n');
        const part = question.replace(/\s+/g, ' ').replace(/["“”]/g, "'").trim();
        if (part !== '' && !part.endsWith('…')) expect(partIn(message)).toEqual({ part, message: asked });
      }),
    );
  });
});
