import { describe, expect, it } from 'vitest';
import type { ActThreshold, Pool, RiskThreshold } from '../thresholds/types.ts';
import { actSentence, percent, wholeSentence } from './sentences.ts';

const coverage = {
  target: 'coverage',
  scope: 'acts',
  level: '0.95',
  delta: null,
  askLevel: null,
  wrong: { kind: 'em' },
  exchangeable: 'questions',
  score: { kind: 'formula' },
} as const;
const risk = {
  ...coverage,
  target: 'risk',
  level: '.05',
  delta: '0.125',
  wrong: { kind: 'f1', least: '0.5' },
} as const;

const found = (over: Partial<ActThreshold>): ActThreshold => ({
  rung: 'none',
  tau: null,
  askUpTo: null,
  askRung: 'none',
  own: { acts: ['OPINION'] },
  pool: null,
  askPool: null,
  vetoed: [],
  ...over,
});

const reached: Pool['coverage'] = {
  n: 400,
  k: 381,
  tau: 0.5,
  why: 'reached',
  needed: 0,
  ties: 0,
  open: 400,
  documents: null,
};
const tested = (over: Partial<RiskThreshold>): RiskThreshold => ({
  n: 30,
  unlabelled: 0,
  tau: null,
  why: 'errors',
  answered: 20,
  wrong: 6,
  pValue: 1,
  delta: { numerator: 1n, denominator: 8n },
  floor: 42,
  needed: 100,
  documents: null,
  ...over,
});

describe('levels in words', () => {
  it('are exact', () => {
    const words = {
      '0.8': '80 %',
      '.05': '5 %',
      '0.055': '5.5 %',
      '0.9990': '99.9 %',
      '0.001': '0.1 %',
      '0.100': '10 %',
    };
    for (const [level, text] of Object.entries(words)) expect(percent(level)).toBe(text);
  });
});

describe('what is promised', () => {
  it('is about the pool that the threshold was earned on', () => {
    const own: Pool = {
      acts: ['OPINION'],
      coverage: { ...reached, n: 7, tau: null, why: 'too-few', needed: 43 },
    };
    const pool: Pool = { acts: ['EXPLANATION', 'OPINION'], coverage: { ...reached, ties: 2 } };
    expect(actSentence(coverage, 'OPINION', found({ rung: 'parent', tau: 0.5, own, pool }))).toBe(
      'OPINION has no threshold of its own (there are 7 examples, and 43 more would be needed) and borrows that of ' +
        'queries read as EXPLANATION or OPINION. Were each of those held to it: of new queries read as EXPLANATION or ' +
        'OPINION at least 95 % are answered, on average over calibrations: U <= 0.5 answered 381 of the 400 examples ' +
        '(2 more have exactly that U, so that it is rather more). For queries read as OPINION alone nothing is promised. ' +
        'It says how often is answered, and nothing about how often rightly.',
    );
  });

  it('is about a question of a new document, where documents count', () => {
    const documents = { ...coverage, exchangeable: 'documents' } as const;
    const own: Pool = { acts: ['FACT'], coverage: { ...reached, documents: { n: 28, share: 0.97119 } } };
    expect(actSentence(documents, 'FACT', found({ rung: 'act', tau: 0.5, own, pool: own }))).toBe(
      'Of new queries read as FACT at least 95 % are answered, on average over calibrations and new documents, each of ' +
        'which counts alike: U <= 0.5 answered 97.1 % of the 400 examples of 28 documents, on average over these. ' +
        'It says how often is answered, and nothing about how often rightly.',
    );
    const short: Pool = {
      acts: ['FACT'],
      coverage: { ...reached, tau: null, why: 'too-few', needed: 9, documents: { n: 11, share: null } },
    };
    expect(actSentence(documents, 'FACT', found({ own: short }))).toContain(
      'there are 400 examples of 11 documents, and 9 more documents would be needed.',
    );
    const over = { n: 28, answered: 25, share: 0.0213, test: 'bet', stake: 1 } as const;
    const earned: Pool = {
      acts: ['FACT'],
      risk: tested({ tau: 0.1, why: 'reached', n: 300, answered: 90, documents: over }),
    };
    const promise = actSentence(risk, 'FACT', found({ rung: 'act', tau: 0.1, own: earned, pool: earned }));
    expect(promise).toContain(
      'are wrong (F1 below 0.5), on average over new documents, each of which counts alike',
    );
    expect(promise).toContain('over the 25 documents with an answer 2.13 % of their answers were wrong.');
    const failed = (change: Partial<RiskThreshold>): Pool => ({
      acts: ['FACT'],
      risk: tested({ documents: over, ...change }),
    });
    expect(actSentence(risk, 'FACT', found({ own: failed({}) }))).toContain(
      'on average over the 25 documents with an answer 2.13 % of the answers are wrong; 100 more documents would be needed',
    );
    expect(actSentence(risk, 'FACT', found({ own: failed({ why: 'too-few' }) }))).toContain(
      'there are 30 examples of 28 documents, and 42 documents with answers and without an error are the least that could do',
    );
    expect(wholeSentence(documents, ['FACT'], [])).toContain('It is about a question of a new document');
    expect(wholeSentence(documents, ['FACT'], [])).toContain(
      'For queries with a history, filters or a deadline, or with a default put into them, nothing is promised.',
    );
  });

  it('has the confidence that delta leaves, to the digit', () => {
    const own: Pool = {
      acts: ['FACT'],
      risk: tested({ tau: 0.1, why: 'reached', n: 300, answered: 90, wrong: 1 }),
    };
    const sentence = actSentence(risk, 'FACT', found({ rung: 'act', tau: 0.1, own, pool: own }));
    expect(sentence).toContain('With 87.5 % confidence');
    expect(sentence).toContain(
      'at most 5 % of the answers to new queries read as FACT are wrong (F1 below 0.5)',
    );
    expect(sentence).toMatch(/1 of them wrongly\. /);
  });

  it('hangs, for a planner, on what that was fitted on, and for no other score', () => {
    const condition = 'only if the planner was not fitted on the labelled queries of this calibration';
    const own: Pool = { acts: ['FACT'], risk: tested({ tau: 0.1, why: 'reached' }) };
    const earned = found({ rung: 'act', tau: 0.1, own, pool: own });
    const planner = { ...risk, score: { kind: 'planner' } } as const;
    expect(actSentence(planner, 'FACT', earned)).toContain(condition);
    expect(wholeSentence(planner, ['FACT'], [])).toContain(condition);
    expect(actSentence(risk, 'FACT', earned)).not.toContain('planner');
    expect(wholeSentence(risk, ['FACT'], [])).not.toContain('planner');
    // Nor where it is known that the planner saw none of them.
    expect(actSentence({ ...planner, unseen: true }, 'FACT', earned)).not.toContain(condition);
    expect(wholeSentence({ ...planner, unseen: true }, ['FACT'], [])).not.toContain(condition);
    // Where nothing is promised there is no condition either.
    expect(actSentence(planner, 'FACT', found({ own: { acts: ['FACT'], risk: tested({}) } }))).not.toContain(
      condition,
    );
  });

  it('says what it takes for granted of examples without a label', () => {
    const own: Pool = {
      acts: ['FACT'],
      risk: tested({ tau: 0.1, why: 'reached', n: 300, unlabelled: 70, answered: 90, wrong: 1 }),
    };
    expect(actSentence(risk, 'FACT', found({ rung: 'act', tau: 0.1, own, pool: own }))).toContain(
      'answered 90 of the 300 labelled examples, 1 of them wrongly; that the 70 without a label are like them',
    );
  });

  it('is nothing where there is no threshold, with the reason and what would mend it', () => {
    const sentence = (over: Partial<RiskThreshold>, vetoed: ActThreshold['vetoed'] = []) =>
      actSentence(risk, 'OPINION', found({ own: { acts: ['OPINION'], risk: tested(over) }, vetoed }));
    expect(sentence({})).toBe(
      'NOT_CALIBRATED: no threshold reaches at most 5 % wrong answers for queries read as OPINION, and nothing is ' +
        'answered: 6 of the 20 answered examples are wrong; 100 more would be needed.',
    );
    expect(sentence({ needed: null })).toContain('at these rates no number of examples would do');
    expect(sentence({ why: 'too-few', needed: 12 })).toContain('42 answered without an error are the least');
    expect(sentence({ why: 'untried' })).toContain(
      'there are 30 examples, with which, by the tune split, no test would pass',
    );
    expect(sentence({ why: 'gates' })).toContain('42 answered without an error are the least');
    expect(sentence({}, ['global'])).toContain("OPINION's own examples speak against it");
  });

  it('is said for the whole, with the acts that have none', () => {
    expect(wholeSentence(coverage, ['FACT', 'QUANTITY'], ['OPINION'])).toMatch(
      /^On average over calibrations: answers to at least 95 % of the queries, act by act as the sentence of each says\. Nothing is promised, and nothing answered, for OPINION\./,
    );
    const joint = { ...risk, target: 'joint', askLevel: '0.2' } as const;
    expect(wholeSentence(joint, ['FACT', 'QUANTITY'], [], ['QUANTITY'])).toContain(
      'says. Nothing is promised about silence for QUANTITY. It rests',
    );
    expect(wholeSentence(joint, ['FACT'], [])).not.toContain('about silence');
    expect(wholeSentence(risk, [], ['FACT'])).toBe(
      'NOT_CALIBRATED: no threshold reaches at most 5 % wrong answers for any act, and nothing is answered.',
    );
  });
});
