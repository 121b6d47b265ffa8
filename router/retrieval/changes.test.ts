import { expect, it } from 'vitest';
import { asksForChanges, isOfChangeLog } from './changes.ts';

it.each([
  ['docs/CHANGELOG.md', 'Notes'],
  ['html/changes.html', 'Important notes'],
  ['doc/NEWS.gz', ''],
  ['HISTORY.rst', ''],
  ['release-notes.txt', 'x'],
  ['manual.html', 'Manual > Change Log > Version 1.2.0 (2019-02-24)'],
  ['manual.html', 'Manual > What’s new in 3.11'],
  ['manual.html', 'Manual > Changes since 4.2'],
  ['manual.html', 'Release notes'],
  ['CHANGELOG-1.x.md', ''],
  ['CHANGELOG.markdown', ''],
  ['NEWS-2.0', ''],
  ['doc/changes/1.2.html', 'Notes'],
  ['release-3-7.html', 'Release 3.7 > A.85.2. Major Enhancements'],
  ['manual.html', 'Manual > 5. Older Release Notes > 5.21. Tool 2.4.1 (2019-09-11)'],
  ['manual.html', 'Manual > 5.45. Release Notes for Tool 0.9.13'],
])('%s, "%s" is a change log', (docId, title) => {
  expect(isOfChangeLog({ docId, title })).toBe(true);
});

it.each([
  ['docs/history.md', 'History of the town'],
  ['news.html', 'News'],
  ['exchanges.html', 'Exchanges'],
  ['changes-of-address.html', 'Changes of address'],
  ['bash.html', 'Bash > Using History Interactively'],
  ['policy.html', 'Privacy policy > Changes to this policy'],
  ['x.html', ''],
  ['docs/tracking-changes.html', 'Tracking changes'],
  ['press-releases.html', 'Press'],
  ['town.html', 'Town > Changes since 1945'],
  ['label.html', 'Release forms'],
  ['x.html', 'What is new public management?'],
])('%s, "%s" is none', (docId, title) => {
  expect(isOfChangeLog({ docId, title })).toBe(false);
});

it.each([
  ['What has changed in 2.0?', true],
  ['What is new in the latest release?', true],
  ['Since when is zstd supported?', true],
  ['Was --stats removed?', true],
  ['Which version introduced append-only mode?', true],
  ['When was borg compact added?', true],
  ['Which bugs were fixed?', true],
  ['What changes were made to the command line?', true],
  ['Is --foo still supported?', true],
  ['How do I change the passphrase?', false],
  ['How do I add a new currency?', false],
  ['What does borg compact do?', false],
  ['Which Python version is needed?', false],
])('"%s" asks for changes: %s', (query, asks) => {
  expect(asksForChanges(query)).toBe(asks);
});
