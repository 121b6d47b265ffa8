import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exampleOf } from '../labels/examples.ts';
import type { Example } from '../types.ts';
import { assertDisjoint, separateTest } from './disjoint.ts';
import { SPLITS, splitExamples } from './split.ts';

const SHARES = { tune: 0.2, calibrate: 0.4, test: 0.4 };

/** Words that no two questions share. */
const example = (id: string, group: string, more: Partial<Example> = {}): Example => ({
  id,
  query: `${id}x ${id}y ${id}z`,
  group,
  ...more,
});

const articles = (sizes: readonly number[]) =>
  sizes.flatMap((size, article) =>
    Array.from({ length: size }, (_, i) => example(`q${article}n${i}`, `article ${article}`)),
  );

const idsOf = (examples: readonly Example[]) => examples.map(({ id }) => id).sort();

describe('splitExamples', () => {
  it('keeps what belongs together together, loses nothing, whatever the order', () => {
    const arbitrary = fc.record({
      groups: fc.array(fc.nat(6), { minLength: 1, maxLength: 60 }),
      documents: fc.array(fc.nat(30), { minLength: 60, maxLength: 60 }),
      queries: fc.array(fc.nat(40), { minLength: 60, maxLength: 60 }),
      seed: fc.integer(),
    });
    fc.assert(
      fc.property(arbitrary, ({ groups, documents, queries, seed }) => {
        const examples = groups.map((group, i) =>
          example(`q${i}`, `g${group}`, {
            query: `number${queries[i]}`,
            passages: documents[i]! < 20 ? [`d${documents[i]}#${i}`] : [],
          }),
        );
        const { report, ...splits } = splitExamples(examples, { shares: SHARES, seed });
        assertDisjoint(splits);
        expect(idsOf(SPLITS.flatMap((name) => splits[name]))).toEqual(idsOf(examples));
        for (const name of SPLITS) expect(report.splits[name].examples).toBe(splits[name].length);
        const turned = splitExamples(examples.toReversed(), { shares: SHARES, seed });
        for (const name of SPLITS) expect(idsOf(turned[name])).toEqual(idsOf(splits[name]));
        expect(turned.report).toEqual(report);
      }),
    );
  });

  it('reaches the shares to within an example where questions stand alone', () => {
    const { report } = splitExamples(articles(Array(101).fill(1)), { shares: SHARES, seed: 7 });
    const { tune, calibrate, test } = report.splits;
    expect([tune.examples, calibrate.examples, test.examples].sort((a, b) => a - b)).toEqual([20, 40, 41]);
    expect(report.remarks).toEqual([]);
  });

  it('reaches shares that unequal groups can reach', () => {
    const sizes = [70, 40, 40, 30, 30, 30, 20, 20, 10, 10];
    for (let seed = 0; seed < 20; seed++) {
      const { report } = splitExamples(articles(sizes), { shares: SHARES, seed });
      for (const name of SPLITS) {
        const { examples, wanted } = report.splits[name];
        expect(Math.abs(examples - wanted * 300)).toBeLessThanOrEqual(10);
      }
    }
  });

  it('depends on the seed, and puts large groups into every split', () => {
    const sizes = [400, 300, 200, 100, 90, 80, 70, 60, 50, 40, 30, 20, 10];
    const largest = new Set<string>();
    const outcomes = new Set<string>();
    for (let seed = 0; seed < 40; seed++) {
      const splits = splitExamples(articles(sizes), { shares: { tune: 1, calibrate: 1, test: 1 }, seed });
      largest.add(SPLITS.find((name) => splits[name].some(({ group }) => group === 'article 0'))!);
      outcomes.add(idsOf(splits.tune).join());
    }
    expect(largest.size).toBe(3);
    expect(outcomes.size).toBeGreaterThan(20);
  });

  it('says what it could not do', () => {
    const examples = [...articles([50, 50]), example('tie', 'article 0', { query: 'q1n7x q1n7y q1n7z' })];
    const { report } = splitExamples(examples, { shares: SHARES, seed: 1 });
    expect(report).toMatchObject({ groups: 2, components: 1, largest: 101 });
    expect(report.duplicates).toEqual({ sets: 1, questions: 2, acrossGroups: 1 });
    expect(report.remarks[0]).toContain('2 groups count as 1 document:');
    expect(report.remarks.at(-1)).toContain('101');
    const empty = SPLITS.filter((name) => report.splits[name].examples === 0);
    expect(empty).toHaveLength(2);
    for (const name of empty) expect(report.remarks.join(' ')).toContain(`${name} has 0 examples`);
  });

  it('gives a split without a share nothing', () => {
    const { tune, calibrate, test } = splitExamples(articles([9, 5, 3, 1, 1, 1]), {
      shares: { tune: 0, calibrate: 1, test: 1 },
      seed: 3,
    });
    expect(tune).toEqual([]);
    expect([calibrate.length, test.length]).toEqual([10, 10]);
  });

  it('takes an empty list', () => {
    const { tune, report } = splitExamples([], { shares: SHARES, seed: 1 });
    expect(tune).toEqual([]);
    expect(report).toMatchObject({ examples: 0, components: 0, largest: 0, remarks: [] });
  });

  it.each([
    { shares: { tune: 0, calibrate: 0, test: 0 }, seed: 1 },
    { shares: { tune: -1, calibrate: 1, test: 1 }, seed: 1 },
    { shares: { tune: Number.NaN, calibrate: 1, test: 1 }, seed: 1 },
    { shares: SHARES, seed: 0.5 },
    { shares: SHARES, seed: 1, nearDuplicate: 0 },
    { shares: SHARES, seed: 1, nearDuplicate: 1.1 },
  ])('refuses $shares, seed $seed, similarity $nearDuplicate', (options) => {
    expect(() => splitExamples(articles([3]), options)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});

describe('assertDisjoint', () => {
  it.each([
    ['group', example('b', 'one'), 'the group "one"'],
    ['document', example('b', 'two', { passages: ['x', 'guide.md#9'] }), 'the document "guide.md"'],
    ['question', example('b', 'two', { query: 'AX, ay, az!' }), '(nearly) the same question, "AX, ay, az!"'],
  ])('names both that share a %s', (_, other, words) => {
    const lists = { calibrate: [example('a', 'one', { passages: ['guide.md#1'] })], test: [other] };
    expect(() => assertDisjoint(lists)).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: `"a" (calibrate) and "b" (test) share ${words}.`,
      }),
    );
  });

  it('does not take a document for a group of the same name, nor a list for another', () => {
    assertDisjoint({ dev: [example('a', 'x')], test: [example('b', 'y', { passages: ['x'] })] });
    assertDisjoint({ dev: [example('a', 'x'), example('b', 'x')], test: [] });
  });
});

describe('a test file of its own', () => {
  it('shares nothing by ids alone, which lines without one have from their place', () => {
    const one = exampleOf({ id: 'line-1', query: 'who built it' });
    const other = exampleOf({ id: 'line-1', query: 'when does it open' });
    expect(separateTest([one], [other], 'refuse').test).toEqual([other]);
    expect(() => separateTest([one], [{ ...other, query: 'Who built it?' }], 'refuse')).toThrow(/question/);
  });

  const long = 'in which year did the committee decide that the old bridge over the river must be closed';
  const dev = [example('a', 'one', { passages: ['guide.md#1'] }), example('b', 'two', { query: long })];
  const near = long.replace('must', 'should');
  const test = [
    example('p', 'one'),
    example('q', 'three', { passages: ['guide.md'] }),
    example('r', 'four', { query: near }),
    example('s', 'five', { query: `${near}?` }),
    example('t', 'six'),
  ];

  it('is refused when it shares anything', () => {
    expect(() => separateTest(dev, test, 'refuse')).toThrow(
      /"a" \(development\) and "p" \(test\).* 4 examples/,
    );
  });

  it('loses what it shares, copies of a near-duplicate among them, and says how much', () => {
    const { test: left, dropped } = separateTest(dev, test, 'drop');
    expect(idsOf(left)).toEqual(['t']);
    expect(dropped).toEqual({ group: 1, document: 1, question: 2 });
    expect(separateTest(dev, left, 'refuse').test).toEqual(left);
  });

  it('is refused when nothing is left', () => {
    expect(() => separateTest(dev, test.slice(0, 2), 'drop')).toThrow(
      expect.objectContaining({ code: 'EMPTY_INPUT' }),
    );
  });
});
