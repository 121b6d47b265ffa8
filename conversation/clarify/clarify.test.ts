import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stillOpen } from '../history/index.ts';
import { informationState, openTagger } from '../state/index.ts';
import { type Fact, found, type Judge } from '../state/testing/found.ts';
import { type ClarifyInput, type ClarifyingQuestion, chooseQuestion, repeatedIn } from './index.ts';

const tag = openTagger();

function input(
  query: string,
  facts: readonly Fact[],
  given: Partial<ClarifyInput> = {},
  judge?: Judge,
): ClarifyInput {
  const base = found(query, facts, given, judge);
  return { ...base, ...given, state: informationState(base, tag) };
}

const ask = (...args: Parameters<typeof input>): ClarifyingQuestion | null => chooseQuestion(input(...args));
const values = (question: ClarifyingQuestion | null): string[] =>
  question?.options.map(({ value }) => value) ?? [];

const SENSORS: Fact[] = [
  { title: 'Barometer > Care', text: 'The barometer is calibrated once a year.', answer: 'once a year' },
  {
    title: 'Rain gauge > Care',
    text: 'The rain gauge is calibrated every six months.',
    answer: 'six months',
  },
  {
    title: 'Thermometer > Care',
    text: 'The thermometer is calibrated every two years.',
    answer: 'two years',
  },
];

describe('chooseQuestion', () => {
  it('asks what a pronoun stands for, with what the passages are about', () => {
    const question = ask('How often is it calibrated?', SENSORS);
    expect(question).toMatchObject({ kind: 'reference', variable: 'it', resolution: 0.475 });
    expect(question!.message).toBe('What does "it" refer to: "Barometer", "Rain gauge" or "Thermometer"?');
    expect(question!.gain).toBeCloseTo(Math.log2(3), 2);
    expect(question!.options[0]).toEqual({
      value: 'Barometer',
      passageIds: ['p0'],
      weight: expect.closeTo(1 / 3, 6),
      query: 'How often is Barometer calibrated?',
    });
  });

  it('asks for it in words of the user’s own when the passages have nothing to offer', () => {
    const question = ask('Who approves it?', [{ text: 'The lead approves travel.', answer: 'The lead' }]);
    expect(question).toMatchObject({ kind: 'reference', options: [], message: 'What does "it" refer to?' });
  });

  it('tells an identifier that does not exist from those that do', () => {
    const question = ask(
      'What does ADR-0050 say?',
      [{ title: 'ADR-0005', text: 'All is UTC.', answer: 'UTC' }],
      {
        identifiers: [{ id: 'ADR-0050', known: false, near: ['ADR-0005', 'ADR-0010'] }],
      },
    );
    expect(question).toMatchObject({ kind: 'identifier', gain: 1 });
    expect(question!.message).toBe(
      'The documents do not know "ADR-0050". Did you mean "ADR-0005" or "ADR-0010"?',
    );
    expect(question!.options.map(({ passageIds, query }) => [passageIds, query])).toEqual([
      [['p0'], 'What does ADR-0005 say?'],
      [[], 'What does ADR-0010 say?'],
    ]);
  });

  it('says what each identifier is, by a title or by a sentence where there is none', () => {
    const about = (...facts: Omit<Fact, 'answer'>[]) =>
      ask(
        'What does ADR-0050 say?',
        facts.map((fact) => ({ ...fact, answer: 'UTC' })),
        { identifiers: [{ id: 'ADR-0050', known: false, near: ['ADR-0005'] }] },
      )!.options[0]!.about;
    const text = 'Of all that, ADR-0005 says that times are in UTC. It holds.';
    expect(about({ title: 'Decisions > ADR-0005: Times > Context', text })).toBe('Times');
    expect(about({ title: 'notes', text })).toBe('says that times are in UTC.');
    expect(about({ title: 'ADR-0005', text: 'All is UTC.' })).toBeUndefined();
  });

  it('offers words of the corpus for one that it does not know', () => {
    const question = ask('Who calibrates the baromter?', SENSORS, {
      coverage: { terms: ['calibrates', 'baromter'], unknown: ['baromter'] },
      nearTerms: new Map([['baromter', ['barometer']]]),
    });
    expect(question).toMatchObject({ kind: 'term', variable: 'baromter' });
    expect(question!.options[0]!.query).toBe('Who calibrates the barometer?');
  });

  it('asks which meeting, with the words that passages have before it', () => {
    const question = ask('When is the meeting?', [
      { text: 'The board meeting is on 9 December 2024.', answer: '9 December 2024' },
      { text: 'Our staff meeting is every Monday at noon.', answer: 'every Monday' },
    ]);
    expect(question).toMatchObject({ kind: 'modifier', variable: 'meeting' });
    expect(values(question)).toEqual(['board meeting', 'staff meeting']);
    expect(question!.message).toBe('Which meeting do you mean: "board meeting" or "staff meeting"?');
    expect(question!.options[1]!.query).toBe('When is the staff meeting?');
    expect(question!.considered.every(({ score }) => score <= question!.gain)).toBe(true);
  });

  it('asks which time when the passages differ in that', () => {
    const question = ask('Who plays Pearl in the film?', [
      { text: 'In the film of 1995 Pearl was played by Scout Willis.', answer: 'Scout Willis' },
      { text: 'In the film of 1926 Pearl was played by Joyce Coad.', answer: 'Joyce Coad' },
    ]);
    expect(question).toMatchObject({ kind: 'time' });
    expect(values(question)).toEqual(['1926', '1995']);
    expect(question!.options[0]!.query).toBe('Who plays Pearl in the film (1926)?');
  });

  it('asks about the conditions of a rule, as they stand there', () => {
    const text = 'To qualify for the pay you must:\n\n* earn at least £113 a week\n* give the correct notice';
    const question = ask('Do I qualify for the pay?', [{ text, answer: 'earn at least £113 a week' }]);
    expect(question).toMatchObject({ kind: 'condition', gain: 1 });
    expect(values(question)).toEqual(['earn at least £113 a week', 'give the correct notice']);
    expect(question!.message).toBe(
      'The answer depends on conditions. Which of these applies: "earn at least £113 a week" or "give the correct notice"?',
    );
    const history = [
      { role: 'assistant' as const, text: 'Do you earn at least £113 a week?' },
      { role: 'user' as const, text: 'Yes' },
    ];
    expect(
      ask('Do I qualify for the pay?', [{ text, answer: 'earn at least £113 a week' }], { history })!.message,
    ).toBe('The answer depends on this condition: "give the correct notice". Does it apply to you?');
  });

  it('never asks again for what the user was asked for and has replied to', () => {
    const query = 'When is the meeting?';
    const facts = [
      { text: 'The board meeting of 2024 is on Monday at noon.', answer: 'Monday' },
      { text: 'Our staff meeting of 2025 is on Friday at noon.', answer: 'Friday' },
    ];
    const first = ask(query, facts)!;
    expect(first.variable).toBe('meeting');
    const refused = [
      { role: 'user' as const, text: query },
      { role: 'assistant' as const, text: first.message },
    ];
    const second = ask(query, facts, { history: refused })!;
    expect(second.variable).not.toBe('meeting');
    const again = [
      ...refused,
      { role: 'user' as const, text: 'whatever' },
      { role: 'assistant' as const, text: second.message },
    ];
    const third = ask(query, facts, { history: again });
    expect([first.variable, second.variable]).not.toContain(third?.variable);
    // Another question is no reply.
    expect(ask('Where is the meeting?', facts, { history: refused })?.variable).toBe('meeting');
  });

  it('offers the aspects of a topic of which nothing is asked', () => {
    const question = ask('Find information on Hoboken', [
      { text: 'Hoboken has many bars and nightclubs.', answer: 'bars and nightclubs' },
      { text: 'Real estate listings for Hoboken are here.', answer: 'Real estate listings' },
    ]);
    expect(question!.message).toBe(
      'What about "Hoboken" do you want to know: "bars and nightclubs" or "Real estate listings"?',
    );
  });

  it('asks nothing when one answer stands, when none does, or when no words tell answers apart', () => {
    expect(ask('How often is the barometer calibrated?', SENSORS.slice(0, 1))).toBeNull();
    expect(ask('How often is the barometer calibrated?', [])).toBeNull();
    const weak = SENSORS.map((fact) => ({ ...fact, relevance: 0.01, margin: -9 }));
    expect(ask('How often are sensors calibrated?', weak)).toBeNull();
    const fee = (title: string, amount: string): Fact => ({
      title,
      text: `The annual membership fee is ${amount} euros per farm.`,
      answer: `${amount} euros`,
    });
    expect(
      ask('How much is the annual membership fee?', [fee('About us', '160'), fee('Questions', '180')]),
    ).toBeNull();
  });

  it('asks for what labelled queries lacked, where nothing that was found names a better piece', () => {
    const query = 'When is the meeting of Tern Club?';
    const required = [{ variable: 'kind of member', of: 'Tern Club', asked: [query] }];
    const one = { text: 'The meeting of Tern Club is on Monday.', answer: 'Monday' };
    expect(ask(query, [one])).toBeNull();
    const question = ask(query, [one], { required });
    expect(question).toMatchObject({ kind: 'required', variable: 'kind of member', options: [] });
    expect(question!.message).toBe('The answer depends on "kind of member". What is it?');

    const boards = [
      { text: 'The board meeting of Tern Club is on Monday.', answer: 'Monday' },
      { text: 'The staff meeting of Tern Club is on Friday.', answer: 'Friday' },
    ];
    const better = ask(query, boards, { required })!;
    expect(better).toMatchObject({ kind: 'modifier', variable: 'meeting' });
    expect(better.considered).toContainEqual({ kind: 'required', variable: 'kind of member', score: 0 });

    const history = [
      { role: 'user' as const, text: query },
      { role: 'assistant' as const, text: question!.message },
    ];
    expect(ask(query, [one], { required, history })).toBeNull();
  });

  it('offers what the passages have of what labelled queries lacked', () => {
    const query = 'When does Tern Club meet?';
    const question = ask(
      query,
      [
        { text: 'Tern Club meets its junior members at noon.', answer: 'at noon' },
        { text: 'Tern Club meets its senior members at eight.', answer: 'at eight' },
      ],
      { required: [{ variable: 'members', of: 'Tern Club', asked: [query] }] },
    );
    expect(question!.message).toBe(
      'The answer depends on "members". What is it: "junior members" or "senior members"?',
    );
    expect(question!.options[0]!.query).toBe('When does Tern Club meet (junior members)?');
  });

  it('gives copies of a passage one voice', () => {
    const once = ask('How often is it calibrated?', SENSORS)!;
    const flood = ask('How often is it calibrated?', [
      ...SENSORS,
      ...Array.from({ length: 10 }, () => SENSORS[0]!),
    ])!;
    expect(flood.options.map(({ value, weight }) => [value, weight.toFixed(6)])).toEqual(
      once.options.map(({ value, weight }) => [value, weight.toFixed(6)]),
    );
  });

  it('asks one question with at most four options, each verbatim from its passages, whatever the text', () => {
    const word = fc.constantFrom(
      'board',
      'Ostrel',
      'constructor',
      '__proto__',
      '1999',
      'if it rains',
      'Vane API',
      'meeting',
      '?',
      '"x"',
      '\u001b[2J',
    );
    const text = fc.array(word, { minLength: 2, maxLength: 12 }).map((words) => `${words.join(' ')}.`);
    const fact = fc.record({ text, title: text, at: fc.nat(3) }).map(({ text: body, title, at }) => ({
      text: body,
      title,
      answer: body.split(' ')[Math.min(at, 1)]!,
    }));
    fc.assert(
      fc.property(text, fc.array(fact, { maxLength: 7 }), (query, facts) => {
        const given = input(query, facts);
        const question = chooseQuestion(given);
        if (question === null) return;
        expect(question.options.length).toBeLessThanOrEqual(4);
        expect(question.gain).toBeGreaterThanOrEqual(0);
        const ours = question.message.replaceAll(/"[\s\S]*"/g, '');
        expect(ours.split('?').length - 1).toBe(1);
        for (const { value, passageIds, weight } of question.options) {
          expect(weight).toBeGreaterThan(0);
          for (const id of passageIds) {
            const passage = given.evidence.find(({ passageId }) => passageId === id)!;
            expect(`${passage.title}\n${passage.text}`).toContain(value);
          }
          expect(passageIds.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: 80 },
    );
  });
});

describe('a question that was asked before', () => {
  const turn = (text: string, i: number) => ({
    role: i % 2 === 0 ? ('user' as const) : ('assistant' as const),
    text,
  });
  const about = 'Documents differ. Which one is it about: "Basic plan" or "Family plan"?';
  const asking = {
    said: 'How long?',
    text: 'How long?',
    message: about,
    suggestions: ['Basic plan', 'Family plan'],
    question: null,
  };
  const plans = [
    'How long is a book lent with the plan?',
    'Which plan do you mean: "basic plan" or "gold plan"?',
  ];

  it('is the same by what was offered when it was said to be open', () => {
    const left = stillOpen(['Basic plan', 'Family plan', 'Gold plan']);
    expect(repeatedIn(plans.map(turn), asking)).toBeNull();
    expect(repeatedIn([...plans, 'hm', left].map(turn), asking)).toMatchObject({ variable: 'plan', turn: 1 });
    const elsewhere = stillOpen(['v1', 'v2']);
    expect(repeatedIn([...plans, 'hm', elsewhere].map(turn), asking)).toBeNull();
    expect(
      repeatedIn(
        [...plans, left].map(turn).map((one) => ({ ...one, role: 'user' })),
        asking,
      ),
    ).toBeNull();
  });

  it('is the same where one of its things was chosen then', () => {
    expect(repeatedIn([...plans, 'Basic plan'].map(turn), asking)).toMatchObject({
      variable: 'plan',
      turn: 1,
    });
    expect(repeatedIn([...plans, 'Gold plan'].map(turn), asking)).toBeNull();
  });

  it('is the same by its words about what the user said, whatever stands for it by now', () => {
    const said = 'For how many days does the plan lend a book?';
    const message = 'The documents do not know "lend". Did you mean "lent"?';
    const again = { said, text: `${said} v2`, message, suggestions: ['lent'], question: null };
    expect(repeatedIn([said, message].map(turn), again)).toMatchObject({ about: said, turn: 1 });
    const other = { ...again, said: 'Does the plan lend books?', message: 'Which one is it about: "lent"?' };
    expect(repeatedIn([said, message].map(turn), other)).toBeNull();
  });
});
