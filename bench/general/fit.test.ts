import { expect, it } from 'vitest';
import { closings, differenceOf, figuresOf, leftOut, meanOverSets, tells } from './evaluate.ts';
import { fitGeneral, meanUtility } from './fit.ts';
import type { Item } from './judged.ts';
import { always, general } from './rules.ts';
import { item } from './testing/items.ts';

const OPTIONS = { span: ['s'], passage: ['p'], ridge: 1e-6, shrink: 5 };

/** `right` of `of` questions of a set with this value, for a span or for a passage alone. */
function many(set: string, kind: 'span' | 'passage', value: number, right: number, of: number): Item[] {
  return Array.from({ length: of }, (_, i) =>
    item({
      set,
      group: `${set}-${kind}-${value}-${i}`,
      values: { s: kind === 'span' ? value : -9, p: kind === 'passage' ? value : -9 },
      right: { span: kind === 'span' && i < right, passage: kind === 'passage' && i < right, first: false },
    }),
  );
}
const pool = (set: string) => [
  ...many(set, 'span', 1, 18, 20),
  ...many(set, 'span', 0, 8, 20),
  ...many(set, 'passage', 1, 17, 20),
  ...many(set, 'passage', 0, 6, 20),
];

it('fits a rule that answers where right is likelier than wrong, and nowhere else', () => {
  const items = [...pool('one'), ...pool('two')];
  const rule = general(fitGeneral(items, OPTIONS), 0.5);
  // Of 160 questions those with the value of 1 are answered: 18 + 17 of 40 right in each set, 5 wrong.
  expect(meanUtility(items, rule, 1)).toBeCloseTo((35 - 5) / 80, 10);
  expect(rule(item({ values: { s: 1, p: -9 } }))).toBe('span');
  expect(rule(item({ values: { s: -9, p: 1 } }))).toBe('passage');
  expect(rule(item({ values: { s: 0, p: 0 } }))).toBeNull();
});

it('prefers the passage where spans that are likely enough are right less often', () => {
  const both = (right: { span: boolean; passage: boolean }) =>
    item({ values: { s: 1, p: 1 }, right: { ...right, first: null } });
  const items = [
    ...Array.from({ length: 20 }, (_, i) => both({ span: i < 12, passage: i < 18 })),
    ...many('one', 'span', 0, 2, 20),
    ...many('one', 'passage', 0, 2, 20),
  ];
  const rule = general(fitGeneral(items, OPTIONS), 0.5);
  expect(rule(both({ span: true, passage: true }))).toBe('passage');
});

it('never lets a rule see the set that it is tried on', () => {
  const items = ['one', 'two', 'three'].flatMap((set) => [item({ set }), item({ set })]);
  const seen: string[][] = [];
  const shown = leftOut(items, (others) => {
    const sets = [...new Set(others.map(({ set }) => set))];
    seen.push(sets);
    return ({ set }) => (sets.includes(set) ? 'first' : 'passage');
  });
  expect(seen).toEqual([
    ['two', 'three'],
    ['one', 'three'],
    ['one', 'two'],
  ]);
  expect(shown).toEqual(items.map(() => 'passage'));
  // What the labels of the set itself are changes nothing there.
  const fitted = (some: readonly Item[]) => general(fitGeneral(some, OPTIONS), 0.5);
  const [a, b] = [pool('one'), [...pool('two'), ...pool('three')]];
  const turned = a.map((each) => ({ ...each, right: { span: false, passage: false, first: false } }));
  expect(leftOut([...turned, ...b], fitted).slice(0, a.length)).toEqual(
    leftOut([...a, ...b], fitted).slice(0, a.length),
  );
});

it('counts what is answered, and what of it is wrong', () => {
  const items = [
    item({}),
    item({ right: { span: null, passage: false, first: null } }),
    item({ answerable: false, right: { span: null, passage: false, first: null } }),
    item({ answerable: false }),
  ];
  const shown = ['passage', 'passage', 'passage', null] as const;
  const figures = figuresOf(items, shown);
  expect(figures).toEqual({
    n: 4,
    answerable: 2,
    coverage: 0.75,
    risk: 2 / 3,
    useful: 0.5,
    falseAnswers: 0.5,
    utility: -0.25,
  });
  const silent = figuresOf(items, [null, null, null, null]);
  expect(silent.risk).toBeNull();
  expect(meanOverSets([figures, silent])).toMatchObject({
    n: 8,
    coverage: 0.375,
    risk: 2 / 3,
    utility: -0.125,
  });
  expect(
    differenceOf(
      items,
      shown,
      items.map(() => null),
      1,
    ).mean,
  ).toBe(-0.25);
});

it('says in which sets a number tells right from wrong', () => {
  const right = (set: string, x: number | null, passage: boolean) =>
    item({ set, values: { x }, right: { span: null, passage, first: null } });
  const items = [
    right('one', 1, true),
    right('one', null, false),
    right('two', 0, true),
    right('two', 1, false),
    right('three', 1, true),
  ];
  const { bySet, mean, pooled } = tells(
    items,
    ({ values }) => values.x ?? null,
    ({ right }) => right.passage === true,
  );
  expect([...bySet]).toEqual([
    ['one', 1],
    ['two', 0],
    ['three', null],
  ]);
  expect([mean, pooled]).toEqual([0.5, (1 + 0.5 + 1 + 0.5 + 1 + 0) / 6]);
});

it('says what a layer keeps back', () => {
  const wrong = { span: null, passage: false, first: null };
  const items = [
    item({ closed: 'scope' }),
    item({ closed: 'scope', right: wrong }),
    item(),
    item({ closed: 'coverage' }),
  ];
  expect(closings(items, always)).toEqual([
    { name: 'scope', set: 'one', closes: 2, held: 1, right: 1, wrong: 1 },
    { name: 'coverage', set: 'one', closes: 1, held: 1, right: 1, wrong: 0 },
  ]);
});
