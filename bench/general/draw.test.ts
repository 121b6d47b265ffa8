import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seededRandom } from '../../common/index.ts';
import { draw } from './draw.ts';
import { isRight } from './judged.ts';
import type { PoolQuestion, PoolSet } from './types.ts';

const question = (given: Partial<PoolQuestion>): PoolQuestion => ({
  id: 'q',
  query: 'Which?',
  group: 'g',
  act: null,
  kind: 'span',
  expect: 'ANSWER',
  homes: [],
  ...given,
});

function setOf(homes: readonly (readonly number[])[], own: number, removes: boolean): PoolSet {
  return {
    name: 'set',
    about: '',
    licence: '',
    documents: Array.from({ length: 12 }, (_, i) => ({ id: `d${i}`, title: '', text: `${i}` })),
    questions: [
      ...homes.map((at, i) => question({ id: `a${i}`, homes: [...new Set(at)].map((place) => `d${place}`) })),
      ...Array.from({ length: own }, (_, i) => question({ id: `u${i}`, expect: 'ABSTAIN' })),
    ],
    removes,
  };
}

it('leaves the homes of what it makes unanswerable out of the index, and no home of what it does not', () => {
  const homes = fc.array(fc.array(fc.nat(11), { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(homes, fc.nat(5), fc.boolean(), fc.nat(99), (places, own, removes, seed) => {
      const set = setOf(places, own, removes);
      const { questions, documents } = draw(
        set,
        { answerable: 6, unanswerable: 4, documents: 5 },
        seededRandom(seed),
      );
      const there = new Set(documents.map(({ id }) => id));
      expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
      for (const { id, expect: due, homes } of questions) {
        if (due === 'ANSWER') expect(homes.every((home) => there.has(home))).toBe(true);
        else if (id.startsWith('a')) expect(homes.some((home) => there.has(home))).toBe(false);
      }
      const counted = questions.filter(({ expect }) => expect === 'ANSWER').length;
      expect(counted).toBeLessThanOrEqual(6);
      expect(questions.length - counted).toBeLessThanOrEqual(4);
      if (!removes) expect(questions.length - counted).toBe(Math.min(4, own));
    }),
  );
});

it('draws the same twice', () => {
  const set = setOf([[1], [2], [3], [4]], 2, true);
  const counts = { answerable: 2, unanswerable: 2, documents: 9 };
  expect(draw(set, counts, seededRandom(1))).toEqual(draw(set, counts, seededRandom(1)));
});

it('takes what a person would', () => {
  const shown = {
    text: 'It was built in 1900.',
    quotes: ['It was built in 1900, of steel and stone.'],
    verdict: null,
    form: 'passage',
    band: 'LOW',
    cut: null,
  } as const;
  const golds = (...all: string[]) => isRight(question({ golds: all }), shown);
  expect(golds('1900')).toBe(true);
  expect(golds('190')).toBe(false);
  expect(golds('')).toBe(false);
  // A long answer needs no word for word.
  expect(golds('The bridge was built by the town in the year 1900, of steel')).toBe(true);
  expect(isRight(question({ golds: ['1900'], expect: 'ABSTAIN' }), shown)).toBe(false);
  const due = question({ verdicts: ['yes'], anchors: ['built in 1900, of steel and'] });
  expect(isRight(due, shown)).toBe(true);
  expect(isRight({ ...due, anchors: ['something else that stands there'] }, shown)).toBe(false);
  expect(isRight(due, { ...shown, verdict: 'no' })).toBe(false);
  expect(isRight(question({ golds: ['no'] }), { ...shown, verdict: 'no' })).toBe(true);
  expect(isRight(question({ golds: ['no'] }), { ...shown, text: 'There is no bridge.' })).toBe(false);
});
