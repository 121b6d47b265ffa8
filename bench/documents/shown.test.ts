import { expect, it } from 'vitest';
import type { Decision } from '../../router/index.ts';
import { countWords, shownOf } from './shown.ts';

type Answer = NonNullable<Decision['answer']>;

const answer = (text: string, more: Partial<Answer> = {}): Answer => ({
  form: 'span',
  text,
  quotes: [{ text, docId: 'd', passageId: 'p', start: 0, end: text.length, role: 'answer' }],
  verdict: null,
  band: 'HIGH',
  claim: null,
  cut: null,
  ...more,
});

const part = (action: Decision['action'], said?: Answer) =>
  ({ query: 'q', action, ...(said && { answer: said }) }) as Decision['parts'][number];

it('an answer with its quotes as text', () => {
  expect(
    shownOf({ action: 'ANSWER', answer: answer('Yes.', { form: 'verdict', verdict: 'yes' }), parts: [] }),
  ).toEqual({
    text: 'Yes.',
    quotes: ['Yes.'],
    verdict: 'yes',
    form: 'verdict',
    band: 'HIGH',
    cut: null,
  });
});

it('parts together where the whole has no answer of its own', () => {
  const parts = [
    part('ANSWER', answer('one')),
    part('ANSWER', answer('two', { band: 'LOW', cut: 'the rest' })),
  ];
  expect(shownOf({ action: 'ANSWER', parts })).toEqual({
    text: 'one\n\ntwo',
    quotes: ['one', 'two'],
    verdict: null,
    form: 'parts',
    band: 'LOW',
    cut: 'the rest',
  });
});

it('nothing where the whole is not answered, whatever its parts are', () => {
  expect(shownOf({ action: 'ABSTAIN', parts: [part('ANSWER', answer('one')), part('ABSTAIN')] })).toBeNull();
  expect(shownOf({ action: 'ANSWER', parts: [] })).toBeNull();
});

it.each([
  ['', 0],
  [' a  b\n\tc ', 3],
])('words in %j', (text, words) => {
  expect(countWords(text)).toBe(words);
});
