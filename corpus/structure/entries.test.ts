import { expect, it } from 'vitest';
import { splitDocument } from '../passages/split.ts';
import { textBlocks } from '../readers/text.ts';
import { keysOf, sectionNames } from './entries.ts';

it.each([
  ['borg prune — Borg 1.2 documentation > Description', ['Description', 'borg prune']],
  ['Pumps > 3.1 Valve > 3.1.1 Overview', ['3.1.1 Overview', '3.1 Valve']],
  ['Pumps > Valve > Examples', ['Examples']],
  ['Vignetting - The Wiki', ['Vignetting - The Wiki', 'Vignetting']],
  ['Description', ['Description']],
])('%s is about %j, among others', (title, names) => {
  expect(sectionNames(title)).toEqual(expect.arrayContaining(names));
});

it('an entry that is longer than a passage is explained by the passage in which it begins', () => {
  const entries = ['wall', 'gate', 'moat'].map(
    (term) =>
      `${term}\n${Array.from({ length: 12 }, (_, i) => `  ${term}s are built in year ${i}.`).join('\n')}`,
  );
  const text = entries.join('\n\n');
  const read = { docId: 'd', title: 'T', source: 's', text, ...textBlocks(text), positionAt: () => '1:1' };
  const countTokens = (some: string) => some.split(/\s+/).length;
  const passages = splitDocument(read, { maxTokens: 40, countTokens });
  expect(passages.length).toBeGreaterThan(3);
  const explaining = passages.filter((passage, ordinal) => {
    const parts = read.parts.filter(({ start, end }) => start < passage.end && end > passage.start);
    return keysOf(passages, ordinal, parts).entries.has('gate');
  });
  expect(explaining.map((passage) => passage.text.slice(0, 5))).toEqual(['gate\n']);
});
