import { expect, it } from 'vitest';
import { contentStems } from '../../conversation/index.ts';
import type { Act } from '../../profiles/index.ts';
import {
  actByForm,
  asksAs,
  entryAlone,
  entryAsked,
  formAsked,
  holdsNumber,
  isOfKind,
  severalAsked,
  sidesAsked,
  stepAsked,
  wordAlone,
} from './asked.ts';

it.each<[string, Act, string]>([
  ['Who wrote it?', 'FACT', 'span'],
  ['How many tags are there?', 'QUANTITY', 'span'],
  ['What is a bare repository?', 'DEFINITION', 'definition'],
  ['What does the option --autosquash do?', 'FACT', 'definition'],
  ['How do I rename a branch?', 'PROCEDURE', 'steps'],
  ['Why was it slow?', 'FACT', 'explanation'],
  ['Is the cache kept?', 'FACT', 'verdict'],
  ['Should I keep the cache or the log?', 'VERIFICATION', 'comparison'],
  ['Should I keep the cache or not?', 'VERIFICATION', 'verdict'],
  ['The cache is kept.', 'VERIFICATION', 'verdict'],
  ['What is the difference between soft and hard?', 'DEFINITION', 'comparison'],
])('%s (%s): %s', (query, act, form) => {
  expect(formAsked(query, act)).toBe(form);
});

it.each<[string, Act, Act]>([
  ['Who wrote it?', 'FACT', 'FACT'],
  ['How many tags are there?', 'QUANTITY', 'QUANTITY'],
  ['What does the option --autosquash do?', 'FACT', 'DEFINITION'],
  ['Why was it slow?', 'FACT', 'EXPLANATION'],
  ['Which is nicer?', 'OPINION', 'OPINION'],
  ['Is the cache kept?', 'OPINION', 'VERIFICATION'],
  ['Compare soft with hard', 'EXPLANATION', 'COMPARISON'],
])('%s (%s) is held to the threshold of %s', (query, act, held) => {
  expect(actByForm(query, act)).toBe(held);
});

it.each([
  ['What does the option --autosquash do?', '--autosquash'],
  ['What is a fast-forward?', 'fast-forward'],
  ['What does core.autocrlf do?', 'core.autocrlf'],
  ['What is the HISTSIZE variable for?', 'HISTSIZE'],
  ['What is an environment variable?', 'environment variable'],
  ["what's a catalog zone in BIND", 'catalog zone'],
  ['What exactly is a view?', 'view'],
  ['feathering meaning in gimp', 'feathering'],
  ['What are universal variables?', 'universal variable'],
  ['What are the policies for?', 'policy'],
  ['What are classes?', 'class'],
  ["What's the danger of calling it twice?", null],
  ["It hangs, what's wrong with my file?", null],
  ["What does tar's --strip option do?", '--strip'],
  ['What does the tar option -x do?', '-x'],
  ['What does tar -x do?', '-x'],
  ['What does the job state code CG mean?', 'CG'],
  ['What is error 42P01?', '42P01'],
  ['What is the mode 2?', 'mode 2'],
  ['What is a Debian package?', 'Debian package'],
  ['Who wrote it?', null],
])('%s names %s', (query, term) => {
  expect(entryAsked(query)?.term ?? null).toBe(term);
});

it.each([
  ['What is the default of mail_check?', 'DEFINITION', 'mail_check', 'definition'],
  ['what is the default value for the variable mail_check', 'FACT', 'mail_check', 'span'],
  ['What is the maximum size of --depth?', 'QUANTITY', '--depth', 'span'],
  ['What is the default of the whole thing?', 'FACT', 'default', 'definition'],
  ['What is the default of mail_check (mutt manual)?', 'FACT', 'mail_check', 'span'],
] as const)('takes what is said in an entry for a question about the entry: %s', (query, act, term, form) => {
  expect([entryAsked(query)?.term, formAsked(query, act)]).toEqual([term, form]);
});

it.each([
  ['What does core.autocrlf do?', 'core.autocrlf'],
  ['What does the job state code CG mean?', 'CG'],
  ['what is the default value of the variable editor', 'editor'],
  ['What does the -e option of echo do?', '-e'],
  ['What does sort do?', null],
  ['What is a step-by-step guide?', null],
  ['How do I change the default for indentation?', null],
  ['Who wrote core.autocrlf?', null],
])('%s asks for the entry of %s alone', (query, term) => {
  expect(entryAlone(query)?.term ?? null).toBe(term);
});

it('knows what kind of thing a term is said to be', () => {
  const title = (path: string) => ({ title: path });
  const asked = entryAsked('What does the variable sort control?')!;
  expect(asked.term).toBe('sort');
  expect(isOfKind(asked, title('Reference > Configuration Variables > sort'))).toBe(true);
  expect(isOfKind(asked, title('Reference > Functions > sort'))).toBe(false);
  expect(isOfKind(entryAsked('What does sort do?')!, title('Variables > sort'))).toBe(false);
});

it('knows what an option is one of', () => {
  expect(entryAsked("What does tar's --strip option do?")).toMatchObject({
    whole: "tar's --strip",
    beside: contentStems('tar'),
  });
});

it.each<[string, [string, string] | null]>([
  ['What is the difference between --soft and --hard in git reset?', ['--soft', '--hard']],
  ['How does a mutex differ from a semaphore?', ['mutex', 'semaphore']],
  ['Is tcp faster than udp?', ['tcp', 'udp']],
  ['rebase vs merge', ['rebase', 'merge']],
  ['tea or coffee for guests?', ['tea', 'coffee']],
  ['F5 or F6 in the editor, which one moves text?', ['F5', 'F6']],
  ['red.log and blue.log difference', ['red.log', 'blue.log']],
  ['difference red_log blue_log', ['red_log', 'blue_log']],
  ['"$*" and "$@" - how do they differ?', ['$*', '$@']],
  ['TCP or UDP: what is the difference?', ['TCP', 'UDP']],
  ["The kettle and the urn, what's different?", ['kettle', 'urn']],
  ['Should I use a kettle or an urn?', ['kettle', 'urn']],
  ["Graphical or text installer: what's the difference?", ['Graphical installer', 'text installer']],
  ['lp or lpr command?', ['lp', 'lpr']],
  ['Start or stop the pump at night?', null],
  ['Can the pump run on oil or gas?', null],
  ['I added a mask and nothing looks different, is that normal', null],
  ['Who wrote it?', null],
])('%s compares %j', (query, sides) => {
  expect(sidesAsked(query)).toEqual(sides);
});

it.each([
  ['Which formats does it support?', true],
  ['What are the supported formats?', true],
  ['List all options.', true],
  ['What is the limit?', false],
  ['Which process is it?', false],
])('%s asks for several: %s', (query, several) => {
  expect(severalAsked(query)).toBe(several);
});

it('takes bounded time on what is made to be slow', () => {
  for (const part of ['what does ', 'is a than ', ' or ', 'difference between a and ', ', ']) {
    const query = part.repeat(100_000);
    expect([sidesAsked(query)?.length, entryAsked(query)?.term, severalAsked(query)]).toHaveLength(3);
  }
});

it('takes nothing without a number, a date or a frequency for a quantity', () => {
  for (const text of ['five seconds', '1,024', 'daily', 'In June', 'half of it', 'one']) {
    expect([text, holdsNumber(text)]).toEqual([text, true]);
  }
  for (const text of ['sufficient', 'How many seconds', 'A few', 'swap partitions']) {
    expect([text, holdsNumber(text)]).toEqual([text, false]);
  }
});

it('knows a heading that is the question, and none that shares but its subject', () => {
  const query = 'How do I use the kettle together with the urn?';
  expect(asksAs(query, 'How do I use the kettle together with the urn')).toBe(true);
  expect(asksAs(query, 'Do I use the urn together with the kettle?')).toBe(true);
  for (const other of ['Kettle', 'The urn', 'How do I clean the kettle and the urn?', '']) {
    expect(asksAs(query, other)).toBe(false);
  }
  expect(asksAs('Kettle?', 'Kettle')).toBe(false);
});

it('knows the step that is asked for by its number', () => {
  expect(stepAsked('What is step 250 of commissioning?')).toBe(250);
  for (const none of ['What are the 3 steps?', 'How do I take step 3?', 'What is version 3?']) {
    expect(stepAsked(none)).toBeNull();
  }
});

it.each([
  ['What is flapping?', 'flapping'],
  ['What is a time period?', 'time period'],
  ['What are zones?', 'zone'],
  ['What does drift mean?', 'drift'],
  ['What is the price?', null],
  ['What is my deadline?', null],
  ['What is not a zone?', null],
  ['What does core.autocrlf do?', null],
  ['What is a zone in a cluster?', null],
])('of "%s" the word alone is %s', (query, word) => {
  expect(wordAlone(query)).toBe(word);
});
