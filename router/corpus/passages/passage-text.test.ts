import { expect, it } from 'vitest';
import { passageText } from './passage-text.ts';

it.each([
  ['', 'Text.', 'Text.'],
  ['Title', 'Text.', 'Title: Text.'],
  ['Title > Part', 'Text.', 'Title > Part: Text.'],
  ['Title > Part > Chapter > Section', 'Text.', 'Title > Section: Text.'],
  ['x'.repeat(300), 'Text.', `${'x'.repeat(120)}: Text.`],
])('%s', (title, text, expected) => {
  expect(passageText({ title, text })).toBe(expected);
});
