import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clarifiedQuestion, selfContained, type Turn } from './index.ts';

/** Turns by the first letter: "u: …", "a: …". */
const turns = (...lines: string[]): Turn[] =>
  lines.map((line) => ({ role: line.startsWith('u:') ? 'user' : 'assistant', text: line.slice(2).trim() }));
const rewritten = (query: string, ...history: string[]) => selfContained(query, turns(...history)).text;

describe('pronouns', () => {
  const curie = ['u: Who was Marie Curie?', 'a: Marie Curie was a physicist born in Warsaw.'];

  it('become the name that the conversation is about', () => {
    expect(rewritten('When did she win the prize?', ...curie)).toBe('When did Marie Curie win the prize?');
    expect(rewritten('Where was her laboratory?', ...curie)).toBe("Where was Marie Curie's laboratory?");
  });

  it('go by gender where two people were named', () => {
    const both = ['u: Did Marie Curie work with Pierre Curie?', 'a: They shared a laboratory.'];
    expect(rewritten('When did he die?', ...both)).toBe('When did Pierre Curie die?');
    expect(rewritten('When did she die?', ...both)).toBe('When did Marie Curie die?');
  });

  it('mean two people at once', () => {
    expect(rewritten('When did they meet?', 'u: Tell me about Laurel and Hardy', 'a: A comedy duo.')).toBe(
      'When did Laurel and Hardy meet?',
    );
  });

  it('follow a change of subject', () => {
    const shifted = [
      'u: What is the range of the K2-WHT?',
      'a: 40 km.',
      'u: What does the Falcon 9 weigh?',
      'a: 549 t.',
    ];
    expect(rewritten('How tall is it?', ...shifted)).toBe('How tall is Falcon 9?');
  });

  it('mean what the question before asked about when that has no name', () => {
    expect(rewritten('When is it due?', 'u: How do I file the annual report?', 'a: On paper.')).toBe(
      'When is the annual report due?',
    );
  });

  it('stay when a name in the same question binds them, and when nothing was named', () => {
    expect(rewritten('When did Niels Bohr publish his model?', ...curie)).toBe(
      'When did Niels Bohr publish his model?',
    );
    expect(rewritten('How often is it calibrated?', 'u: hello', 'a: Hello.')).toBe(
      'How often is it calibrated?',
    );
  });

  it('are told as open where two names fit as well', () => {
    const two = selfContained(
      'When did he retire?',
      turns('u: Who won, John Smith or Peter Jones?', 'a: Neither.'),
    );
    expect(two.open).toEqual([
      { word: 'he', candidates: expect.arrayContaining(['John Smith', 'Peter Jones']) },
    ]);
  });
});

describe('what a question leaves out', () => {
  const k2 = ['u: How long does the battery of the K2 last?', 'a: Eight hours.'];

  it('is filled from the last question', () => {
    expect(rewritten('And the K3?', ...k2)).toBe('How long does the battery of the K3 last?');
    expect(rewritten('What about K3?', ...k2)).toBe('How long does the battery of the K3 last?');
    expect(rewritten('No, I meant K3', ...k2)).toBe('How long does the battery of the K3 last?');
    const lead = ['u: Who leads the platform team?', 'a: Ines Marlow.'];
    expect(rewritten('And the data team?', ...lead)).toBe('Who leads the data team?');
    expect(rewritten('What about data team?', ...lead)).toBe('Who leads the data team?');
    expect(rewritten('And a small team?', 'u: How big is our old team’s office?', 'a: Big.')).toBe(
      'How big is a small team’s office?',
    );
    expect(rewritten('And annual fees?', 'u: Who sets monthly fees here?', 'a: Nobody.')).toBe(
      'Who sets annual fees here?',
    );
    expect(rewritten('And the second one?', ...lead)).not.toContain('leads');
    const quiz = ['u: When is the first quiz held?', 'a: In week 5.'];
    expect(rewritten('And the second one?', ...quiz)).toBe('When is the second quiz held?');
    expect(rewritten('And the last?', ...quiz)).toBe('When is the last quiz held?');
    expect(rewritten('What about the third one?', ...quiz)).toBe('When is the third quiz held?');
    expect(rewritten('And the second exam?', ...quiz)).not.toContain('quiz');
    expect(rewritten('And in 2019?', 'u: What did Ada Lovelace earn in 2018?', 'a: Nothing.')).toBe(
      'What did Ada Lovelace earn in 2019?',
    );
    expect(rewritten('Why?', 'u: Did Niels Bohr leave Denmark?', 'a: Yes.')).toBe(
      'Why did Niels Bohr leave Denmark?',
    );
  });

  it('is the topic where the question names nothing', () => {
    expect(rewritten('What happened in 1987?', 'u: Vanilla Ice', 'a: An American rapper.')).toBe(
      'What happened in 1987 for Vanilla Ice?',
    );
    expect(rewritten('Did the band tour?', 'u: Fleet Foxes (band)', 'a: Yes.')).toBe(
      'Did the band Fleet Foxes tour?',
    );
  });

  it('is the topic where a fragment or a bare noun leans on it', () => {
    const barometer = ['u: What is the barometer BR-1 for?', 'a: It measures air pressure.'];
    for (const query of ['What is the price?', 'And the fee?', 'Are there any other models?', 'price?']) {
      expect(rewritten(query, ...barometer)).toContain('for BR-1?');
    }
    expect(rewritten('How much does it cost?', ...barometer)).toBe('How much does BR-1 cost?');
  });

  it.each([
    'Who leads the platform team?',
    'How long are raw observations kept?',
    'How much is the annual membership fee?',
    'who approves travel',
    'How often do volunteers meet?',
    'What is the deadline for claims?',
    'What does the policy that covers theft cost?',
    'How do I renew my membership?',
    'How long does it take to reset the admin password?',
    'Is it allowed to climb a mast in a thunderstorm?',
  ])('is nothing where the question has a subject of its own: %s', (query) => {
    for (const history of [
      ['u: What is the barometer BR-1 for?', 'a: It measures air pressure.'],
      ['u: BR-1', 'a: A barometer.'],
    ]) {
      expect(rewritten(query, ...history)).toBe(query);
    }
  });

  it('is nothing where the question names something new, or something else that was named', () => {
    const known = ['u: Vanilla Ice', 'a: A rapper.', 'u: Who is Suge Knight?', 'a: A producer.'];
    expect(rewritten('Where was Suge Knight born?', ...known)).toBe('Where was Suge Knight born?');
    const query = 'Where was Grace Hopper born?';
    expect(selfContained(query, turns('u: Vanilla Ice', 'a: A rapper.'))).toEqual({
      text: query,
      changed: false,
      reasons: [],
      open: [],
    });
  });
});

describe('answers to our questions', () => {
  const asked = (question: string) => ['u: How long is the warranty of the battery?', `a: ${question}`];

  it('are put into the question that we asked about', () => {
    expect(rewritten('K3', ...asked('Which model do you mean: K2, K3 or K4?'))).toBe(
      'How long is the warranty of the battery (K3)?',
    );
    expect(rewritten('the second one', ...asked('Which model do you mean: K2, K3 or K4?'))).toContain('(K3)');
    expect(rewritten('both', ...asked('Did you mean K2 or K3?'))).toContain('(K2 and K3)');
    expect(rewritten('yes', ...asked('Did you mean K2?'))).toContain('(K2)');
    expect(rewritten('2', ...asked('Which one?\n1. Model K2\n2. Model K3\nWhich do you mean?'))).toContain(
      'Model K3',
    );
    expect(rewritten('the pump', 'u: How often is it calibrated?', 'a: What does "it" refer to?')).toBe(
      'How often is the pump calibrated?',
    );
  });

  it('say in the reasons which question they resolved', () => {
    const { reasons } = selfContained('K3', turns(...asked('Which model do you mean: K2 or K3?')));
    expect(reasons[0]).toEqual({ rule: 'ANSWER', from: 'K3', to: 'K3', turn: 0 });
  });

  it('carry over to the next question', () => {
    const history = [...asked('Which model do you mean: K2 or K3?'), 'u: K3', 'a: Two years.'];
    expect(rewritten('And the charger?', ...history)).not.toContain('K2');
    expect(rewritten('Is it waterproof?', ...history)).toBe('Is the battery waterproof for K3?');
  });

  it('are understood in the words in which the router asks', () => {
    const plan = asked('Which plan do you mean: "basic plan", "family, extended" or "U.S. plan"?');
    expect(rewritten('the second one', ...plan)).toContain('(family, extended)');
    expect(rewritten('u.s. plan', ...plan)).toContain('(U.S. plan)');
    expect(
      rewritten(
        'Heron',
        ...asked('There is more than one. Do you mean the one to do with "Heron" or "Tern"?'),
      ),
    ).toContain('(Heron)');
    const apart =
      'Different ways of searching find different answers. Which one is meant: "12" or "15 members"?';
    expect(rewritten('the second one', ...asked(apart))).toContain('(15 members)');
    const things =
      'The documents give different answers: "1900" (Ostrel > Bridges) and "1950" (Ostrel (Norway)). ';
    const about = `${things}Which one is it about: "Ostrel > Bridges" or "Ostrel (Norway)"?`;
    expect(rewritten('the second one', ...asked(about))).toContain('(Ostrel (Norway))');
    const slip = ['u: Who runs payrol?', 'a: The documents do not know "payrol". Did you mean "payroll"?'];
    expect(rewritten('yes', ...slip)).toBe('Who runs payroll?');
    const record = (a: string) => ['u: What do adr-0050 and ADR-0051 say?', `a: ${a}`];
    const nowhere = 'occurs nowhere in the documents. Did you mean ADR-0005 or ADR-0010?';
    expect(rewritten('the second one', ...record(`ADR-0050 ${nowhere}`))).toBe(
      'What do ADR-0010 and ADR-0051 say?',
    );
    expect(rewritten('ADR-0010', ...record(`ADR-0051 ${nowhere}`))).toBe(
      'What do adr-0050 and ADR-0010 say?',
    );
    expect(rewritten('ADR-0010', ...record(`ADR-005 ${nowhere}`))).toContain('ADR-0051 say (ADR-0010)?');
    const term = 'The vocabulary does not have "neighbor check". Did you mean "neighbour check"?';
    expect(rewritten('yes', 'u: What is a Neighbor check?', `a: ${term}`)).toBe('What is a neighbour check?');
  });

  it('with yes and no say what was asked, a condition in its own words', () => {
    const rule = 'The answer depends on this condition: "you are 60 or over". Does it apply to you?';
    const about = ['u: Can I get a bus pass?', `a: ${rule}`];
    expect(rewritten('Yes', ...about)).toBe('Can I get a bus pass (you are 60 or over)?');
    expect(rewritten('no.', ...about)).toBe('Can I get a bus pass (not: you are 60 or over)?');
    expect(rewritten('yes, I am', ...about)).toBe('Can I get a bus pass (you are 60 or over)?');
    expect(rewritten("I'm not sure", ...about)).toBe('Can I get a bus pass?');
    expect(rewritten('yes', 'u: Can I get a bus pass?', 'a: How old are you?')).toBe('yes');
  });

  it('to the same question again take the place of the first', () => {
    const which = 'Which model do you mean: K2 or K3?';
    expect(rewritten('K3', ...asked(which), 'u: K2', `a: ${which}`)).toBe(
      'How long is the warranty of the battery (K3)?',
    );
  });

  it('are no new questions, though they speak of what we offered', () => {
    const plans = asked('Which plan do you mean: "basic" or "family"?');
    const cancel = 'How do I cancel the family plan?';
    expect(rewritten(cancel, ...plans)).toBe(cancel);
    expect(rewritten('family?', ...plans)).toContain('(family)');
    expect(rewritten('the basic one?', ...plans)).toContain('(basic)');
    const which = 'Which model do you mean: K2 or K3?';
    const notice = 'u: How long is the notice period of the lease?';
    expect(rewritten('K3', ...asked(which), notice, `a: ${which}`)).toBe(
      'How long is the notice period of the lease (K3)?',
    );
  });

  it('are found in the place of an identifier, however it was written', () => {
    const nowhere = 'a: ADR-0050 occurs nowhere in the documents. Did you mean ADR-0005 or ADR-0040?';
    for (const written of ['ADR 50', 'adr-50', 'ADR50', 'ADR_0050']) {
      expect(rewritten('ADR-0040', `u: What does ${written} decide?`, nowhere)).toBe(
        'What does ADR-0040 decide?',
      );
    }
    expect(rewritten('ADR-0040', 'u: What does ADR 501 decide?', nowhere)).toContain('(ADR-0040)');
  });

  it('are looked for in a short text only', () => {
    const long = `a${' '.repeat(1_000_000)}b`;
    expect(rewritten(long, ...asked('Which?'))).toBe(long);
    const spaced = `u: How long is${' '.repeat(1_000_000)}it`;
    expect(rewritten('K3', spaced, 'a: Which model do you mean?')).toContain('(K3)');
  });

  it('change nothing when we asked nothing', () => {
    for (const word of ['the second one', 'yes', 'both', 'K3']) {
      expect(rewritten(word, 'u: How long is the warranty?', 'a: Two years.')).toBe(word);
    }
    expect(rewritten('the ninth', 'a: Which one?')).toBe('the ninth');
  });

  it('change nothing when whoever answered ends with a question that is not ours', () => {
    const offer = 'a: Ilse Varnholt. Can I help with anything else?';
    for (const said of ['perfect, bye', 'no', 'yes', 'K3']) {
      expect(rewritten(said, 'u: Who leads the platform team?', offer)).toBe(said);
    }
    expect(rewritten('Yes', 'u: Can I get a bus pass?', 'a: Are you over 60?')).toBe('Yes');
  });

  it.each([
    'whatever',
    'I have no idea',
    "I don't care",
    'I am not sure',
    'never mind',
    'cancel',
    'skip',
    'no thank you',
    'neither',
    'any of them',
    "doesn't matter",
    'another plan',
    'not basic',
    'anything but the basic one',
    "I don't have the basic plan",
    "I don't want any plan",
  ])('that choose nothing leave the question that we asked about as it was: %s', (refusal) => {
    const question = 'How much is the plan?';
    const which = 'Which plan do you mean: "basic" or "family"?';
    const history = turns(`u: ${question}`, `a: ${which}`);
    const { text, reasons } = selfContained(refusal, history);
    expect(text).toBe(question);
    expect(reasons[0]).toEqual({ rule: 'REFUSAL', from: refusal, to: question, turn: 0 });
    expect(clarifiedQuestion(refusal, history)?.values).toEqual([]);
  });

  it('that choose nothing do not take what we offered for what the question points at', () => {
    const offered = 'a: What does "it" refer to: "Thermometer TH-2" or "Rain Gauge RG-1"?';
    expect(rewritten('whatever', 'u: How often is it calibrated?', offered)).toBe(
      'How often is it calibrated?',
    );
    const priced = ['u: What is the barometer BR-1 for?', 'a: Air pressure.', 'u: What is the price?'];
    const which = 'a: Which price do you mean: "list price" or "sale price"?';
    expect(rewritten('whatever', ...priced, which)).toBe('What is the price for BR-1?');
  });

  it.each(['bye', 'perfect, bye', 'thanks', 'I want to cancel my plan', 'forget my plan', 'purple monkeys'])(
    'are none where the words have to do with no option: %s',
    (said) => {
      const which = 'Which plan do you mean: "basic" or "family"?';
      expect(rewritten(said, 'u: How much is the plan?', `a: ${which}`)).toBe(said);
    },
  );

  it('may be in words of one’s own that share a word with what was asked, or name something', () => {
    const plan = ['u: How much is the plan?', 'a: Which plan do you mean: "basic" or "family"?'];
    expect(rewritten('the student plan', ...plan)).toBe('How much is the student plan?');
    expect(rewritten('Ostrel', ...plan)).toContain('(Ostrel)');
    const time = ['u: Who led the club?', 'a: Which time do you mean: "1926" or "1995"?'];
    expect(rewritten('2001', ...time)).toBe('Who led the club (2001)?');
    expect(rewritten('last year', ...time)).toBe('Who led the club (last year)?');
  });

  it('by a digit choose the label that has it, else the place in the list', () => {
    const plans = asked('Which plan do you mean: "Plan 2" or "Plan 1"?');
    expect(rewritten('2', ...plans)).toContain('(Plan 2)');
    expect(rewritten('the 1', ...plans)).toContain('(Plan 1)');
    expect(rewritten('the second one', ...plans)).toContain('(Plan 1)');
    expect(rewritten('pass', ...asked('Which ticket do you mean: "pass" or "single"?'))).toContain('(pass)');
    expect(rewritten('2', ...asked('Which size do you mean: "2 GB" or "2 TB"?'))).toContain('(2 TB)');
  });
});

describe('bad histories', () => {
  it('a history that contradicts itself: the last correction counts', () => {
    const history = [
      'u: How tall is Ada?',
      'a: 1.70 m.',
      'u: No, I meant Bob',
      'a: 1.80 m.',
      'u: Sorry, I meant Carol',
      'a: 1.60 m.',
    ];
    expect(rewritten('And Dora?', ...history)).toBe('How tall is Dora?');
    expect(rewritten('When was she born?', ...history)).toBe('When was Carol born?');
  });

  it('200 turns: the same as the last 40 and the first two give, whatever is between', () => {
    const long = (middle: string): Turn[] => [
      ...turns('u: Frank Zappa', 'a: A musician.'),
      ...Array.from({ length: 158 }, (_, i) => ({
        role: i % 2 === 0 ? ('user' as const) : ('assistant' as const),
        text: middle,
      })),
      ...Array.from({ length: 20 }, () =>
        turns('u: What else did he record?', 'a: More than sixty albums.'),
      ).flat(),
    ];
    const query = 'Where did he live?';
    expect(selfContained(query, long('What did Marie Curie find?')).text).toBe('Where did Frank Zappa live?');
    expect(selfContained(query, long('Noise.'))).toEqual(
      selfContained(query, long('What did Marie Curie find?')),
    );
  });

  it('any history: no exception, no change without a reason, names that are words of programs', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.constantFrom(
        '__proto__',
        'And constructor?',
        'Who is Constructor Prototype?',
        'it',
        'Why?',
        '?',
        'K3',
        "His's",
        '\ud800',
      ),
    );
    const turn = fc.record({ role: fc.constantFrom('user' as const, 'assistant' as const), text });
    fc.assert(
      fc.property(text, fc.array(turn, { maxLength: 12 }), (query, history) => {
        const result = selfContained(query, history);
        expect(result.changed).toBe(result.text !== query);
        if (result.changed) expect(result.reasons.length).toBeGreaterThan(0);
        for (const { turn: at } of result.reasons) expect(at).toBeLessThan(Math.max(1, history.length));
      }),
    );
  });

  it('of a long text only the start counts, however it repeats itself', () => {
    const history = (n: number): Turn[] => turns(`u: ${'A of '.repeat(n)}`, `a: ${'('.repeat(n)}?`);
    const query = `And ${'B of the '.repeat(200)}?`;
    expect(selfContained(query, history(400_000))).toEqual(selfContained(query, history(10_000)));
  });

  it('no history and a very long query come back as they are', () => {
    expect(selfContained('Where was he born?', []).changed).toBe(false);
    const long = 'he '.repeat(2_000);
    expect(selfContained(long, turns('u: Frank Zappa')).text).toBe(long);
  });
});
