import { describe, expect, it } from 'vitest';
import { answersScored, evidence } from '../decision/testing/cases.ts';
import { runLayers } from './index.ts';
import { given, settings, told } from './testing/layers.ts';
import { bareThing, saysNothing } from './underspecified.ts';

it.each<[string, string | null]>([
  ['What is the default?', 'default'],
  ['What is the maximum size?', 'size'],
  ["What's the price?", 'price'],
  ['When is the meeting?', 'meeting'],
  ['How long does the process take?', 'process'],
  ['Which file is read?', 'file'],
  ['Who should I write to?', 'write'],
  ['What does -p do?', '-p'],
  ['What is the default of HISTSIZE?', null],
  ['What is the capital of France?', null],
  ['What is a limit?', null],
  ['When is the board meeting?', null],
  ['What does -p do in mkdir?', null],
  ['What is readline?', null],
  ['What does the parameter do?', 'parameter'],
  ['How much space is needed?', 'space'],
  ['Which port should I use?', 'port'],
  ['What does the parameter priority do?', null],
  ['What does the compiler do?', null],
  ['How much space is needed for swap?', null],
  ['', null],
])('%s names no more than %s', (query, thing) => {
  expect(bareThing(query)).toBe(thing);
});

it.each<[string, boolean]>([
  ['Which method is better?', true],
  ["What's the exit code?", true],
  ['What do I need?', true],
  ['Does the order matter?', true],
  ['How do I turn the feature off?', true],
  ['which option do i pick', true],
  ['How big is it?', false],
  ['Which method of payment is better?', false],
  ['What is the exit code of grep?', false],
  ['What does -p do?', false],
  ['What is 3?', false],
  ['What is the NEWS file?', false],
  ['How do I set a variable?', false],
  ['How do I set the variable?', true],
  ['How do I list files?', false],
  ['How do I exit?', false],
  ['What does update do?', false],
  ['What does the command do?', true],
  ['What is a function?', false],
  ['What is input?', false],
  ['Is there a limit?', true],
  ['How many are there?', true],
  ['How do I send both normal output and errors to one file?', false],
  ['What is "next"?', false],
  ['Read this.', false],
  ['The default has changed.', false],
  ['???', false],
  ['', false],
])('whether %s says nothing: %s', (query, nothing) => {
  expect(saysNothing(query)).toBe(nothing);
});

describe('a bare attribute', () => {
  const places = ['Uploads', 'Memory'].map((name) =>
    evidence({ title: `Manual > ${name}`, passageId: name, text: `The limit of ${name} is set here.` }),
  );
  const query = 'What is the limit?';
  const coverage = { terms: ['limit'], unknown: [], known: 1 };
  const span = { text: '1900', start: 0, end: 4, score: 1 };
  const answers = (...clusters: number[]) => ({
    ...answersScored(0.2),
    byPassage: new Map(clusters.map((cluster, i) => [places[i]!.passageId, { cluster, score: 0.2, span }])),
  });

  it('is asked back with the places that speak of it', () => {
    const { decided } = runLayers(
      given({ query, coverage, evidence: places, answers: answers(0, 1) }),
      settings(),
    );
    expect(decided).toMatchObject({
      effect: 'ASK',
      reason: 'UNDERSPECIFIED',
      suggestions: ['Manual > Uploads', 'Manual > Memory'],
    });
  });

  it('is refused where the documents hardly speak of it', () => {
    const unknown = { terms: ['limit'], unknown: ['limit'], known: 0 };
    const none = places.map((place) => ({ ...place, text: 'Something else.', title: 'Manual' }));
    expect(told({ query, coverage: unknown, evidence: none })).toContain('TERMS_NOT_COVERED');
  });

  it.each([
    ['one place speaks of it', { evidence: [places[0]!], answers: answers(0) }],
    ['all places say the same', { evidence: places, answers: answers(0, 0) }],
    [
      'a place is far less relevant',
      {
        evidence: [
          places[0]!,
          evidence({ ...places[1]!, scores: { ...places[1]!.scores, relevance: 0.05 } }),
        ],
        answers: answers(0, 1),
      },
    ],
  ])('is let through where %s', (_, more) => {
    expect(told({ query, coverage, ...more })).toBe('OPEN');
  });
});

describe('a question that says nothing', () => {
  const query = 'Which method is better?';
  const places = ['Uploads', 'Memory'].map((name) =>
    evidence({ title: `Manual > ${name}`, passageId: name, text: `Of ${name} there are two kinds.` }),
  );

  it('is asked what it is about, with what the nearest passages are about', () => {
    const { decided } = runLayers(given({ query, evidence: places }), settings());
    expect(decided).toMatchObject({
      effect: 'ASK',
      reason: 'UNDERSPECIFIED',
      message: expect.stringContaining(
        'Is it about "Manual > Uploads" or "Manual > Memory", or something else?',
      ),
      suggestions: ['Manual > Uploads', 'Manual > Memory'],
    });
  });

  it('is answered where one place alone answers', () => {
    const coverage = { terms: ['two'], unknown: [], known: 1 };
    const relevant = places.map((place, i) =>
      evidence({ ...place, scores: { ...place.scores, relevance: [0.9, 0.3][i]! } }),
    );
    expect(told({ query, coverage, evidence: relevant })).toBe('OPEN');
    const both = relevant.map((place) => ({ ...place, scores: { ...place.scores, relevance: 0.9 } }));
    expect(told({ query, coverage, evidence: both })).toContain('UNDERSPECIFIED');
  });

  it('is let through where turns before it may say it', () => {
    const coverage = { terms: ['two'], unknown: [], known: 1 };
    const history = [{ role: 'user' as const, text: 'How do I upload?' }];
    expect(told({ query, coverage, evidence: places, history })).toBe('OPEN');
  });

  it('is answered where one answer is sure', () => {
    const span = { text: 'the first', start: 0, end: 9, score: 1 };
    const answers = {
      ...answersScored(0.9),
      byPassage: new Map([['Uploads', { cluster: 0, score: 0.9, span }]]),
    };
    const coverage = { terms: ['two'], unknown: [], known: 1 };
    expect(told({ query, coverage, evidence: places, answers })).toBe('OPEN');
  });

  it('is no question without an end', () => {
    expect(saysNothing('which one is '.repeat(10_000))).toBe(false);
  });
});
