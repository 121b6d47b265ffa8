import { expect, it } from 'vitest';
import { passageText } from './passage-text.ts';

it.each([
  ['', 'Text.', 'Text.'],
  ['Title', 'Text.', 'Title: Text.'],
  ['Title > Part', 'Text.', 'Title > Part: Text.'],
  ['Title > Part > Chapter > Section', 'Text.', 'Title > Section: Text.'],
  ['x'.repeat(300), 'Text.', `${'x'.repeat(120)}: Text.`],
  [`${'x'.repeat(300)} > --all`, 'Text.', `${'x'.repeat(112)} > --all: Text.`],
  ['bash > Builtins > mapfile > -d', 'Text.', 'bash > mapfile > -d: Text.'],
  [`x > y > ${'z'.repeat(300)}`, 'Text.', `x > ${'z'.repeat(87)}: Text.`],
])('%s', (title, text, expected) => {
  expect(passageText({ title, text })).toBe(expected);
});
