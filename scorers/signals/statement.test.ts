import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isYesNoQuestion, toStatement } from './index.ts';

describe('toStatement', () => {
  it.each([
    // who
    ['Who wrote Dune?', 'Frank Herbert', 'Frank Herbert wrote Dune.'],
    ['who orchestrated Chopiniana', 'Alexander Glazunov', 'Alexander Glazunov orchestrated Chopiniana.'],
    ['Who was Dune written by?', 'Frank Herbert', 'Dune was written by Frank Herbert.'],
    [
      'Who is the current president of Portugal?',
      'A. Silva',
      'The current president of Portugal is A. Silva.',
    ],
    ['Who was killed in the attack?', 'Two guards', 'Two guards was killed in the attack.'],
    ['Who was in charge of the audio?', 'Koji Kondo', 'Koji Kondo was in charge of the audio.'],
    ['Who did Altan Khan defeat?', 'the Oirats', 'Altan Khan defeated the Oirats.'],
    ['Who is responsible for backups?', 'the platform team', 'The platform team is responsible for backups.'],
    ['To whom did she write?', 'her brother', 'She wrote to her brother.'],
    ['Whose army won?', 'Napoleon', "Napoleon's army won."],
    // what, which
    ['What is the capital of France?', 'Paris', 'The capital of France is Paris.'],
    ["What's the capital of France?", 'Paris', 'The capital of France is Paris.'],
    ['What is photosynthesis?', 'a chemical process', 'Photosynthesis is a chemical process.'],
    ['What did Marie Curie discover?', 'radium', 'Marie Curie discovered radium.'],
    ['What did the company release in May?', 'a trailer', 'The company released a trailer in May.'],
    ['What do antibiotics interfere with?', 'pills', 'Antibiotics interfere with pills.'],
    ['What does the word mean?', 'right concentration', 'The word means right concentration.'],
    ['What does she sing?', 'English', 'She sings English.'],
    ['What causes tides?', 'the moon', 'The moon causes tides.'],
    ['What is used to measure wind?', 'An anemometer', 'An anemometer is used to measure wind.'],
    ['What is the port known as?', 'Carénage', 'The port is known as Carénage.'],
    ['What was Jin Jing called by the press?', 'Angel', 'Jin Jing was called Angel by the press.'],
    ['What are the two types of cells?', 'rods and cones', 'The two types of cells are rods and cones.'],
    ['What language does she mainly sing?', 'English', 'She mainly sings English.'],
    ['What can participants win?', 'a ticket', 'Participants can win a ticket.'],
    ['Which company acquired Instagram?', 'Facebook', 'Facebook acquired Instagram.'],
    ['Which city is the capital of Peru?', 'Lima', 'Lima is the capital of Peru.'],
    ['Which company was accused of fraud?', 'Enron', 'Enron was accused of fraud.'],
    [
      'What meats are often used in Portuguese recipes?',
      'Beef',
      'Beef are often used in Portuguese recipes.',
    ],
    ['What year was the treaty formed?', '1855', 'The treaty was formed in 1855.'],
    ['What year did Kelly Clarkson win?', '2002', 'Kelly Clarkson won in 2002.'],
    ['What time does the office open?', '9:00', 'The office opens at 9:00.'],
    ['What countries use the euro?', 'Nineteen', 'Nineteen use the euro.'],
    ['What is X made of?', 'wood', 'X is made of wood.'],
    // when
    ['When was Dune published?', '1965', 'Dune was published in 1965.'],
    [
      'When was the Empire State Building constructed?',
      '1931',
      'The Empire State Building was constructed in 1931.',
    ],
    ['When did the war end?', '5 May 1945', 'The war ended on 5 May 1945.'],
    ['When did the war end?', 'in 1945', 'The war ended in 1945.'],
    ['When does the shop open?', 'at noon', 'The shop opens at noon.'],
    ['When did the team depart?', 'May 2008', 'The team departed in May 2008.'],
    ['When is the meeting?', 'Monday', 'The meeting is on Monday.'],
    ['In which year did the war begin?', '1939', 'The war began in 1939.'],
    ['In what year was he born?', '1810', 'He was born in 1810.'],
    ['On what date was the wall damaged?', '4 February', 'The wall was damaged on 4 February.'],
    // where
    ['Where is Tajikistan located?', 'Central Asia', 'Tajikistan is located in Central Asia.'],
    ['Where is Paris?', 'in France', 'Paris is in France.'],
    ['Where did Chopin live?', 'Chaillot', 'Chopin lived in Chaillot.'],
    ['Where are the backups stored?', 'the basement', 'The backups are stored in the basement.'],
    ['In what village was he born in?', 'Wola', 'He was born in Wola.'],
    // how
    ['How many moons does Jupiter have?', '95', 'Jupiter has 95 moons.'],
    ['How many people were killed?', '3,000', '3,000 people were killed.'],
    ['How many lakes are there in Montana?', '3,223', 'There are 3,223 lakes in Montana.'],
    ['How many boroughs comprise New York?', 'five', 'Five boroughs comprise New York.'],
    ['How many pigs died?', '1 million', '1 million pigs died.'],
    ['How much did it cost?', '$5', 'It cost $5.'],
    ['How much does the Gullbox cost?', '410 euros', 'The Gullbox costs 410 euros.'],
    ['How long did the war last?', 'six years', 'The war lasted six years.'],
    ['How long is the river?', '300 km', 'The river is 300 km long.'],
    ['How tall is the tower?', '300 metres tall', 'The tower is 300 metres tall.'],
    ['How did he die?', 'drowning', 'He died by drowning.'],
    ['How is the fee paid?', 'by card', 'The fee is paid by card.'],
    // why
    ['Why did the feed stop?', 'the server failed', 'The feed stopped because the server failed.'],
    [
      'Why are dogs seen as unclean?',
      'because of scavenging',
      'Dogs are seen as unclean because of scavenging.',
    ],
    // yes or no
    ['Is Paris the capital of France?', 'yes', 'Paris is the capital of France.'],
    ['Is Lyon the capital of France?', 'No', 'Lyon is not the capital of France.'],
    ['Was the bridge built in 1900?', 'yes', 'The bridge was built in 1900.'],
    ['Did Chopin live in Paris?', 'yes', 'Chopin lived in Paris.'],
    ['Does the office open on Monday?', 'no', 'The office does not open on Monday.'],
    ['Can visitors use the archive?', 'yes', 'Visitors can use the archive.'],
    ['Is Jupiter larger or smaller?', 'larger', 'Jupiter is larger.'],
    // yes means that it is, whether or not the question doubts it
    ["Isn't Oslo the capital of Norway?", 'Yes', 'Oslo is the capital of Norway.'],
    ["Isn't Oslo the capital of Norway?", 'No', 'Oslo is not the capital of Norway.'],
    ["Didn't the team win the cup?", 'yes', 'The team won the cup.'],
    ["Can't visitors use the archive?", 'no', 'Visitors can not use the archive.'],
    ["Won't visitors use the archive?", 'yes', 'Visitors will use the archive.'],
    ["Hasn't the bridge been built?", 'yes', 'The bridge has been built.'],
    // a number is no denial
    ['Is the winner No. 5 or No. 7?', 'No. 5', 'The winner is No. 5.'],
    // leads and question words inside
    ['In 1900, who won the race?', 'Smith', 'In 1900, Smith won the race.'],
    ['In 1849 where did Chopin live?', 'Chaillot', 'In 1849 Chopin lived in Chaillot.'],
    ['Dune was written by whom?', 'Frank Herbert', 'Dune was written by Frank Herbert.'],
    ['The bus station is called what?', 'Port Authority', 'The bus station is called Port Authority.'],
    ['It was founded in which year?', '1900', 'It was founded in 1900.'],
    // no question form
    ['capital of France', 'Paris', 'Capital of France is Paris.'],
    ['Name a river in Peru.', 'the Amazon', 'The answer to "Name a river in Peru" is the Amazon.'],
    ['', 'Paris', 'Paris.'],
    ['?', 'Paris', 'Paris.'],
    ['Who wrote Dune?', '', 'Wrote Dune.'],
  ])('%s + %s', (question, answer, statement) => {
    expect(toStatement(question, answer)).toBe(statement);
  });

  it('keeps invisible characters and line breaks out of the claim', () => {
    expect(toStatement('Who\u200b wrote\n\u001b[31mDune\u202e?', 'Frank\tHerbert')).toBe(
      'Frank Herbert wrote [31mDune.',
    );
  });

  it('takes words of the language for words', () => {
    expect(toStatement('What is constructor?', '__proto__')).toBe('Constructor is __proto__.');
    expect(toStatement('Who did toString hasOwnProperty?', 'valueOf')).toContain('valueOf');
  });

  it('holds the answer and ends as a sentence, whatever the question', () => {
    const words =
      'who what when where why how which many much did does is was has can in of the founded Rome ? built'.split(
        ' ',
      );
    const first = fc.constantFrom(...'Who What When Where Why How Which In Rome Founded'.split(' '));
    const question = fc
      .tuple(first, fc.array(fc.constantFrom(...words), { maxLength: 14 }))
      .map(([a, b]) => [a, ...b].join(' '));
    fc.assert(
      fc.property(question, (asked) => {
        const claim = toStatement(asked, 'Zanzibar 7');
        expect(claim).toContain('Zanzibar 7');
        expect(claim).toMatch(/[.!?]$/);
        expect(claim).not.toMatch(/undefined|null/);
      }),
      { numRuns: 2000 },
    );
  });

  it('gives some sentence for any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary', minLength: 1 }),
        (asked, answer) => {
          expect(toStatement(`${asked} x`, `${answer} y`)).toMatch(/\S[.!?]$/);
        },
      ),
    );
  });

  it('cuts what is longer than a question, in no time', () => {
    const claim = toStatement('who '.repeat(500_000), 'x'.repeat(1_000_000));
    expect(claim.length).toBeLessThan(1000);
  });
});

describe('a yes-or-no question', () => {
  it.each([
    'Is it allowed to climb a mast?',
    "  Isn't the bridge old",
    'Can\u2019t I return it?',
    'does the K2 float?',
    'Can you swim with it?',
    'Do you know the bridge?',
  ])('%s', (question) => {
    expect(isYesNoQuestion(question)).toBe(true);
  });

  it.each([
    'When was the bridge built?',
    'Could you tell me who built the bridge?',
    'Do you know when it opened?',
    'Island bridges',
    'What is it?',
    '',
  ])('is not: %s', (question) => {
    expect(isYesNoQuestion(question)).toBe(false);
  });
});
