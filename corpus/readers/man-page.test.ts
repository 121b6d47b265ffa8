import { expect, it } from 'vitest';
import { isManPage, readManPage } from './man-page.ts';

const PAGE = `WALL(1)                      Builder's Manual                      WALL(1)

NAME
       wall - build walls

SYNOPSIS
       wall [serve]
              [-n]

DESCRIPTION
       It  builds  a wall of bricks where the founda‐
       tions bear it.

   How high is it?
       As high as ‘--rows’ says:

       • low

       • high, where the wind
         is weak

       1. Dig.

             spade --deep

       2. Lay.

OPTIONS
       -n     builds nothing and says what
              it would build

       -q     says nothing

       rows (mandatory)
              how many rows

       --force, -f
              builds at once

              also at night

SEE ALSO
       house(1)

Builder 2.1                      June 2020                         WALL(1)
`;

function read(source: string) {
  const { title, text, blocks, parts, positionAt } = readManPage(source);
  const shown = blocks.map(({ start, end, headings, kind }) => [
    kind,
    text.slice(start, end).replace(/\s+/g, ' '),
    headings.join(' > '),
  ]);
  const terms = parts.flatMap(({ kind, start, end }) => (kind === 'term' ? [text.slice(start, end)] : []));
  const items = parts.flatMap(({ kind, start, end, ordered }) =>
    kind === 'item' ? [[text.slice(start, end).replace(/\s+/g, ' '), ordered]] : [],
  );
  return { title, text, shown, terms, items, positionAt };
}

it('reads what man prints: sections and those within them, options with what is said of them, lists, whole words', () => {
  const { title, text, shown, terms, items, positionAt } = read(PAGE);
  expect(title).toBe('wall(1)');
  expect(shown).toEqual([
    ['prose', 'wall - build walls', 'NAME'],
    ['prose', 'wall [serve] [-n]', 'SYNOPSIS'],
    ['prose', 'It builds a wall of bricks where the foundations bear it.', 'DESCRIPTION'],
    ['prose', 'As high as ‘--rows’ says:', 'DESCRIPTION > How high is it?'],
    ['list', '• low • high, where the wind is weak', 'DESCRIPTION > How high is it?'],
    ['list', '1. Dig. spade --deep 2. Lay.', 'DESCRIPTION > How high is it?'],
    ['prose', '-n builds nothing and says what it would build', 'OPTIONS > -n'],
    ['prose', '-q says nothing', 'OPTIONS > -q'],
    ['prose', 'rows (mandatory) how many rows', 'OPTIONS > rows (mandatory)'],
    ['prose', '--force, -f builds at once also at night', 'OPTIONS > --force, -f'],
    ['prose', 'house(1)', 'SEE ALSO'],
  ]);
  expect(terms).toEqual(['-n', '-q', 'rows (mandatory)', '--force, -f']);
  expect(items).toEqual([
    ['low', false],
    ['high, where the wind is weak', false],
    ['Dig. spade --deep', true],
    ['Lay.', true],
  ]);
  expect(positionAt(text.indexOf('bear it'))).toBe('12:14');
  expect(positionAt(text.indexOf('-q'))).toBe('32:8');
});

it('reads several pages one after the other, each under its name, and the kind that mandoc prints', () => {
  const mandoc = `GATE(8)                 System Manager's Manual                GATE(8)

NAME
     gate – opens and closes

DESCRIPTION
     The gate opens.

   Locks
     None.

Debian                       May 1, 2021                       Debian
`;
  const { title, shown } = read(`${PAGE}\n${mandoc}`);
  expect(title).toBe('wall(1)');
  expect(shown.slice(-4)).toEqual([
    ['prose', 'house(1)', 'SEE ALSO'],
    ['prose', 'gate – opens and closes', 'gate(8) > NAME'],
    ['prose', 'The gate opens.', 'gate(8) > DESCRIPTION'],
    ['prose', 'None.', 'gate(8) > DESCRIPTION > Locks'],
  ]);
  expect(read(mandoc).title).toBe('gate(8)');
});

it.each<[string, boolean]>([
  ['', false],
  ['\n\n  LS(1)   User Commands   LS(1)\n', true],
  ['LS(1)\n\nNAME\n  ls\n', false],
  ['See ls(1) and cat(1).\n', false],
  ['Total (1)    2    Total (1)\n', false],
  [`ls(1)${' '.repeat(1_000_000)}cat(1)\n`, false],
])('%# is one: %s', (text, is) => {
  expect(isManPage(text)).toBe(is);
});

it.each([
  'LS(1)   User Commands   LS(1)',
  'LS(1)   User Commands   LS(1)\n',
  'LS(1)   U   LS(1)\nNAME\nLS(1)   U   LS(1)\n   x\n',
  `LS(1)   U   LS(1)\na${' '.repeat(1_000_000)}b\n${'ls(1)   '.repeat(100_000)}\n`,
  `LS(1)   U   LS(1)\n${'       ‐\n'.repeat(2000)}`,
  `LS(1)   U   LS(1)\n\nNAME\n       ls\n\n${'       1. one\n\n'.repeat(5000)}`,
])('reads one that is cut, empty or all of one thing: %#', (source) => {
  const { blocks, text } = readManPage(source);
  for (const { start, end } of blocks) expect(text.slice(start, end).trim()).not.toBe('');
});
