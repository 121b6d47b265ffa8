import { expect, it } from 'vitest';
import { withHelpOptions } from './help-options.ts';
import { NO_LIST } from './outline.ts';

/** The rows of a text that is all code, as term and words. */
function rows(text: string): [string | null, string][] {
  const code = { ...NO_LIST, kind: 'code' as const, start: 0, end: text.length };
  const [first, ...made] = withHelpOptions(text, [code]);
  expect(first).toBe(code);
  expect(made.every(({ kind, list }) => kind === 'row' && list === 1)).toBe(true);
  expect(made.map(({ position }) => position)).toEqual(made.map((_, i) => i + 1));
  return made.map(({ term, start, end }) => [term, text.slice(start, end).replace(/\s+/g, ' ')]);
}

it('takes each option of what --help prints for a row, with the lines that go on with it', () => {
  const help = `Usage: keep [flags] DIR

Flags:
  -n, --dry-run              write nothing
  -e, --exclude pattern      leave out what matches
                             (may be given twice)
      --limit=N              so many at most

Exit status is 0.`;
  expect(rows(help)).toEqual([
    ['-n, --dry-run', '-n, --dry-run write nothing'],
    ['-e, --exclude pattern', '-e, --exclude pattern leave out what matches (may be given twice)'],
    ['--limit=N', '--limit=N so many at most'],
  ]);
});

it('knows options whose words stand below them, and leaves out those of which nothing is said', () => {
  const help = '-a\n\n--config <file>\n    where settings stand\n--quiet\n    say nothing\n--last';
  expect(rows(help)).toEqual([
    ['--config <file>', '--config <file> where settings stand'],
    ['--quiet', '--quiet say nothing'],
  ]);
});

it.each([
  ['a command over several lines', 'run \\\n  -v /a:/b \\\n  --name x \\\n  image'],
  ['a list of files', '-rw-r--r--  1 ann  12 a.txt\n-rwxr-xr-x  1 ann  12 b.txt'],
  ['a patch', '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-one  two\n-three  four'],
  ['one line that looks like one', 'keep\n  --dry-run   writes nothing'],
  ['dashes before words', '- one  two\n- three  four'],
])('makes no rows of %s', (_, code) => {
  expect(rows(code)).toEqual([]);
});

it('is done soon with lines that were made to be slow', () => {
  const line = `  --${'a '.repeat(150)}`;
  expect(rows(`${'-a=b '.repeat(60)}\n${`${line}\n`.repeat(500)}`)).toEqual([]);
});
