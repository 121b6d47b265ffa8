import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openTitles } from './titles.ts';

/** Documents of one passage each; those of the test first, then enough others that names lead somewhere. */
function titlesOf(titles: readonly string[], others = 120) {
  const all = [...titles, ...Array.from({ length: others }, (_, i) => `Otherwise Named ${i}`)];
  const documents = all.map((title, first) => ({ title, first, passages: 1 }));
  return openTitles(documents);
}

const TITLES = [
  'Shirley Temple',
  'Kiss and Tell (1945 film)',
  'Kiss and Tell (play)',
  'Paris',
  'Person-centred therapy',
  'University of Oslo',
  'The',
  'Temple',
  '1945',
  'Gabriel García Márquez',
  'notes on setting up',
  'Harbour > Opening hours',
];

test.each<[string, string[]]>([
  ['The film stars Shirley Temple as a girl.', ['Shirley Temple']],
  ['It follows "Kiss and Tell".', ['Kiss and Tell (1945 film)', 'Kiss and Tell (play)']],
  ['They kiss and tell.', []],
  ['She lives in Paris.', ['Paris']],
  ['She met Paris Hilton, and New Paris is a town.', []],
  ['The man went to the University of Oslo in 1945.', ['University of Oslo']],
  ['gabriel garcia marquez wrote it', []],
  ['Gabriel Garcia Marquez wrote it', ['Gabriel García Márquez']],
  ['It is a notes on setting up page', []],
  ['Ask at the Harbour.', ['Harbour > Opening hours']],
  ['', []],
])('%s names %j', (text, named) => {
  const titles = titlesOf(TITLES)!;
  expect(titles.namedIn(text).map((place) => TITLES[place])).toEqual(named);
});

test('a title that many documents share leads nowhere, and few names are none at all', () => {
  const many = titlesOf(Array.from({ length: 5 }, () => 'Oxygen Cycle'))!;
  expect(many.namedIn('The Oxygen Cycle is old.')).toEqual([]);
  expect(titlesOf(['Oxygen Cycle'])!.namedIn('The Oxygen Cycle is old.')).toEqual([0]);
  expect(titlesOf(TITLES, 10)).toBeNull();
  expect(titlesOf([], 0)).toBeNull();
});

test('a passage belongs to its document', () => {
  const documents = Array.from({ length: 150 }, (_, i) => ({
    title: `Named ${i}`,
    first: 2 * i,
    passages: 2,
  }));
  const titles = openTitles(documents)!;
  expect([0, 1, 2, 299].map((ordinal) => titles.documentOf(ordinal))).toEqual([0, 0, 1, 149]);
});

test('any text names documents at most, each once, and every name that stands alone is found', () => {
  const titles = titlesOf(TITLES)!;
  const word = fc.constantFrom(
    'Shirley',
    'Temple',
    'Kiss',
    'and',
    'Tell',
    'Paris',
    'the',
    '1945',
    'É',
    '\ud800',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(word, fc.string()), { maxLength: 40 }), (words) => {
      const found = titles.namedIn(`${words.join(' ')}. Shirley Temple.`);
      expect(new Set(found).size).toBe(found.length);
      expect(found.length).toBeLessThanOrEqual(20);
      expect(found.every((place) => place >= 0 && place < TITLES.length + 120)).toBe(true);
    }),
  );
});
