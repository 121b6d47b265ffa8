import { describe, expect, it } from 'vitest';
import type { Entailment } from '../types.ts';
import { chooseAnswer, planNli, type ScoredPassage, signalsFrom } from './index.ts';
import { answerWords, sameAnswer } from './text.ts';

describe('sameAnswer', () => {
  it.each([
    ['University of Oslo', 'University of Bergen', false],
    ['Dr. Maria Lopez', 'Dr. Maria Gomez', false],
    ['Charles I of England', 'Charles II of England', false],
    ['north of the river', 'south of the river', false],
    ['before the annual board meeting', 'after the annual board meeting', false],
    ['-5', '5', false],
    ['−5 degrees', '5 degrees', false],
    ['minus 5 degrees', '-5 degrees', true],
    ['from Oslo to Bergen', 'from Bergen to Oslo', false],
    ['5 people', '5 million people', false],
    ['5 million people', '5 billion people', false],
    ['University of Oslo', 'the University of Oslo, Norway', true],
    ['Maria Lopez', 'Dr. Maria Lopez', true],
    ['Dr. Maria Lopez', 'Maria Elena Lopez, Dr.', true],
    ['three rain sensors', 'three rain sensor', true],
    ['director of the institute', 'director at the institute', true],
    ['May 5, 1900', '5 May 1900', true],
    ['5-10 km', '5 to 10 km', true],
    ['ADR-12', 'ADR 12', true],
    ['$500', '€500', false],
    ['$500', '500 dollars', true],
    ['$5 million', '5 million dollars', true],
    ['$500', '500', true],
    ['5%', '$5', false],
    ['5%', '5 days', false],
    ['5%', '5 per cent', true],
    ["aren't allowed", 'allowed', false],
    ["aren't allowed", 'are not allowed', true],
    ['isn’t covered', 'covered', false],
    ["don't need a permit", 'need a permit', false],
    ['cannot be refunded', 'be refunded', false],
    ["can't be refunded", 'cannot be refunded', true],
    ["won't", 'will not', true],
  ])('%s and %s: %s', (a, b, same) => {
    expect(sameAnswer(answerWords(a), answerWords(b))).toBe(same);
    expect(sameAnswer(answerWords(b), answerWords(a))).toBe(same);
  });
});

const QUESTION = 'Where did Ilse Varnholt study?';
const studied = (answer: string): string =>
  `Ilse Varnholt did study meteorology at the ${answer} for six years before she came to Ostrel to lead the team.`;

function passage(key: string, answer: string, cut: [number, number] = [0, 0]): ScoredPassage {
  const text = studied(answer);
  const start = text.indexOf(answer);
  return {
    key,
    docId: key,
    title: '',
    text,
    branches: ['lexical'],
    relevance: { score: 0.99, logit: 10, tokens: 10, truncatedTokens: cut[0] },
    reading: {
      best: { text: answer, start, end: start + answer.length, score: 5 },
      alternatives: [],
      lead: null,
      noAnswer: -10,
      margin: 15,
      tokens: 10,
      truncatedTokens: cut[1],
    },
  };
}

describe('a source that names another one of the same name', () => {
  it.each([
    ['University of Oslo', 'University of Bergen'],
    ['Dr. Maria Lopez institute', 'Dr. Maria Gomez institute'],
  ])('%s against %s is a source of its own and raises C', (one, other) => {
    const passages = [passage('a', one), passage('b', other)];
    const answers = chooseAnswer(QUESTION, passages);
    expect(answers).toMatchObject({ sources: 2, duplicatesRemoved: 0 });
    const plan = planNli(QUESTION, passages, answers, 10);
    const scores = plan.pairs.map(({ premise, hypothesis }): Entailment => {
      const agrees = [one, other].some((name) => premise.includes(name) && hypothesis.includes(name));
      const [entailment, contradiction] = agrees ? [0.95, 0.02] : [0.02, 0.95];
      return { entailment, contradiction, neutral: 0.03, tokens: 10, truncatedTokens: 0 };
    });
    expect(signalsFrom(passages, answers, plan, scores).C).toBeCloseTo(0.5, 2);
  });
});

describe('truncated tokens', () => {
  it('are counted once for the pair that reranker and reader both see', () => {
    const passages = [
      passage('a', 'University of Oslo', [7, 7]),
      passage('b', 'University of Bergen', [0, 3]),
    ];
    const answers = chooseAnswer(QUESTION, passages);
    const plan = planNli(QUESTION, passages, answers, 0);
    expect(signalsFrom(passages, answers, plan, []).counts.truncatedTokens).toBe(10);
  });
});
