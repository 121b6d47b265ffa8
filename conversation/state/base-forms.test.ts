import fc from 'fast-check';
import { expect, it } from 'vitest';
import { baseForms } from './base-forms.ts';

it('knows irregular verbs and nouns', () => {
  expect(baseForms('kept')).toContain('keep');
  expect(baseForms('chosen')).toContain('choose');
  expect(baseForms('mice')).toContain('mouse');
  expect(baseForms('keep')).not.toContain('keep');
});

it('takes any text for a word', () => {
  fc.assert(
    fc.property(fc.string(), (word) => {
      for (const form of baseForms(word)) expect(form).not.toBe(word);
    }),
  );
  for (const odd of ['__proto__', 'constructor', 'toString', '0099', '\u{1F680}', 's'.repeat(10_000)]) {
    expect(baseForms(odd)).not.toContain(odd);
  }
});
