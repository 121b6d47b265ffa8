import { expect, it } from 'vitest';
import type { ActDistribution } from '../../profiles/index.ts';
import { ACTS } from '../../profiles/index.ts';
import { asClaim } from './claim.ts';

const act = (label: 'FACT' | 'NOT_A_QUESTION'): ActDistribution => ({
  label,
  probabilities: Object.fromEntries(ACTS.map((name) => [name, name === label ? 1 : 0])) as never,
  confident: true,
});
const known = { terms: ['retention', 'changed', 'days'], known: 0.9 };

it.each([
  'Retention has been changed to 30 days.',
  'The daemon is stopped by SIGTERM.',
  'The daemon is stopped by SIGTERM',
  'A readonly variable can be removed with unset.',
  'An empty IFS means that words are not split at all.',
])('%s is a claim where the documents know its words', (text) => {
  const { act: claim, claim: said } = asClaim(act('NOT_A_QUESTION'), text, () => known);
  expect(said!.text).toBe(text);
  expect(claim).toMatchObject({ label: 'VERIFICATION', confident: false });
  expect(Object.values(claim.probabilities).reduce((a, b) => a + b, 0)).toBe(1);
  expect(claim.probabilities.NOT_A_QUESTION).toBe(0);
  for (const other of [
    { ...known, known: 0.5 },
    // What changed may be one word.
    { ...known, terms: said!.changed ? [] : ['retention'] },
    { ...known, known: Number.NaN },
  ]) {
    expect(asClaim(act('NOT_A_QUESTION'), text, () => other).act.label).toBe('NOT_A_QUESTION');
  }
});

it.each([
  'Thanks, that was very helpful!',
  'I just wanted to say that the retention was changed.',
  'Our neighbours have changed the retention.',
  'Please change the retention to 30 days.',
  'you too, bye',
  'retention limits',
  '',
])('%j stays what it is', (text) => {
  expect(asClaim(act('NOT_A_QUESTION'), text, () => known).act.label).toBe('NOT_A_QUESTION');
});

it('is one whatever the classifier says, where it is written as only claims are; else other acts stay', () => {
  const { act: said } = asClaim(act('FACT'), 'Retention has been changed to 30 days.', () => known);
  expect(said.label).toBe('VERIFICATION');
  expect(Object.values(said.probabilities).reduce((a, b) => a + b, 0)).toBe(1);
  for (const query of [
    'a daemon is stopped by SIGTERM.',
    'A daemon is stopped by SIGTERM',
    'Say how retention has been changed to 30 days.',
    'In which year retention was changed.',
    'Has retention been changed to 30 days?',
  ]) {
    expect(asClaim(act('FACT'), query, () => known).act).toEqual(act('FACT'));
  }
});

it('may be a whole paragraph, and says what it says by verbs that no list knows', () => {
  const paragraph = `The daemon reopens its log. ${'Retention has been changed to 30 days, as the days pass. '.repeat(20)}`;
  for (const text of [paragraph, 'Privoxy listens on port 8118 by default.']) {
    expect(asClaim(act('NOT_A_QUESTION'), text, () => known).act.label).toBe('VERIFICATION');
  }
  expect(asClaim(act('NOT_A_QUESTION'), 'material properties of shells.', () => known).act.label).toBe(
    'NOT_A_QUESTION',
  );
});
