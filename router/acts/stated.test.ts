import { describe, expect, it } from 'vitest';
import { statedIn } from './stated.ts';

describe('what a text states', () => {
  it.each([
    ['The deadline for applications has moved to May 3.', 'The deadline for applications'],
    ['The deadline has been moved to May 3', 'The deadline'],
    ['The board moved the deadline to May 3.', 'the deadline'],
    ['They have extended the application deadline until May 10.', 'the application deadline'],
    ['The fee is now 50 crowns.', 'The fee'],
    ['The fee was abolished.', 'The fee'],
    ['Late applications are no longer accepted.', 'Late applications'],
    ['deadline has moved to may 3', 'deadline'],
    ['the fee went up to 50 crowns', 'the fee'],
    ['Applications are due on May 3.', 'Applications'],
    ['The registrar has changed the opening hours.', 'the opening hours'],
    ['The cache’s default size was raised.', "The cache's default size"],
  ])('%j is about what changed', (text, about) => {
    expect(statedIn(text)).toMatchObject({ about, changed: true });
  });

  it.each([
    ['I heard that the deadline was moved to May 3.', 'The deadline was moved to May 3.'],
    ['By the way, the registry is closed on Fridays.', 'The registry is closed on Fridays.'],
    ['FYI: the registry now opens at 8.', 'The registry now opens at 8.'],
    ['According to the dean, the deadline is May 3.', 'The deadline is May 3.'],
    ['Please note that late applications are accepted.', 'Late applications are accepted.'],
  ])('%j is read without what leads up to it', (text, said) => {
    expect(statedIn(text)!.text).toBe(said);
  });

  it.each([
    'My programme has changed to Physics.',
    'I have moved to Prague.',
    'I just wanted to say that the retention was changed.',
    'Our flat has been sold.',
    'It has been raining since May.',
    'Please move the deadline to May 3.',
    'Has the deadline moved to May 3?',
    'Has the deadline moved to May 3',
    'Tell me if the deadline has changed.',
    'Say whether the fee was raised.',
    'What is the fee now?',
    'I heard that my fee was raised.',
    'By the way, where is the registry now?',
    'Thanks, that has been raised before.',
    'deadline for applications',
    'By the way, ',
    '',
  ])('%j states nothing that documents could bear out', (text) => {
    expect(statedIn(text)).toBeNull();
  });

  it('takes time linear in the text', () => {
    for (const piece of ['the deadline ', 'was ', 'now ', 'according to ', 'has been ']) {
      expect(() => statedIn(piece.repeat(100_000))).not.toThrow();
      statedIn(piece.repeat(250));
    }
  });
});
