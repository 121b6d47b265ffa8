import { expect, it } from 'vitest';
import { clash, type Quote } from './clash.ts';

const quote = (sentence: string, answer: string, more: Partial<Quote> = {}): Quote => ({
  sentence,
  answer,
  title: '',
  text: sentence,
  sure: false,
  ...more,
});
const RETENTION = 'How long are raw observations kept?';

it.each<[string, string, Quote, Quote]>([
  [
    'two values of one thing',
    RETENTION,
    quote('Raw observations are kept for 90 days.', '90 days'),
    quote('Raw observations are kept for 30 days.', '30 days'),
  ],
  [
    'a value with what the question calls it',
    'Which port does the proxy listen on?',
    quote('Port 8118 is what the proxy listens on.', 'Port 8118', { sure: true }),
    quote('The proxy listens on 9119.', '9119', { sure: true }),
  ],
  [
    'the same year beside both',
    'What is the population of Tyro?',
    quote('As of the 2010 census, the population of Tyro was 5,000.', '5,000'),
    quote('As of the 2010 census, the population of Tyro was 220.', '220'),
  ],
  [
    'years that are the answers',
    'When was the movement founded?',
    quote('The movement was founded in 1972.', '1972'),
    quote('The movement was founded in 1985.', '1985'),
  ],
  [
    'words that the question does not use, where the models are sure',
    'Who designed the footbridge?',
    quote('The footbridge was designed by Peter Aldous.', 'Peter Aldous', { sure: true }),
    quote('The drawings are by Maja Rehn.', 'Maja Rehn', { sure: true }),
  ],
  [
    'a time and a case that the question names',
    'What was the fee in 1990 if one joined in May?',
    quote('The fee was 20 euros.', '20 euros', {
      text: 'The fee in 1990 for who joined in May was 20 euros.',
    }),
    quote('In 1990 the fee was 30 euros if one joined in May.', '30 euros'),
  ],
  [
    'a case that is mentioned by the way',
    RETENTION,
    quote('Raw observations are kept for 90 days.', '90 days'),
    quote('Raw observations (if any) are kept for 30 days.', '30 days'),
  ],
  [
    'two states of one page',
    'What is the annual fee?',
    quote('The annual fee is 160 euros.', '160 euros', { title: 'Membership' }),
    quote('The annual fee is 180 euros.', '180 euros', { title: 'Membership' }),
  ],
])('two quotes clash: %s', (_, question, one, other) => {
  expect(clash(question, one, other)).toBe(true);
  expect(clash(question, other, one)).toBe(true);
});

it.each<[string, string, Quote, Quote]>([
  [
    'a port and an address',
    'Which port does the proxy listen on?',
    quote('Port 8118 is what the proxy listens on.', 'Port 8118', { sure: true }),
    quote('The proxy listens on 127.0.0.1.', '127.0.0.1', { sure: true }),
  ],
  [
    'another time',
    'How many counties made up the region?',
    quote('The region comprises 10 counties.', '10'),
    quote('In 1900, the region comprised seven counties.', 'seven'),
  ],
  [
    'another version',
    'What is the default size?',
    quote('The default size is 500.', '500'),
    quote('Since version 5.1 the default size is 1000.', '1000'),
  ],
  [
    'one amount in two units',
    'How long is the tunnel?',
    quote('The tunnel is 2.4 kilometres long.', '2.4 kilometres'),
    quote('The tunnel is 2,400 metres long.', '2,400 metres'),
  ],
  [
    'a rounded amount',
    'How high is the hill?',
    quote('The hill is 2,318 metres high.', '2,318 metres'),
    quote('The hill is about 2,300 metres high.', '2,300 metres'),
  ],
  [
    'two currencies',
    'What does the licence cost?',
    quote('The licence costs $90.', '$90'),
    quote('The licence costs 85 euros.', '85 euros'),
  ],
  [
    'a list',
    'What does the museum show?',
    quote('The museum shows tools, toys, and looms.', 'tools, toys, and looms'),
    quote('The museum shows clocks.', 'clocks'),
  ],
  [
    'a case of its own',
    RETENTION,
    quote('Raw observations are kept for 90 days.', '90 days'),
    quote('Raw observations are kept for 30 days if a farm leaves.', '30 days'),
  ],
  [
    'another option',
    'What status does the command return?',
    quote('With --quiet the command returns status 1.', '1'),
    quote('With --strict the command returns status 2.', '2'),
  ],
  [
    'what is and what is to come',
    'What are the annual sales of Rohm?',
    quote('Rohm has $4 billion in annual sales.', '$4 billion'),
    quote('Rohm will have annual sales of $6.5 billion.', '$6.5 billion'),
  ],
  [
    'nothing that the question names, though the models are sure',
    'Who is the lead singer of Nirvana?',
    quote('Kurt Cobain was the lead singer of Nirvana.', 'Kurt Cobain', { sure: true }),
    quote('Lead vocalist: Fred Durst, 28.', 'Fred Durst', { sure: true }),
  ],
  [
    'navigation',
    'What is the next section?',
    quote('The next section is Arrays.', 'Arrays'),
    quote('Next: Aliases, Up: the section', 'Aliases'),
  ],
  [
    'another subject',
    RETENTION,
    quote('Raw observations are kept for 90 days.', '90 days'),
    quote('Letters are kept for 30 days.', '30 days'),
  ],
  [
    'answers of other kinds',
    RETENTION,
    quote('Raw observations are kept for 90 days.', '90 days'),
    quote('Raw observations are kept at Aldmere, 3 gigabytes a day.', '3 gigabytes'),
  ],
  [
    'parts of one work that say different things',
    'What does NADPH store?',
    quote('NADPH and ATP store what light gives.', 'light', { title: 'Chloroplast > Light' }),
    quote('Many molecules store the energy of NADPH for the dark.', 'the energy', { title: 'Chloroplast' }),
  ],
])('two quotes do not clash: %s', (_, question, one, other) => {
  expect(clash(question, one, other)).toBe(false);
  expect(clash(question, other, one)).toBe(false);
});
