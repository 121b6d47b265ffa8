import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../conversation/index.ts';
import { questionsOf } from './index.ts';

const textsOf = (query: string, history: Turn[] = []): string[] =>
  questionsOf(query, history).asked.map(({ text }) => text);

const user = (text: string): Turn => ({ role: 'user', text });
const ours = (text: string): Turn => ({ role: 'assistant', text });

describe('several questions in one query', () => {
  it.each<[string, string[]]>([
    [
      'Who leads the platform team? When did the billing migration end?',
      ['Who leads the platform team?', 'When did the billing migration end?'],
    ],
    [
      'What is a bare repository and how do I clone it?',
      ['What is a bare repository?', 'How do I clone the bare repository?'],
    ],
    ['Which team owns billing and who leads it?', ['Which team owns billing?', 'Who leads billing?']],
    [
      'How do I list all tags and how do I delete one?',
      ['How do I list all tags?', 'How do I delete one of the tags?'],
    ],
    ['How do I create a tag and how do I delete one?', ['How do I create a tag?', 'How do I delete a tag?']],
    [
      'How do I list all tags, and how do I delete them?',
      ['How do I list all tags?', 'How do I delete the tags?'],
    ],
    [
      'Is the archive encrypted, and what is the retention?',
      ['Is the archive encrypted?', 'What is the retention?'],
    ],
    ['What is Bixby and how does it work?', ['What is Bixby?', 'How does Bixby work?']],
    [
      'How do I send a mail and how do I encrypt it before that?',
      ['How do I send a mail?', 'How do I encrypt the mail before that?'],
    ],
    [
      'Where is the sound mode option and how do I use this?',
      ['Where is the sound mode option?', 'How do I use the sound mode option?'],
    ],
    ['What does bg do and what does fg do?', ['What does bg do?', 'What does fg do?']],
    [
      'What file is run when a shell exits, and which option turns tracing on?',
      ['What file is run when a shell exits?', 'Which option turns tracing on?'],
    ],
    [
      'Who wrote the coding standards, and when were they last updated?',
      ['Who wrote the coding standards?', 'When were the coding standards last updated?'],
    ],
    [
      'Which levels does the installer support, and which ciphers can I pick for it?',
      ['Which levels does the installer support?', 'Which ciphers can I pick for the installer?'],
    ],
    ['What is remote support and how it works?', ['What is remote support?', 'How remote support works?']],
    ['When did the plant close and why?', ['When did the plant close?', 'Why did the plant close?']],
    [
      'What was the revenue in 2010? And in 2011?',
      ['What was the revenue in 2010?', 'What was the revenue in 2011?'],
    ],
    ['how do i sign in and where do i see my invoices', ['How do i sign in?', 'Where do i see my invoices?']],
    [
      'In Bash, how do I declare an array and how do I loop over it?',
      ['In Bash, how do I declare an array?', 'In Bash, how do I loop over the array?'],
    ],
    [
      'Do you share my data? If so, who are the partners?',
      ['Do you share my data?', 'Who are the partners?'],
    ],
    ['1. What is the fee?\n2. How do I pay?', ['What is the fee?', 'How do I pay?']],
    ['Explain how sign-in works. Who needs K3?', ['Explain how sign-in works.', 'Who needs K3?']],
    [
      'Who was the eldest son of Alfonso III and what did he rule?',
      ['Who was the eldest son of Alfonso III?', 'What did the eldest son of Alfonso III rule?'],
    ],
    [
      'What does K3 weigh; what does K4 weigh; what does K5 weigh?',
      ['What does K3 weigh?', 'What does K4 weigh?', 'What does K5 weigh?'],
    ],
    [
      'What do functools.reduce and functools.partial do?',
      ['What does functools.reduce do?', 'What does functools.partial do?'],
    ],
    [
      'What do the options -a, --all and -v do?',
      ['What does the option -a do?', 'What does the option --all do?', 'What does the option -v do?'],
    ],
    ['What do retries and delays mean?', ['What do retries mean?', 'What do delays mean?']],
    ['What is "Cash and How" and where do I buy K3?', ['What is "Cash and How"?', 'Where do I buy K3?']],
  ])('%s', (query, texts) => {
    expect(textsOf(query)).toEqual(texts);
  });

  it.each([
    'What are the defaults of X and Y?',
    'What do you and I do?',
    'What do students and their teachers do?',
    'What is the capital and the population of Chad?',
    'How do I add and remove a user?',
    'When and where was Ada Lovelace born?',
    'How long is and how wide is the bridge?',
    'What are the benefits and what are the costs of the plan?',
    'Who is the man who was born in Rome and who was the king of Spain?',
    'Who was the lead singer of Eighth Wonder and who was born in 1968?',
    'Which actor was born in 1965 and is known for his role in Rome?',
    'What is the difference between what he said and what he did?',
    'Had he not died, what would have come of it?',
    'If I lose my card, what is the fee?',
    'I have a K3. How do I reset it?',
    'How do I reset it? I have a K3.',
    'Hi! Can you help me? How do I reset my K3? Thanks!',
    'Can I report this and have it stopped?',
    'What can I and can I not ask?',
    'Who founded the firm and when did he die?',
    'Who is Cletis Tout? was a comedy film that starred which actor?',
    'Who led the "Who? Who?" ministry?',
    'Did he sing "What is love and how do I know?" in 1990?',
    'Is the fee due (and how is it paid)?',
    'Do you know what it is and how it works?',
    'Retention has been changed to 30 days and the archive is encrypted.',
    'Tell me about the archive.',
    'What is it?',
    'and',
    '',
    '???',
    '? ? ?',
  ])('one question stays as it was asked: %s', (query) => {
    expect(textsOf(query)).toEqual([query]);
  });

  it('keeps a statement with the question behind it', () => {
    expect(
      textsOf('I have a K3. How do I reset it and how do I clean it? The K4 is mine too. Is it louder?'),
    ).toEqual(['I have a K3. How do I reset it?', 'How do I clean K3?', 'The K4 is mine too. Is it louder?']);
  });

  it('looks at four and says what comes after them', () => {
    const query = Array.from({ length: 10 }, (_, i) => `What does ADR-000${i} decide?`).join(' ');
    const { asked, rest } = questionsOf(query, []);
    expect(asked.map(({ text }) => text)).toEqual([0, 1, 2, 3].map((i) => `What does ADR-000${i} decide?`));
    expect(rest?.split('? ')).toHaveLength(6);
    expect(rest).toMatch(/^What does ADR-0004 decide\? .*ADR-0009 decide\?$/);
  });

  it('makes its first question whole by the history, and the others by that too', () => {
    const history = [user('What is the K3 board?'), ours('A board with 40 pins.')];
    expect(textsOf('What does it cost and who sells it?', history)).toEqual([
      'What does K3 cost?',
      'Who sells K3?',
    ]);
  });

  it('divides what a reply completes', () => {
    const history = [
      user('What does the plan cost and how do I cancel my contract?'),
      ours('Which plan do you mean: "basic plan" or "family plan"?'),
    ];
    const { asked } = questionsOf('basic plan', history);
    expect(asked.map(({ text }) => text)).toEqual([
      'What does the basic plan cost?',
      'How do I cancel my contract?',
    ]);
    expect(asked[1]?.replies).toEqual([{ variable: 'plan', value: 'basic plan' }]);
  });
});

const words = fc.constantFrom(
  ...'what who how when which is do did can to and or also , ; ? . " ( ) I it one the tags K3 list delete if so please explain \n - 1.'.split(
    ' ',
  ),
);
const salad = fc.array(words, { maxLength: 60 }).map((all) => all.join(' '));

describe('whatever the query', () => {
  it('there are one to four questions, each with a word in it; one is the query itself', () => {
    fc.assert(
      fc.property(fc.oneof(salad, fc.string(), fc.string({ unit: 'binary' })), (query) => {
        const { asked, rest } = questionsOf(query, []);
        expect(asked.length).toBeGreaterThanOrEqual(1);
        expect(asked.length).toBeLessThanOrEqual(4);
        if (asked.length === 1) expect([asked[0]!.text, rest]).toEqual([query, null]);
        else for (const { text } of asked) expect(text).toMatch(/[\p{L}\p{N}]/u);
        if (rest !== null) expect(asked).toHaveLength(4);
      }),
      { numRuns: 300 },
    );
  });

  it('nothing of the query is lost but what joins its questions', () => {
    const joints = new Set(['and', 'also', 'but', 'so', 'then', 'plus', 'if', 'yes']);
    const wordsIn = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            'What is K3?',
            'How do I reset K4?',
            'I own K5.',
            'Why?',
            'and who sells K6?',
            'Explain K7.',
          ),
          { minLength: 1, maxLength: 12 },
        ),
        (pieces) => {
          const query = pieces.join(' ');
          const { asked, rest } = questionsOf(query, []);
          const kept = new Set(wordsIn([...asked.map(({ text }) => text), rest ?? ''].join(' ')));
          for (const word of wordsIn(query)) expect(kept.has(word) || joints.has(word)).toBe(true);
        },
      ),
    );
  });

  it.each([
    ['and', 'and '.repeat(1_000)],
    ['commas', 'what is it, '.repeat(330)],
    ['fragments', 'Why? '.repeat(800)],
    ['verbs', 'who leads it and '.repeat(230)],
    ['quotes', '"'.repeat(4_000)],
    ['brackets', '('.repeat(4_000)],
    ['a long one', 'what is it and how is it? '.repeat(10_000)],
  ])('work is bounded: %s', (_, query) => {
    const { asked } = questionsOf(query, []);
    expect(asked.length).toBeLessThanOrEqual(4);
    if (query.length > 4_000) expect(asked).toHaveLength(1);
  });
});
