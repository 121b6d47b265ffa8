import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PragauraError } from '../../common/index.ts';
import type { Entailment } from '../types.ts';
import { chooseAnswer, planNli, type ScoredPassage, type SignalReport, signalsFrom } from './index.ts';

interface Facts {
  text: string;
  answer: string;
  docId?: string;
  title?: string;
  branches?: string[];
  logit?: number;
  margin?: number;
}

let serial = 0;

function passage({
  text,
  answer,
  docId,
  title = '',
  branches = ['lexical'],
  logit = 10,
  margin = 15,
}: Facts): ScoredPassage {
  serial += 1;
  const start = text.indexOf(answer);
  if (start < 0) throw new Error(`${answer} is not in ${text}`);
  return {
    key: `p${serial}`,
    docId: docId ?? `doc${serial}`,
    title,
    text,
    branches,
    relevance: { score: 1 / (1 + Math.exp(-logit)), logit, tokens: 10, truncatedTokens: 0 },
    reading: {
      best: { text: answer, start, end: start + answer.length, score: 5 },
      alternatives: [],
      lead: null,
      noAnswer: 5 - margin,
      margin,
      tokens: 10,
      truncatedTokens: 0,
    },
  };
}

const says = (entailment: number, contradiction: number): Entailment => ({
  entailment,
  contradiction,
  neutral: 1 - entailment - contradiction,
  tokens: 10,
  truncatedTokens: 0,
});

/** A perfect entailment model for one true answer: other years contradict. */
function run(passages: ScoredPassage[], question: string, limit = 20, judge = byWords): SignalReport {
  const answers = chooseAnswer(question, passages);
  const plan = planNli(question, passages, answers, limit);
  return signalsFrom(passages, answers, plan, plan.pairs.map(judge));
}

function byWords({ premise, hypothesis }: { premise: string; hypothesis: string }): Entailment {
  const year = /\d{4}/.exec(hypothesis)?.[0];
  if (year === undefined || !/\d{4}/.test(premise)) return says(0.1, 0.1);
  return premise.includes(year) ? says(0.9, 0.05) : says(0.05, 0.9);
}

const QUESTION = 'When was the Ostrel bridge built?';
const in1900 = (extra: Partial<Facts> = {}): ScoredPassage =>
  passage({ text: 'The Ostrel bridge was built in 1900 by the crown.', answer: '1900', ...extra });
const in1950 = (extra: Partial<Facts> = {}): ScoredPassage =>
  passage({ text: 'Old records say that the bridge at Ostrel was built in 1950.', answer: '1950', ...extra });
const alsoIn1900 = (n: number): ScoredPassage =>
  passage({
    text: `Guide number ${n}: ${'lorem ipsum dolor sit amet '.repeat(n)} the Ostrel bridge was built in 1900 as page ${n} of volume ${n * 7} tells readers.`,
    answer: '1900',
    logit: 9.5,
  });

describe('chooseAnswer', () => {
  it('prefers relevance and margin together', () => {
    const weak = in1950({ margin: -4 });
    const answers = chooseAnswer(QUESTION, [weak, in1900()]);
    expect(answers.clusters.map(({ text }) => text)).toEqual(['1900', '1950']);
    expect(answers.clusters[0]!.claim).toBe('The Ostrel bridge was built in 1900.');
  });

  it.each([
    ['1900', 'the year 1900', 1],
    ['5 May 1900', '6 May 1900', 2],
    ['1900', '5 May 1900', 1],
    ['the  King', 'king', 1],
    ['Ilse Varnholt', 'Varnholt', 1],
    ['1,000 euros', '1000 euros', 1],
    ['allowed', 'not allowed', 2],
    ['five million people', 'six million people', 2],
    ['5 million people', '6 million people', 2],
    ['constructor', '__proto__', 2],
    ['lexical', 'dense', 2],
  ])('%s and %s are %d answer(s)', (a, b, count) => {
    const answers = chooseAnswer('What?', [
      passage({ text: `First ${a} here.`, answer: a }),
      passage({ text: `Second one has ${b} there.`, answer: b }),
    ]);
    expect(answers.clusters).toHaveLength(count);
  });

  it('gives copies one voice and says how many it removed', () => {
    const text = 'The Ostrel bridge was built in 1900 by the crown after many years of planning and dispute.';
    const answers = chooseAnswer(QUESTION, [
      passage({ text, answer: '1900' }),
      passage({ text: `${text} Copied.`, answer: '1900' }),
      passage({ text: text.toUpperCase(), answer: '1900' }),
      passage({ text: 'Another text of the same file: 1900.', answer: '1900', docId: 'same' }),
      passage({ text: 'And something further down, also 1900.', answer: '1900', docId: 'same' }),
    ]);
    expect([answers.sources, answers.duplicatesRemoved]).toEqual([2, 3]);
    expect(answers.clusters[0]!.voices).toHaveLength(2);
  });

  it('does not make one source of two texts that a third one quotes', () => {
    const a = 'The Ostrel bridge was built in 1900 by the crown after many years of planning and dispute.';
    const b = 'Records of the town hold that work on the crossing began no earlier than 1950, in spring.';
    const answers = chooseAnswer(QUESTION, [
      passage({ text: a, answer: '1900' }),
      passage({ text: b, answer: '1950' }),
      passage({ text: `${a} ${b}`, answer: '1900' }),
    ]);
    expect(answers.sources).toBe(3);
  });

  it('has nothing to say about passages without a reading or a span', () => {
    const unread = { ...in1900(), reading: null };
    const wordless = in1900();
    wordless.reading!.best = null;
    expect(chooseAnswer(QUESTION, [unread, wordless]).clusters).toEqual([]);
    expect(chooseAnswer(QUESTION, []).sources).toBe(0);
  });

  it('gives a score that is no number the least weight', () => {
    const broken = in1950({ margin: Number.NaN });
    expect(chooseAnswer(QUESTION, [broken, in1900({ margin: -5, logit: -5 })]).clusters[0]!.text).toBe(
      '1900',
    );
  });
});

describe('planNli', () => {
  it('asks about the chosen claim first, its own source before the others', () => {
    const home = in1900();
    const passages = [in1950({ margin: 9 }), home];
    const plan = planNli(QUESTION, passages, chooseAnswer(QUESTION, passages), 10);
    expect(plan.pairs[0]).toMatchObject({
      key: home.key,
      cluster: 0,
      hypothesis: 'The Ostrel bridge was built in 1900.',
    });
    expect(plan.pairs.map(({ cluster }) => cluster)).toEqual([0, 0, 1]);
  });

  it('keeps to the limit and says how many pairs it would have liked', () => {
    const passages = [in1900(), in1950(), alsoIn1900(1), alsoIn1900(2), alsoIn1900(3)];
    const answers = chooseAnswer(QUESTION, passages);
    const all = planNli(QUESTION, passages, answers, 100);
    for (const limit of [0, 1, 3]) {
      const plan = planNli(QUESTION, passages, answers, limit);
      expect(plan.pairs).toEqual(all.pairs.slice(0, limit));
      expect(plan.denied).toBe(all.pairs.length - limit);
    }
  });

  it('does not ask what is off the topic', () => {
    const passages = [
      in1900(),
      passage({ text: 'The opera house burnt down in 1950.', answer: '1950', logit: 1, margin: 1 }),
      in1950({ logit: -6 }),
    ];
    const plan = planNli(QUESTION, passages, chooseAnswer(QUESTION, passages), 10);
    expect(plan.pairs.filter(({ cluster }) => cluster === 0)).toHaveLength(1);
    expect(plan.offTopic).toBe(2);
  });

  it('asks whatever surely answers what it says of the chosen answer and of its own, in whatever words', () => {
    const other = passage({ text: 'Masons finished it in 1950.', answer: '1950', logit: 2, margin: 3 });
    const passages = [in1900({ margin: 40 }), other];
    const asked = (some: ScoredPassage[]) =>
      planNli(QUESTION, some, chooseAnswer(QUESTION, some), 10).pairs.filter(({ key }) => key === other.key);
    expect(asked(passages).map(({ cluster }) => cluster)).toEqual([0, 1]);
    const unsure = { ...other, reading: { ...other.reading!, margin: 2 } };
    expect(asked([passages[0]!, unsure])).toEqual([]);
    expect(asked([passages[0]!, { ...other, relevance: null }])).toEqual([]);
  });

  it('takes the sentences around the reading, and the title', () => {
    const text = `${'Filler sentence about nothing. '.repeat(40)}The bridge has a toll. The Ostrel bridge was built in 1900. Dr. Meyer paid for it. ${'More filler follows here. '.repeat(40)}`;
    const passages = [passage({ text, answer: '1900', title: 'Ostrel > Bridges' })];
    const [pair] = planNli(QUESTION, passages, chooseAnswer(QUESTION, passages), 10).pairs;
    expect(pair!.premise).toBe(
      'Ostrel > Bridges. The bridge has a toll. The Ostrel bridge was built in 1900. Dr. Meyer paid for it.',
    );
  });

  it('plans nothing without an answer', () => {
    expect(planNli(QUESTION, [], chooseAnswer(QUESTION, []), 10)).toEqual({
      pairs: [],
      denied: 0,
      offTopic: 0,
    });
  });
});

describe('signalsFrom', () => {
  it('is null, not 0, when nothing was scored', () => {
    const passages = [in1900(), in1950()];
    const answers = chooseAnswer(QUESTION, passages);
    const plan = planNli(QUESTION, passages, answers, 10);
    for (const scores of [[], plan.pairs.map(() => null)]) {
      expect(signalsFrom(passages, answers, plan, scores)).toMatchObject({
        C: null,
        E: null,
        counts: { pairsScored: 0 },
      });
    }
    expect(run([], QUESTION)).toMatchObject({ D: null, C: null, E: null });
    expect(run([in1900()], QUESTION).D).toBeNull();
  });

  it('finds agreement', () => {
    const report = run([in1900({ branches: ['lexical', 'dense'] })], QUESTION);
    expect(report).toMatchObject({ D: 0, C: 0 });
    expect(report.E).toBeGreaterThan(0.75);
  });

  it('finds a contradiction and the other side', () => {
    const report = run([in1900({ branches: ['lexical'] }), in1950({ branches: ['dense'] })], QUESTION);
    expect(report.C).toBeCloseTo(0.5, 1);
    expect(report.E).toBeGreaterThan(0.75);
    expect(report.D).toBeGreaterThan(0.9);
    expect(report.rivals.map(({ text }) => text)).toEqual(['1950']);
  });

  it('looks at contradiction before entailment', () => {
    const report = run([in1900()], QUESTION, 10, () => says(0.45, 0.5));
    expect(report.verdicts[0]!.stance).toBe('contradicts');
    const full = run([in1900()], QUESTION, 10, () => says(1, 0)).E!;
    expect(report.E).toBeCloseTo(0.45 * full, 12);
    expect(run([in1900()], QUESTION, 10, () => says(0.5, 0.5)).verdicts[0]!.stance).toBe('contradicts');
  });

  it('is not swayed by a flood of copies', () => {
    const honest = [in1900({ branches: ['lexical'] }), in1950({ branches: ['dense'] })];
    const before = run(honest, QUESTION);
    const flood = Array.from({ length: 30 }, () => in1900({ logit: 9.9, margin: 14.9 }));
    const after = run([...honest, ...flood], QUESTION);
    expect([after.C, after.E, after.D]).toEqual([before.C, before.E, before.D]);
    expect(after.counts.duplicatesRemoved).toBe(30);
    expect(after.counts.independentSources).toBe(2);
  });

  it('takes a copy with another answer for a source that contradicts', () => {
    const text = 'The Ostrel bridge was built in 1900 by the crown after many years of planning and dispute.';
    const forged = text.replace('1900', '1950');
    const report = run(
      [
        passage({ text, answer: '1900' }),
        passage({ text: forged, answer: '1950' }),
        passage({ text: `${forged} `, answer: '1950' }),
      ],
      QUESTION,
    );
    expect(report.counts).toMatchObject({ independentSources: 2, duplicatesRemoved: 1 });
    expect(report.C).toBeGreaterThan(0.4);
  });

  it('does not count a claim that its own source denies as a conflict of sources', () => {
    const denied = run([in1900()], QUESTION, 10, () => says(0.1, 0.8));
    expect(denied.C).toBe(0);
    expect(denied.E).toBeLessThan(0.1);
  });

  it('takes nothing for support that does not answer the question', () => {
    expect(run([in1900({ logit: -4, margin: -4 })], QUESTION).E).toBeLessThan(0.05);
  });

  it('bounds what paraphrased agreement can drown', () => {
    const against = in1950();
    const few = run([in1900(), against], QUESTION, 100).C!;
    const many = run(
      [in1900(), against, ...Array.from({ length: 30 }, (_, i) => alsoIn1900(i + 1))],
      QUESTION,
      100,
    );
    expect(many.counts.independentSources).toBe(32);
    expect(many.C).toBeGreaterThan(0.2);
    expect(many.C).toBeLessThan(few);
  });

  it('does not let one injected contradictor outweigh two independent sources', () => {
    const report = run([in1900(), alsoIn1900(1), in1950()], QUESTION);
    expect(report.C).toBeGreaterThan(0.2);
    expect(report.C).toBeLessThan(0.4);
  });

  it('weighs a branch with a poor answer little in D', () => {
    const strong = in1900({ branches: ['lexical'] });
    const poor = (margin: number): number =>
      run([strong, in1950({ branches: ['dense'], margin, logit: -3 })], QUESTION).D!;
    expect(poor(-10)).toBeLessThan(0.1);
    expect(poor(-10)).toBeLessThan(poor(0));
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -0.1, 1.1])('refuses a score of %d', (value) => {
    const broken = { ...says(0.5, 0.2), contradiction: value };
    expect(() => run([in1900()], QUESTION, 10, () => broken)).toThrow(PragauraError);
  });

  it('takes branch names for names', () => {
    const report = run(
      [in1900({ branches: ['constructor', '__proto__'] }), in1950({ branches: ['toString'] })],
      QUESTION,
    );
    expect(report.counts.branchAnswers).toBe(3);
  });

  it('stays within [0, 1] and is the same for any order of the passages', () => {
    const year = fc.constantFrom('1900', '1950', '1960');
    const some = fc.array(
      fc.record({
        year,
        logit: fc.integer({ min: -8, max: 8 }),
        margin: fc.integer({ min: -8, max: 8 }),
        on: fc.constantFrom('lexical', 'dense', 'cause'),
      }),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(some, (list) => {
        const passages = list.map(({ year: answer, logit, margin, on }, i) =>
          passage({
            text: `Source ${i} ${String.fromCharCode(97 + i).repeat(9)} tells that the Ostrel bridge was built in ${answer}.`,
            answer,
            // Different by their place, so that no tie depends on the order.
            logit,
            margin: margin + i / 100,
            branches: [on],
          }),
        );
        const report = run(passages, QUESTION, 100);
        for (const value of [report.D, report.C, report.E]) {
          if (value !== null) expect(value >= 0 && value <= 1).toBe(true);
        }
        const turned = run([...passages].reverse(), QUESTION, 100);
        for (const name of ['D', 'C', 'E'] as const) {
          if (report[name] === null) expect(turned[name]).toBeNull();
          else expect(turned[name]).toBeCloseTo(report[name], 9);
        }
      }),
    );
  });
});
