import { expect, it } from 'vitest';
import { termKeys, withoutNumber, writtenAs } from './terms.ts';

it.each([
  ['--autosquash', ['autosquash']],
  ['“Bare Repository”:', ['bare repository']],
  ['-n <number>, --max-count=<number>', ['n', 'max-count']],
  ['<sync-mailbox>', ['sync-mailbox']],
  ['CG COMPLETING', ['cg completing', 'cg', 'completing']],
  ['$edit_headers', ['$edit_headers', 'edit_headers']],
  ['--[no-]rebase[=(false|true|merges)]', ['rebase', 'no-rebase']],
  ['--[no-]rebase', ['rebase', 'no-rebase']],
  ['-c or --check', ['c', 'check']],
  ['printf [-v var] format [arguments]', ['printf']],
  ['class argparse.ArgumentParser(prog=None, usage=None)', ['argparse.argumentparser', 'argumentparser']],
  ['os.path.join(path, *paths)', ['os.path.join', 'join']],
  ['Variable: make_flags', ['make_flags']],
  ['core.autocrlf', ['core.autocrlf']],
  ['RAID 1', ['raid 1', 'raid1']],
  ['?', ['?']],
  ['__proto__', ['proto']],
])('%s is found by %j', (term, keys) => {
  expect(termKeys(term)).toEqual(expect.arrayContaining(keys));
});

it.each(['API TOKEN', 'SEE ALSO', 'SQL SERVER', 'PDF FILES'])('takes %s for no code', (term) => {
  expect(termKeys(term)).toEqual([term.toLowerCase()]);
});

it('takes no arguments and no sentence for names', () => {
  expect(termKeys('os.path.join(path, *paths)')).not.toContain('paths)');
  expect(termKeys('')).toEqual([]);
  expect(termKeys('word '.repeat(100))).toEqual([]);
  expect(termKeys('('.repeat(200)).length).toBeLessThan(5);
});

it.each([
  ['-A', '-A', true],
  ['-a, --all', '-A', false],
  ['-a, --all[=WHEN]', '--all', true],
  ['-a, --all', 'all', false],
  ['Mode', '“Mode”', true],
  [null, 'Mode', false],
])('%s is written as %s: %s', (term, wanted, expected) => {
  expect(writtenAs(term, wanted)).toBe(expected);
});

it.each([
  ['3.1.2.2 Single Quotes', 'Single Quotes'],
  ['7. Job Control', 'Job Control'],
  ['Appendix B Major Differences', 'Major Differences'],
  ['B.2 Preseeding', 'Preseeding'],
  ['Chapter 4: Booting', 'Booting'],
  ['A Sample Init File', 'A Sample Init File'],
  ['1984', '1984'],
])('%s is the section of %s', (heading, name) => {
  expect(withoutNumber(heading)).toBe(name);
});
