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
  const claim = asClaim(act('NOT_A_QUESTION'), text, () => known);
  expect(claim).toMatchObject({ label: 'VERIFICATION', confident: false });
  expect(Object.values(claim.probabilities).reduce((a, b) => a + b, 0)).toBe(1);
  expect(claim.probabilities.NOT_A_QUESTION).toBe(0);
  for (const other of [
    { ...known, known: 0.5 },
    { ...known, terms: ['retention'] },
    { ...known, known: Number.NaN },
  ]) {
    expect(asClaim(act('NOT_A_QUESTION'), text, () => other).label).toBe('NOT_A_QUESTION');
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
  expect(asClaim(act('NOT_A_QUESTION'), text, () => known).label).toBe('NOT_A_QUESTION');
});

it('leaves other acts alone', () => {
  expect(asClaim(act('FACT'), 'Retention has been changed to 30 days.', () => known)).toEqual(act('FACT'));
});
