import { describe, expect, it } from 'vitest';
import { randomInteger, seededRandom } from '../../common/index.ts';
import { parseLevel } from '../levels/level.ts';
import { documentsToWin, leastDocuments, logCapital, STAKES, wins } from './bets.ts';
import { floorWithoutErrors } from './binomial.ts';
import { calibrateActs, LEAST_DOCUMENTS } from './calibrate-acts.ts';
import { conformalThreshold } from './conformal.ts';
import { conformalByDocument } from './conformal-documents.ts';
import { answeredDocuments, documentsOf } from './documents.ts';
import type { Scored } from './types.ts';

const LEVEL = parseLevel('0.1');
const DELTA = parseLevel('0.1');

/** `count` documents of `each` questions, U evenly from 1 / each to 1; wrong where said. */
function documents(
  count: number,
  each: number,
  wrong: (document: number, place: number) => boolean,
): Scored[] {
  return Array.from({ length: count * each }, (_, i): Scored => {
    const [document, place] = [Math.floor(i / each), i % each];
    const U = (place + 1) / each;
    return {
      act: 'FACT',
      U,
      wrong: wrong(document, place),
      answerable: true,
      group: `d${document}`,
      draw: i,
    };
  });
}

describe('conformalByDocument', () => {
  it('gives every document one vote, however many questions it has', () => {
    // Nine documents with one question at 0.1, one with a hundred at 0.9: by questions .9 would be the threshold.
    const votes = [...Array.from({ length: 9 }, () => [0.1]), new Array<number>(100).fill(0.9)];
    expect(conformalByDocument(votes, parseLevel('0.8'))).toMatchObject({ tau: 0.1, n: 109, why: 'reached' });
    expect(conformalByDocument(votes, parseLevel('0.9')).tau).toBe(0.9);
    expect(conformalThreshold(votes.flat(), parseLevel('0.8')).tau).toBe(0.9);
  });

  it('adds up thirds exactly', () => {
    // Four votes, level .8: all of them are wanted, 3 * 1/3 + 3 * 1/3 + 3 * 1/3 + 1, and no less.
    const votes = [[0.1, 0.2, 0.3], [0.1, 0.2, 0.4], [0.1, 0.2, 0.5], [0.2]];
    expect(conformalByDocument(votes, parseLevel('0.8'))).toMatchObject({ tau: 0.5, k: 10 });
    // Five votes: 4.8 of 5.
    expect(conformalByDocument([...votes, [0.1, 0.1, 0.1, 0.1, 0.6]], parseLevel('0.8'))).toMatchObject({
      tau: 0.5,
      documents: { n: 5, share: (4 + 4 / 5) / 5 },
    });
  });

  it('is split conformal where every document has one question', () => {
    const random = seededRandom(5);
    for (const text of ['0.5', '0.8', '0.57', '0.95']) {
      for (const n of [1, 4, 19, 99, 199]) {
        const scores = Array.from({ length: n }, () => random());
        const one = conformalByDocument(
          scores.map((score) => [score]),
          parseLevel(text),
        );
        const { tau, why, needed } = conformalThreshold(scores, parseLevel(text));
        expect(one).toMatchObject({ tau, why, needed });
      }
    }
  });

  it('says how many documents are missing, and when gates keep the level out of reach', () => {
    const long = new Array<number>(500).fill(0.5);
    expect(conformalByDocument([long, long, long], parseLevel('0.8'))).toMatchObject({
      ...{ tau: null, why: 'too-few', needed: 1, n: 1_500 },
      documents: { n: 3, share: null },
    });
    expect(conformalByDocument([], parseLevel('0.8'))).toMatchObject({ why: 'too-few', needed: 4 });
    const shut = [[0.1, Infinity], [0.1], [0.1], [0.1]];
    expect(conformalByDocument(shut, parseLevel('0.8'))).toMatchObject({
      why: 'gates',
      needed: null,
      open: 4,
    });
  });
});

describe('bets', () => {
  it('are, for whole shares, the mean over all draws of one answer a document', () => {
    // Capital is linear in each share: the mean over independent 0-1 draws of the products is the product of means.
    const shares = [0.25, 0.5, 0];
    const expected = [0, 1, 2, 3, 4, 5, 6, 7].reduce((sum, bits) => {
      const drawn = shares.map((_, i): number => (bits >> i) & 1);
      const chance = drawn.reduce((p, one, i) => p * (one ? shares[i]! : 1 - shares[i]!), 1);
      return sum + chance * Math.exp(logCapital(drawn, 0.1, 0.75));
    }, 0);
    expect(Math.exp(logCapital(shares, 0.1, 0.75))).toBeCloseTo(expected, 12);
  });

  it('have no expectation of gain where the mean is the level, whatever the shares are', () => {
    for (const stake of STAKES) {
      const factor = (share: number) => Math.exp(logCapital([share], 0.2, stake));
      expect(0.2 * factor(1) + 0.8 * factor(0)).toBeCloseTo(1, 12);
      expect(0.5 * factor(0.4) + 0.5 * factor(0)).toBeCloseTo(1, 12);
    }
  });

  it('lose everything on one wrong document at the full stake, and never win from it', () => {
    expect(logCapital([0, 0, 1], 0.1, 1)).toBe(-Infinity);
    expect(wins(-Infinity, 0.99)).toBe(false);
    expect(logCapital([1], 0.1, 0.5)).toBeGreaterThan(-Infinity);
  });

  it('need as many documents without an error as the binomial at the full stake, more at others', () => {
    for (const text of ['0.01', '0.05', '0.1', '0.3']) {
      const level = parseLevel(text);
      const exact = floorWithoutErrors(level, DELTA);
      expect(leastDocuments(Number(text), 1, 0.1)).toBe(exact);
      expect(leastDocuments(Number(text), 0.5, 0.1)).toBeGreaterThan(exact);
      const log = (n: number) => logCapital(new Array<number>(n).fill(0), Number(text), 1);
      expect([wins(log(exact - 1), 0.1), wins(log(exact), 0.1)]).toEqual([false, true]);
    }
    expect(documentsToWin(-0.1, 0.1)).toBeNull();
  });
});

describe('risk by documents', () => {
  const request = { target: 'risk', scope: 'global', level: LEVEL, delta: DELTA } as const;

  it('counts documents: a thousand questions about twenty prove less than 10 %', () => {
    const few = documents(20, 50, () => false);
    const found = calibrateActs(few, { ...request, tune: few }).global.risk!;
    expect(found).toMatchObject({ tau: null, why: 'too-few', floor: 22, needed: 2, n: 1_000 });
    expect(found.documents).toMatchObject({ n: 20, answered: 20, share: 0 });
    const enough = documents(22, 50, () => false);
    expect(calibrateActs(enough, { ...request, tune: enough }).global.risk).toMatchObject({ tau: 1 });
    const questions = { ...request, exchangeable: 'questions', tune: few } as const;
    expect(calibrateActs(few, questions).global.risk).toMatchObject({ tau: 1, documents: null });
  });

  it('passes where all documents have a few errors each, which one answer a document would not prove', () => {
    const data = documents(60, 25, (_, place) => place === 24);
    const { risk } = calibrateActs(data, { ...request, tune: data }).global;
    expect(risk).toMatchObject({ tau: 1, documents: { test: 'bet', answered: 60 } });
    expect(risk!.documents!.share).toBeCloseTo(0.04, 12);
    expect(floorWithoutErrors(LEVEL, DELTA)).toBeLessThan(60);
  });

  it('is the exact binomial where every document has one question', () => {
    const random = seededRandom(2);
    const one = Array.from({ length: 120 }, (_, i): Scored => {
      const U = random();
      return { act: 'FACT', U, wrong: random() < 0.04 * U, group: `d${i}` };
    });
    const grouped = calibrateActs(one, { ...request, tune: one });
    expect(grouped).toEqual(
      calibrateActs(
        one.map(({ group: _, ...item }) => item),
        { ...request, tune: one.map(({ group: _, ...item }) => item) },
      ),
    );
    expect(grouped.global.risk!.tau).not.toBeNull();
  });

  it('draws the answer that `draw` says, whatever the threshold hides', () => {
    const items: Scored[] = [
      { act: 'FACT', U: 0.9, wrong: true, group: 'a', draw: 0 },
      { act: 'FACT', U: 0.2, wrong: false, group: 'a', draw: 1 },
      { act: 'FACT', U: 0.1, wrong: true, group: 'a', draw: 2 },
      { act: 'FACT', U: null, wrong: true, group: 'b', draw: 0 },
    ];
    const found = answeredDocuments(items);
    expect(found).toMatchObject({ n: 2, open: 1, single: false });
    expect(found.at(1)).toEqual({ wrong: [2 / 3], drawnWrong: 1 });
    expect(found.at(0.5)).toEqual({ wrong: [0.5], drawnWrong: 0 });
    expect(found.at(0.15)).toEqual({ wrong: [1], drawnWrong: 1 });
    expect(found.at(0.05)).toEqual({ wrong: [], drawnWrong: 0 });
  });
});

describe('the ladder by documents', () => {
  const request = { target: 'coverage', level: parseLevel('0.8') } as const;

  it('counts documents, and examples where documents have few', () => {
    const short = calibrateActs(
      documents(LEAST_DOCUMENTS - 1, 40, () => false),
      request,
    );
    expect(short.acts.FACT).toMatchObject({
      rung: 'global',
      own: { coverage: { why: 'too-few', needed: 1 } },
    });
    const enough = documents(LEAST_DOCUMENTS, 40, () => false);
    expect(calibrateActs(enough, request).acts.FACT.rung).toBe('act');
    const thin = [...documents(20, 2, () => false)];
    expect(calibrateActs(thin, request).acts.FACT.own.coverage).toMatchObject({ n: 40, needed: 5 });
    expect(documentsOf(thin)).toHaveLength(20);
  });

  it('joint: bars for asking count documents as well', () => {
    const data = documents(40, 20, () => false);
    const joint = {
      target: 'joint',
      level: LEVEL,
      delta: DELTA,
      ask: parseLevel('0.3'),
      tune: data,
    } as const;
    const { silence } = calibrateActs(data, { ...joint, scope: 'global' }).global;
    // Silence falls evenly from 1 to 0 in each document: the bar lies above .7, by what 40 documents leave open.
    expect(silence!.askUpTo).toBeGreaterThan(0.7);
    expect(silence!.askUpTo).toBeLessThan(0.95);
    expect(silence!.documents).toEqual({ n: 40, share: expect.closeTo(1 - silence!.askUpTo!, 12) });
    const few = data.filter(({ group }) => Number(group!.slice(1)) < 5);
    expect(calibrateActs(few, { ...joint, scope: 'global' }).global.silence).toMatchObject({
      ...{ askUpTo: null, why: 'too-few' },
    });
    const shut = data.map((item) => ({ ...item, U: Number(item.draw) % 2 === 0 ? null : item.U }));
    expect(calibrateActs(shut, { ...joint, scope: 'global' }).global.silence).toMatchObject({ why: 'gates' });
  });

  it('gives the same thresholds whatever the order of examples', () => {
    const random = seededRandom(9);
    const data = documents(30, 10, () => random() < 0.05);
    const shuffled = [...data];
    for (let i = shuffled.length - 1; i > 0; i--) {
      const j = randomInteger(random, i + 1);
      [shuffled[i], shuffled[j]] = [shuffled[j]!, shuffled[i]!];
    }
    const risk = { target: 'risk', level: LEVEL, delta: DELTA, tune: data } as const;
    expect(calibrateActs(shuffled, risk).acts.FACT.tau).toBe(calibrateActs(data, risk).acts.FACT.tau);
    expect(calibrateActs(shuffled, request)).toEqual(calibrateActs(data, request));
  });
});
