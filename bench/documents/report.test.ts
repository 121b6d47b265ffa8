import { expect, it } from 'vitest';
import { type Asked, CONTENDERS, type ContenderOutput } from './asked.ts';
import { renderDocuments } from './render.ts';
import { reportOn, rowsOf } from './report.ts';
import type { Question } from './types.ts';

const says = (
  text: string | null,
  action: ContenderOutput['action'] = text === null ? 'ABSTAIN' : 'ANSWER',
): ContenderOutput => ({
  action,
  shown:
    text === null ? null : { text, quotes: [text], verdict: null, form: 'span', band: 'HIGH', cut: null },
  offered: [],
});

/** The product says `mine`, every other contender `theirs`. */
const asked = (id: string, mine: ContenderOutput, theirs: ContenderOutput): Asked => ({
  id,
  query: id,
  said: Object.fromEntries(
    CONTENDERS.map((name) => [name, name === 'product' ? mine : theirs]),
  ) as Asked['said'],
  decision: {} as Asked['decision'],
  closed: null,
  relevance: null,
  ms: Number(id),
});

const question = (id: string, more: Partial<Question> = {}): Question => ({
  id,
  query: id,
  group: id,
  act: 'FACT',
  kind: 'plain',
  expect: 'ANSWER',
  accept: [[/right/]],
  ...more,
});

const questions = [
  question('1'),
  question('2'),
  question('3', { act: 'DEFINITION' }),
  question('4', { act: 'DEFINITION' }),
  question('5', { expect: 'ABSTAIN', kind: 'unanswerable' }),
  question('6', { expect: 'ASK', kind: 'underspecified' }),
  question('7', { expect: 'ASK', kind: 'underspecified' }),
  question('8'),
];
const measured = new Map(
  [
    asked('1', says('right'), says('quite right too')),
    asked('2', says('not that'), says('right')),
    asked('3', says(null), says('right')),
    asked('4', says(null, 'ASK'), says('not that')),
    asked('5', says('made up'), says(null)),
    asked('6', says(null, 'ASK'), says('some value')),
    asked('7', says('some value'), says('some value')),
  ].map((one) => [one.id, one]),
);
const rows = rowsOf(questions, measured);
const report = reportOn({ name: 'set', about: 'made up', half: 'open', marked: true }, rows);

it('every share is of the questions that it is about; a question that was not asked counts nowhere', () => {
  const { product } = report.contenders;
  expect(product.n).toBe(7);
  expect([product.useful.value, product.useful.of]).toEqual([1 / 4, 4]);
  expect([product.silence.value, product.question.value]).toEqual([1 / 4, 1 / 4]);
  expect([product.wrong.value, product.wrong.of]).toEqual([2 / 7, 7]);
  expect([product.falseAnswer.value, product.falseAnswer.of]).toEqual([1, 1]);
  expect([product.askedBack.value, product.askedBack.of]).toEqual([1 / 2, 2]);
  expect(product.words.median).toBe(2);
  expect(product.f1).toEqual({ value: null, interval: null, of: 0 });
  expect(product.outcomes).toEqual({
    useful: 1,
    wrong: 1,
    'needless silence': 1,
    'needless question': 1,
    'false answer': 1,
    'asked back': 1,
    guessed: 1,
  });
});

it('holds the contenders against each other on the same questions, and each act apart', () => {
  const useful = report.differences.find(({ less, figure }) => less === 'plain rule' && figure === 'useful')!;
  expect(useful.difference).toMatchObject({ n: 4, mean: -1 / 2, aHigher: 0, bHigher: 2 });
  expect(report.byAct.map(({ name, contenders }) => [name, contenders.product.n])).toEqual([
    ['FACT', 5],
    ['DEFINITION', 2],
  ]);
  expect(report.byForm.map(({ name, figures }) => [name, figures.n])).toEqual([['span', 4]]);
  expect(report.ms.p50).toBe(4);
  expect(report.change).toBeNull();
  const { low, high } = report.contenders.product.useful.interval!;
  expect(low).toBeLessThan(1 / 4);
  expect(high).toBeGreaterThan(1 / 4);
});

it('says which half it is, and a dash where there is nothing to count', () => {
  const text = renderDocuments(report);
  expect(text).toContain('== set, open half: made up; 7 questions of 7 groups');
  expect(text).toMatch(/^DEFINITION +2 +0\.000.* – +– +–$/m);
});

it('is held against another run on the questions of both, judged anew', () => {
  const before = new Map([
    ['1', says('not that')],
    ['2', says('right')],
    ['5', says(null)],
  ]);
  const { change } = reportOn({ name: 'set', about: '', half: 'open', marked: true }, rows, before);
  expect(change!.find(({ figure }) => figure === 'useful')!.difference).toMatchObject({
    n: 2,
    mean: 0,
    aHigher: 1,
    bHigher: 1,
  });
  expect(change!.find(({ figure }) => figure === 'wrong')!.difference.n).toBe(3);
});
