import { describe, expect, it } from 'vitest';
import type { Thresholds } from '../../router/index.ts';
import type { Observation } from '../types.ts';
import { evaluateObservations } from './evaluate.ts';
import { byEntailment, type Made, observed } from './testing/observations.ts';
import { Evaluation, type Promised } from './types.ts';

const few = { resamples: 50 };
const figures = (...given: Parameters<typeof evaluateObservations>) =>
  evaluateObservations(...given).evaluation;
const evaluated = (items: readonly Made[], tau: number | null = 0.5, options = {}) =>
  figures(items.map(observed), byEntailment(tau), { ...few, ...options });

/** Ten, U = .05, .15, … .95; the first six right, then wrong; five documents of two. */
const ten: Made[] = Array.from({ length: 10 }, (_, i) => ({
  id: `q${i}`,
  group: `g${i % 5}`,
  u: (2 * i + 1) / 20,
  right: i < 6,
  support: i < 5 ? 1 : 0.5,
}));

describe('ten questions', () => {
  const found = evaluated(ten);

  it('fits its own schema', () => {
    expect(Evaluation.parse(JSON.parse(JSON.stringify(found)))).toEqual(found);
  });

  it('counts coverage, risk and what stays behind', () => {
    expect(found.coverage).toMatchObject({ value: 0.5, n: 10, unscored: 0 });
    expect(found.answered.em).toMatchObject({ value: 1, n: 5 });
    expect(found.everything.em.value).toBeCloseTo(0.6, 12);
    expect(found.abstentions.all).toEqual({
      n: 5,
      unanswerable: 0,
      prevented: 4,
      withoutCandidate: 0,
      needless: 1,
      unknown: 0,
    });
    expect(found.abstentions.byReason).toHaveProperty('UNCERTAIN');
  });

  it('has a perfect order: AURC is all oracle, nothing excess, by hand', () => {
    const [own] = found.rankings;
    const { aurc, oracle, excess, augrc } = own!.losses.wrong;
    const byHand = (1 / 7 + 2 / 8 + 3 / 9 + 4 / 10) / 10;
    expect(aurc.value).toBeCloseTo(byHand, 12);
    expect(oracle.value).toBeCloseTo(byHand, 12);
    expect(excess.value).toBeCloseTo(0, 12);
    expect(augrc.value).toBeCloseTo((1 + 2 + 3 + 4 - 2) / 100, 12);
    const at = own!.selective.find(({ coverage }) => coverage === 0.8)!;
    expect(at.em.value).toBeCloseTo(6 / 8, 12);
    expect(at.bestEm).toBeCloseTo(6 / 8, 12);
    expect(at).toMatchObject({ answered: 8, tied: 1 });
    expect(at.threshold).toBeCloseTo(0.75, 12);
  });

  it('measures support of the answers given, and over the curve', () => {
    expect(found.unsupported.tokens.value).toBe(0);
    expect(found.unsupported.entailment.value).toBeCloseTo((0.05 + 0.15 + 0.25 + 0.35 + 0.45) / 5, 12);
    expect(found.unsupported.notEntailed.value).toBe(0);
    expect(found.rankings[0]!.curve.at(-1)!.unsupportedTokens).toBeCloseTo(0.25, 12);
    expect(found.rankings[0]!.curve).toHaveLength(10);
  });

  it('holds 1 - U against the share right', () => {
    const { brier, ece } = found.reliability.measured;
    const byHand = ten.reduce((sum, { u, right }) => sum + (1 - u! - (right ? 1 : 0)) ** 2, 0) / 10;
    expect(brier.value).toBeCloseTo(byHand, 12);
    // Ten items, fifteen bins: one a bin.
    expect(ece.value).toBeCloseTo(
      ten.reduce((sum, { u, right }) => sum + Math.abs(1 - u! - (right ? 1 : 0)), 0) / 10,
      12,
    );
    expect(found.reliability.measured.brierOfConstant).toBeCloseTo(0.24, 12);
  });

  it('does not depend on the order of the lines but for the draws', () => {
    const back = evaluated([...ten].reverse());
    expect(back.test).toBe(found.test);
    expect(back.rankings[0]!.losses.wrong.aurc.value).toBeCloseTo(
      found.rankings[0]!.losses.wrong.aurc.value!,
      12,
    );
    expect(evaluated(ten)).toEqual(found);
  });
});

describe('what cannot be scored', () => {
  const found = evaluated([
    ...ten,
    { id: 'e', error: 'SCORING_FAILED' },
    { id: 'u', u: 0.1, label: { answers: [] } },
  ]);

  it('is a class of its own: never 0, never dropped', () => {
    expect(found.counts).toMatchObject({
      examples: 12,
      errors: 1,
      errorCodes: { SCORING_FAILED: 1 },
      unlabelled: 1,
    });
    expect(found.coverage).toMatchObject({ value: 6 / 12, n: 12, unscored: 0, low: 6 / 12, high: 6 / 12 });
    expect(found.overall.coverage).toMatchObject({ k: 6, of: 12 });
    expect(found.answered.em).toMatchObject({ value: 1, n: 6, unscored: 1, low: 5 / 6, high: 1 });
    const { aurc } = found.rankings[0]!.losses.wrong;
    expect(aurc).toMatchObject({ n: 12, unscored: 2 });
    expect(aurc.low!).toBeLessThan(aurc.value!);
    expect(aurc.high!).toBeGreaterThan(aurc.value!);
    expect(found.remarks.join(' ')).toMatch(/1 of 12 could not be decided.*1 of 12 have no label/);
  });

  it('is one coverage, wherever it is told: an error is a query not answered', () => {
    const nine = evaluated([...Array.from({ length: 8 }, () => ({ u: 0.1 })), { error: 'SCORING_FAILED' }]);
    expect(nine.coverage).toMatchObject({ value: 8 / 9, n: 9, unscored: 0 });
    expect(nine.coverage.value).toBe(nine.overall.coverage.value);
  });

  it('actions and errors add up to all', () => {
    const { ANSWER = 0, ASK = 0, ABSTAIN = 0 } = found.counts.actions;
    expect(ANSWER + ASK + ABSTAIN + found.counts.errors).toBe(12);
    expect(found.acts.reduce((sum, { n }) => sum + n, 0)).toBe(11);
  });
});

describe('edges', () => {
  it('all right, all wrong, one question, one group', () => {
    const all = (right: boolean) => evaluated([1, 2, 3].map((i) => ({ group: 'g', u: i / 10, right })));
    expect(all(true).rankings[0]!.losses.em.aurc).toMatchObject({ value: 0, interval: null });
    expect(all(false).rankings[0]!.losses.em.excess.value).toBe(0);
    expect(all(false).overall.risk).toMatchObject({ k: 3, of: 3 });
    expect(all(true).remarks.join()).toMatch(/no two groups/);
    const one = evaluated([{ u: 0.1 }]);
    expect(one.overall.coverage.exact).toEqual({ low: expect.closeTo(0.025, 12), high: 1 });
    expect(one.reliability.measured.brier.value).toBeCloseTo(0.01, 12);
  });

  it('nothing answered: figures without a value, not 0', () => {
    const found = evaluated(ten, null);
    expect(found.answered.em).toMatchObject({ value: null, n: 0 });
    expect(found.overall.risk).toMatchObject({ k: 0, of: 0, value: null, exact: null });
    expect(found.reliability.answered.ece.value).toBeNull();
  });

  it('only errors, or no labels at all', () => {
    const errors = evaluated([{ error: 'INTERNAL' }, { error: 'INTERNAL' }]);
    expect(errors.coverage).toMatchObject({ value: 0, low: 0, high: 0 });
    expect(errors.acts).toEqual([]);
    const bare = evaluated([{ label: { answers: [] } }, { label: { answers: [] } }]);
    expect(bare.everything.risk).toMatchObject({ value: null, unscored: 2 });
    expect(Evaluation.parse(JSON.parse(JSON.stringify(bare)))).toEqual(bare);
  });

  it('refuses to evaluate nothing', () => {
    expect(() => evaluated([])).toThrow(/nothing to evaluate/);
  });

  it('says that the provisional rule decided', () => {
    const found = figures([observed()], null, few);
    expect(found.thresholds).toMatchObject({ status: 'NOT_CALIBRATED', hash: null, promised: null });
    expect(found.remarks[0]).toMatch(/provisional rule/);
  });
});

describe('labels of other kinds', () => {
  it('an unanswerable question answered is wrong, not answered is right', () => {
    const no = { label: { answers: [], answerable: false } };
    const found = evaluated([{ u: 0.1, ...no }, { u: 0.9, ...no }, { u: 0.2 }, { u: 0.3, right: false }]);
    expect(found.overall.risk).toMatchObject({ k: 2, of: 3 });
    expect(found.abstentions.all).toMatchObject({ n: 1, unanswerable: 1 });
    expect(found.errorCauses).toEqual({
      unanswerable: 0.5,
      notRead: 0,
      noCandidate: 0,
      misread: 0,
      untold: 0.25,
    });
    const sum = Object.values(found.errorCauses).reduce<number>((total, part) => total + part!, 0);
    expect(sum).toBeCloseTo(found.everything.risk.value!, 12);
  });

  it('actions are held against the labelled ones, ASK apart from ABSTAIN', () => {
    const label = (action: 'ANSWER' | 'ASK' | 'ABSTAIN') => ({ label: { action } });
    const found = evaluated([
      { ...label('ANSWER') },
      { ...label('ASK'), closed: 'UNRESOLVED_REFERENCE', asks: true },
      { ...label('ASK'), closed: 'TOO_DISTANT', asks: false },
      { ...label('ABSTAIN'), error: 'INTERNAL' },
    ]);
    expect(found.decisions!.accuracy).toMatchObject({ value: 2 / 3, n: 4, unscored: 1 });
    expect(found.decisions!.confusion).toEqual({
      ANSWER: { ANSWER: 1 },
      ASK: { ASK: 1, ABSTAIN: 1 },
      ABSTAIN: { ERROR: 1 },
    });
    expect(found.counts.actions).toEqual({ ANSWER: 1, ASK: 1, ABSTAIN: 1 });
    expect(found.abstentions.byAction.ASK.n).toBe(1);
  });

  it('ranks passages or documents, whichever the labels name', () => {
    const ranking = ['a#0', 'a#1', 'b#0'].map((passageId) => ({ docId: passageId[0]!, passageId }));
    const reciprocal = (passages: string[]) =>
      evaluated([{ ranking, label: { passages } }]).retrieval!.figures['MRR@10']!.value;
    expect(reciprocal(['b#0'])).toBeCloseTo(1 / 3, 12);
    expect(reciprocal(['b'])).toBeCloseTo(1 / 2, 12);
    expect(reciprocal(['c'])).toBe(0);
    expect(evaluated([{}]).retrieval).toBeNull();
  });

  it('splits errors by what was read', () => {
    const ranking = [{ docId: 'd1', passageId: 'd1#0' }];
    const found = evaluated([
      { right: false, ranking, label: { passages: ['d1'] } },
      { right: false, ranking, label: { passages: ['d9'] } },
      { right: false, candidate: false, ranking, label: { passages: ['d1'] } },
      { ranking, label: { passages: ['d1'] } },
    ]);
    expect(found.errorCauses).toEqual({
      unanswerable: 0,
      notRead: 0.25,
      noCandidate: 0.25,
      misread: 0.25,
      untold: 0,
    });
  });
});

describe('what is promised', () => {
  const promised = (over: Partial<Promised>): Promised => ({
    target: 'risk',
    level: '0.1',
    delta: '0.1',
    ask: null,
    exchangeable: 'questions',
    pools: [{ acts: ['FACT'], tau: 0.5, askUpTo: null }],
    ...over,
  });
  const many = (n: number, wrong: number): Made[] =>
    Array.from({ length: n }, (_, i) => ({
      u: 0.3,
      right: i >= wrong,
      act: i % 2 === 0 ? 'FACT' : 'QUANTITY',
    }));

  it('kept, within noise, broken, nothing to check', () => {
    const verdict = (n: number, wrong: number) =>
      evaluated(many(n, wrong), 0.5, {
        promised: promised({ pools: [{ acts: 'everything', tau: 0.5, askUpTo: null }] }),
      }).checks[0]!.verdict;
    expect(verdict(100, 10)).toBe('kept');
    expect(verdict(100, 14)).toBe('within-noise');
    expect(verdict(100, 30)).toBe('broken');
    expect(evaluated([{ act: 'QUANTITY' }], 0.5, { promised: promised({}) }).checks[0]!.verdict).toBe(
      'nothing-to-check',
    );
  });

  it('holds a pool to its own threshold, whatever threshold its acts have', () => {
    const [check] = evaluated(many(20, 20), null, { promised: promised({}) }).checks;
    expect(check).toMatchObject({
      pool: 'FACT',
      about: 'risk',
      realised: { k: 10, of: 10 },
      verdict: 'broken',
    });
  });

  it('counts coverage over closed gates and, for everything, over errors', () => {
    const items: Made[] = [...many(8, 0), { closed: 'TOO_DISTANT' }, { error: 'INTERNAL' }];
    const coverage = promised({
      target: 'coverage',
      level: '0.95',
      delta: null,
      pools: [{ acts: 'everything', tau: 0.5, askUpTo: null }],
    });
    const [check] = evaluated(items, 0.5, { promised: coverage }).checks;
    expect(check).toMatchObject({ about: 'coverage', realised: { k: 8, of: 10 }, verdict: 'within-noise' });
  });

  it('a coverage that one calibration in forty falls short of as far is no broken promise', () => {
    const items: Made[] = [...many(850, 0), ...Array<Made>(150).fill({ u: 0.9 })];
    const verdict = (rank?: { n: number; k: number }) =>
      evaluated(items, 0.5, {
        promised: promised({
          target: 'coverage',
          level: '0.9',
          delta: null,
          pools: [{ acts: 'everything', tau: 0.5, askUpTo: null, ...(rank && { rank }) }],
        }),
      }).checks[0]!.verdict;
    expect(verdict()).toBe('broken');
    expect(verdict({ n: 100, k: 91 })).toBe('within-noise');
    expect(verdict({ n: 2_000, k: 1_801 })).toBe('broken');
  });

  it('by documents every document counts alike, and the verdict is about them', () => {
    // One document of 300 questions that are all wrong, forty of one question that are all right.
    const items: Made[] = [
      ...Array.from({ length: 300 }, (): Made => ({ u: 0.3, right: false, label: { group: 'long' } })),
      ...Array.from(
        { length: 40 },
        (_, i): Made => ({ u: 0.3, right: true, label: { group: `short ${i}` } }),
      ),
    ];
    const check = (exchangeable: Promised['exchangeable']) =>
      evaluated(items, 0.5, { promised: promised({ exchangeable }) }).checks[0]!;
    expect(check('questions')).toMatchObject({ verdict: 'broken', byDocument: null });
    expect(check('documents')).toMatchObject({
      verdict: 'kept',
      realised: { k: 300, of: 340 },
      byDocument: { documents: 41, value: 1 / 41 },
    });
    const all = promised({
      target: 'coverage',
      level: '0.9',
      exchangeable: 'documents',
      pools: [{ acts: ['FACT'], tau: 0.1, askUpTo: null, rank: { n: 11, k: 11 } }],
    });
    expect(evaluated(items, 0.5, { promised: all }).checks[0]!.verdict).toBe('broken');
  });

  it('by documents, groups that share a document or a question are one', () => {
    // Twenty documents in three versions with groups of their own: twenty witnesses, not sixty.
    const items = Array.from({ length: 60 }, (_, i): Made => {
      const [document, version] = [i % 20, Math.floor(i / 20)];
      const label =
        document % 2 === 0 ? { passages: [`${document}.md#${version}`] } : { query: `What of ${document}?` };
      return { u: 0.3, right: document > 1, group: `${version} ${document}`, label };
    });
    const found = evaluated(items, 0.5, { promised: promised({ exchangeable: 'documents' }) });
    expect(found.counts).toMatchObject({ groups: 60, documents: 20 });
    expect(found.checks[0]!.byDocument).toMatchObject({ documents: 20, value: 2 / 20 });
    const named = evaluated(
      items.map((item, i) => ({ ...item, group: String(i % 20), label: {} })),
      0.5,
      { promised: promised({ exchangeable: 'documents' }) },
    );
    expect(found.checks).toEqual(named.checks);
    expect(found.everything).toEqual(named.everything);
    expect(evaluated(items.slice(0, 40).filter((_, i) => i % 20 === 0)).remarks.join()).toMatch(
      /no two groups that share no document or question/,
    );
  });

  it('silence is about answerable queries, and an asking gate is not silent', () => {
    const joint = promised({
      target: 'joint',
      ask: '0.5',
      pools: [{ acts: ['FACT'], tau: 0.2, askUpTo: 0.6 }],
    });
    const found = figures(
      [
        observed({ u: 0.1 }),
        observed({ u: 0.5 }),
        observed({ u: 0.9 }),
        observed({ closed: 'UNRESOLVED_REFERENCE', asks: true }),
        observed({ closed: 'TOO_DISTANT' }),
        observed({ u: 0.9, label: { answers: [], answerable: false } }),
      ],
      byEntailment(0.2, 0.6),
      { ...few, promised: joint },
    );
    expect(found.checks.map(({ about }) => about)).toEqual(['risk', 'silence']);
    expect(found.checks[1]!.realised).toMatchObject({ k: 2, of: 5 });
  });

  it("silence is told from asking by the planner's own numbers, not by 1 - P(ANSWER)", () => {
    const planner: Thresholds = { ...byEntailment(0.2, 0.6), score: { kind: 'planner', planner: 'h' } };
    const says = (ANSWER: number, ASK: number, ABSTAIN: number): Observation => ({
      ...observed(),
      planned: { ANSWER, ASK, ABSTAIN },
    });
    const silence = (observation: Observation, askUpTo = 0.6) => {
      const pools = [{ acts: ['FACT' as const], tau: 0.2, askUpTo }];
      const joint = promised({ target: 'joint', ask: '0.5', pools });
      const { checks } = figures([observation], planner, { ...few, promised: joint });
      return checks.find(({ about }) => about === 'silence')!.realised.k;
    };
    expect(silence(says(0.1, 0.85, 0.05))).toBe(0);
    expect(silence(says(0.45, 0, 0.55))).toBe(1);
    // An answer is no silence, whatever the bar says.
    expect(silence(says(0.85, 0, 0.15), 0.5)).toBe(0);
    expect(silence(says(0.75, 0, 0.25), 0.5)).toBe(1);
  });

  it('is checked without the queries that it is not about, and says so', () => {
    const history = [{ role: 'user' as const, text: 'And before?' }];
    const items: Made[] = [
      ...many(20, 0),
      ...many(20, 20).map((item) => ({ ...item, label: { history } })),
      { u: 0.3, right: false, label: { filters: { docId: ['d'] } } },
    ];
    const found = evaluated(items, 0.5, { promised: promised({}) });
    expect(found.checks[0]!.realised).toMatchObject({ k: 0, of: 10 });
    expect(found.remarks.join(' ')).toContain(
      '21 of 41 have a history or filters: nothing is promised for them',
    );
    expect(evaluated(many(20, 0), 0.5, { promised: promised({}) }).remarks.join(' ')).not.toContain(
      'history',
    );
  });
});

describe('rankings', () => {
  it('compares each with the first on the same resamples', () => {
    const items = ten.map((item, i) => ({ ...item, features: { answerScore: i / 10 } }));
    const found = evaluated(items);
    const alone = found.rankings.find(({ name }) => name === 'answer score alone')!;
    const worse = alone.losses.wrong.aurc.value! - found.rankings[0]!.losses.wrong.aurc.value!;
    expect(alone.againstFirst!.aurc.value).toBeCloseTo(worse, 12);
    expect(alone.againstFirst!.aurc.interval!.low).toBeGreaterThan(0);
    expect(found.rankings[0]!.againstFirst).toBeNull();
  });

  it('drops a term only where it had a weight, and keeps the proportion of the others', () => {
    expect(evaluated(ten).rankings.map(({ name }) => name)).toEqual([
      'as decided',
      'gates ignored',
      'answer score alone',
    ]);
    const provisional = figures(ten.map(observed), null, few).rankings;
    expect(provisional.find(({ name }) => name === 'without E')!.about).toContain('0.5*D + 0.5*C + 0*(1-E)');
  });

  it('puts closed gates last in its own order, and looks past them in another', () => {
    const found = evaluated([
      { u: 0.1, closed: 'TOO_DISTANT' },
      { u: 0.3, right: false },
    ]);
    expect(found.rankings[0]!.curve[0]!.risk).toBe(1);
    expect(found.rankings[1]!.curve[0]!.risk).toBe(0);
  });

  it('takes further orders from the caller', () => {
    const mine = { name: 'mine', about: 'by id', uncertainty: () => 0 };
    const found = evaluated(ten, 0.5, { rankers: [mine] });
    expect(found.rankings.at(-1)!.losses.wrong.aurc.value).toBeCloseTo(0.4, 12);
  });
});
