import { expect, it } from 'vitest';
import { breadcrumbs } from './breadcrumbs.ts';

it.each<[string, string[], string[]]>([
  ['git-stash(1)', ['git-stash(1) Manual Page', 'NAME'], ['git-stash(1)', 'NAME']],
  ['Pumps', ['Pumps', 'Parts'], ['Pumps', 'Parts']],
  [
    'json — JSON encoder — Python docs',
    ['json — JSON encoder', 'Basic Usage'],
    ['json — JSON encoder — Python docs', 'Basic Usage'],
  ],
  ['6.6. Checking Packages', ['6.6. Checking Packages'], ['6.6. Checking Packages']],
  ['Invoking Bash (Bash Reference Manual)', ['6.1 Invoking Bash'], ['Invoking Bash (Bash Reference Manual)']],
  ['Pumps', ['Pumps for water', 'Care'], ['Pumps', 'Pumps for water', 'Care']],
  ['Options', ['Options and arguments'], ['Options', 'Options and arguments']],
  ['C API', ['API'], ['C API', 'API']],
  ['Guide', ['Start', 'Start', 'End'], ['Guide', 'Start', 'End']],
  ['', ['', 'A'], ['A']],
  ['日本', ['日本', '水'], ['日本', '水']],
])('%s and %j', (title, headings, expected) => {
  expect(breadcrumbs(title, headings)).toEqual(expected);
});
