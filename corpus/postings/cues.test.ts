import { describe, expect, it } from 'vitest';
import { definedIn, isCausal, isProcedural } from './cues.ts';
import { QUANTITY, quantitiesIn } from './quantities.ts';
import { sentences } from './sentences.ts';

describe('definedIn', () => {
  it.each<[string, string[]]>([
    ['A solar cell is a device that converts light.', ['A solar cell']],
    ['In Buddhism, Karma (from Sanskrit: "action, work") is the force that drives saṃsāra.', ['Karma']],
    ['The term valve means a device that controls flow.', ['valve']],
    ['It is a small town in Bavaria.', ['Oberau']],
    ['Quorum: the number of members who must be present.', ['Quorum']],
    ['The valve is called a check valve.', ['a check valve']],
    ['Ada Lovelace, an English mathematician, wrote it.', ['Ada Lovelace']],
    ['She runs the National Park Service (NPS) and the zoo.', ['National Park Service NPS']],
    ['We went home early and slept.', []],
  ])('%s', (sentence, defined) => {
    expect(definedIn(sentence, 'Oberau')).toEqual(defined);
  });
});

describe('quantitiesIn', () => {
  it.each<[string, number]>([
    ['The tower is 330 metres tall.', QUANTITY.NUMBER | QUANTITY.LENGTH],
    ['It cost $5 in 1998.', QUANTITY.NUMBER | QUANTITY.MONEY | QUANTITY.DATE],
    [
      'About 12% of twenty members left within two years.',
      QUANTITY.NUMBER | QUANTITY.PERCENT | QUANTITY.DURATION,
    ],
    [
      'Bake at 180 °C for 25 minutes with 200 g of flour.',
      QUANTITY.NUMBER | QUANTITY.TEMPERATURE | QUANTITY.DURATION | QUANTITY.MASS,
    ],
    ['The farm covers 40 acres; trains run at 90 km/h.', QUANTITY.NUMBER | QUANTITY.AREA | QUANTITY.SPEED],
    ['Nobody knows.', 0],
  ])('%s', (sentence, bits) => {
    expect(quantitiesIn(sentence)).toBe(bits);
  });
});

it('tells causes and steps from other sentences', () => {
  expect(isCausal('The bridge closed because the river rose.')).toBe(true);
  expect(isCausal('The bridge is long.')).toBe(false);
  for (const step of [
    '1. Open the lid.',
    '- Press the button',
    'Then remove the cover.',
    'It is cleaned by rinsing it.',
  ]) {
    expect(isProcedural(step)).toBe(true);
  }
  expect(isProcedural('The bridge is long.')).toBe(false);
});

describe('sentences', () => {
  it.each<[string, string[]]>([
    ['One. Two? "Three!" Four', ['One. ', 'Two? ', '"Three!" ', 'Four']],
    ['Dr. Smith met J. Doe at 3.5 km. Then he left.', ['Dr. Smith met J. Doe at 3.5 km. ', 'Then he left.']],
    ['Do this:\n- one\n- two\n\nEnd', ['Do this:\n', '- one\n', '- two\n', '\nEnd']],
    ['一つ。二つ。', ['一つ。', '二つ。']],
    ['', []],
  ])('%j', (text, cut) => {
    expect(sentences(text)).toEqual(cut);
    expect(sentences(text).join('')).toBe(text);
  });

  it('takes a megabyte of one character in linear time', () => {
    for (const unit of ['.', ' ', '\n', 'a', 'A ', '(', '"', '. "']) {
      const text = unit.repeat(1_000_000 / unit.length);
      expect(sentences(text).join('').length).toBe(text.length);
    }
  });
});

it('looks at a megabyte of one sentence in linear time', () => {
  for (const unit of [
    'a',
    'A',
    'a-',
    'a ',
    'A ',
    '1 ',
    '(',
    ', ',
    'called ',
    'Ab ',
    '- ',
    'a(',
    ' is a ',
    '9',
  ]) {
    const text = unit.repeat(1_000_000 / unit.length);
    const seen = [
      definedIn(text, 't').length,
      quantitiesIn(text),
      Number(isCausal(text)),
      Number(isProcedural(text)),
    ];
    expect(seen.every((n) => n >= 0)).toBe(true);
  }
});
