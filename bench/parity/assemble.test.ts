import { describe, expect, it } from 'vitest';
import {
  drawnOf,
  type Observation,
  parseLevel,
  type SplitName,
  type SplitReport,
} from '../../calibration/index.ts';
import { loadProfiles } from '../../profiles/index.ts';
import { armsOver, PARTS } from './arms.ts';
import { assemble, pairsToJudge, type SetReport } from './assemble.ts';
import { certify, grantedBy, spentOf } from './certificate.ts';
import { nameOf } from './contenders.ts';
import { tableOf } from './csv.ts';
import { figuresOf } from './figures.ts';
import { render } from './render.ts';
import { BUDGET, type Made, world } from './testing/observations.ts';

const N = 720;
/** 44 of 90 groups, eight questions each. */
const TEST = 352;
const ARMS = armsOver(loadProfiles().budget);
const SPLITS: SplitName[] = ['tune', 'calibrate', 'test', 'test'];
const splitOfGroup = (group: string): SplitName => SPLITS[Number(group.slice(1)) % 4]!;
const split: SplitReport = {
  seed: 1,
  nearDuplicate: 0.8,
  examples: N,
  splits: {
    tune: { examples: 184, groups: 23, wanted: 0.25, reached: 0.25 },
    calibrate: { examples: 184, groups: 23, wanted: 0.25, reached: 0.25 },
    test: { examples: TEST, groups: 44, wanted: 0.5, reached: 0.5 },
  },
  groups: 90,
  components: 90,
  largest: 8,
  duplicates: { sets: 0, questions: 0, acrossGroups: 0 },
  remarks: [],
};

/** The world under every arm, each under its own budget; `change` makes arms differ. */
function measured(change: (arm: string, made: Made) => Made = (_, made) => made, names?: readonly string[]) {
  return ARMS.filter(({ name }) => names === undefined || names.includes(name)).map((arm) => ({
    arm,
    observations: world(N, 7, (made) => change(arm.name, { ...made, budget: { ...BUDGET, ...arm.budget } })),
  }));
}

function reportOn(
  arms: { arm: (typeof ARMS)[number]; observations: Observation[] }[],
  resamples = 200,
  splitReport = split,
): SetReport {
  const certificate = certify({
    set: 'train-44',
    versions: { index: 'i', models: {}, code: 'c' },
    sampler: null,
    tolerance: { granted: 0, spent: 0.05, interval: 0 },
    arms: arms.map(({ arm, observations }) => ({
      described: {
        name: arm.name,
        about: arm.about,
        policy: arm.policy,
        profiles: 'p',
        budget: BUDGET,
        noise: null,
      },
      lines: observations.map(({ example, act, receipt, opinion }) => {
        return {
          arm: arm.name,
          id: example.id,
          group: example.group,
          act,
          ms: null,
          granted: receipt === null ? null : grantedBy(receipt, undefined),
          spent: receipt === null ? null : spentOf(receipt, opinion),
        };
      }) as never,
    })),
    comparisons: pairsToJudge(arms.map(({ arm }) => arm.name)).map(([a, b]) => ({ a, b, parity: 'each' })),
  });
  const splitOf = new Map(
    arms[0]!.observations.map(({ example }) => [example.id, splitOfGroup(example.group)] as const),
  );
  const level = parseLevel('0.8');
  return assemble({
    set: { name: 'train-44', about: 'made up' },
    arms,
    splitOf,
    split: splitReport,
    certificate,
    level,
    coverage: 0.8,
    bootstrap: { resamples },
  });
}

const named = (report: SetReport, name: string) =>
  report.standings.find(({ contender }) => nameOf(contender) === name)!;
const compared = (report: SetReport, a: string, b: string) =>
  [...report.allocation, ...report.decision].find((one) => one.a === a && one.b === b)!;

describe('a report', () => {
  // With the policy one place better in the ranking, and a little oftener right.
  const report = reportOn(
    measured((arm, made) =>
      arm.startsWith('act') && arm !== 'act-general'
        ? {
            ...made,
            rank: made.rank == null ? null : Math.max(1, made.rank - 1),
            right: made.right === true || Number(made.id.slice(1)) % 9 === 0,
          }
        : made,
    ),
    // Seventy tests: with fewer resamples no p-value could survive Holm.
    4_000,
  );

  it('has every arm, every way of deciding, and the tests of both', () => {
    expect(report.arms.map(({ name }) => name)).toEqual(ARMS.map(({ name }) => name));
    expect(Object.keys(report.arms[0]!.figures)).toEqual(['R@1', 'R@5', 'R@10', 'MRR@10', 'EM', 'F1']);
    expect(report.decision.map(({ a }) => a)).toEqual(
      expect.arrayContaining(['act: without C, global tau', 'act: learned, global tau']),
    );
    const { tests } = compared(report, 'act', 'uniform');
    expect(tests.map(({ metric }) => metric)).toEqual([
      ...['R@1', 'R@5', 'R@10', 'MRR@10', 'EM', 'F1'],
      ...['AURC', 'E-AURC', 'AUGRC', 'EM at 0.8'],
    ]);
  });

  it('finds the better ranking, and McNemar counts it question by question', () => {
    const test = compared(report, 'act', 'uniform').tests.find(({ metric }) => metric === 'R@1')!;
    expect(test.difference).toBeGreaterThan(0.03);
    expect(test.adjusted).toBeLessThan(0.05);
    expect(test.adjusted).toBeGreaterThanOrEqual(test.p!);
    // Whoever was second is first now, and nobody fell: all discordant pairs on one side.
    const gained = Math.round(test.difference! * N);
    expect(test.mcnemar).toBeCloseTo(2 ** (1 - gained), 12);
    const same = compared(report, 'act-noise', 'act').tests.find(({ metric }) => metric === 'R@1')!;
    expect(same).toMatchObject({ difference: 0, p: 1, mcnemar: 1 });
  });

  it("refuses the paper's unequal settings, says which unit, and tests nothing", () => {
    const unequal = compared(report, 'act-55', 'uniform-40');
    expect(unequal.verdict.comparable).toBe(false);
    expect(unequal.tests).toEqual([]);
    expect(unequal.verdict.refusals.map(({ unit }) => unit)).toContain('docsScored');
    const method = report.decision.find(({ b }) => b.startsWith('uniform-40'))!;
    expect(method).toMatchObject({ verdict: { comparable: false }, tests: [] });
    const text = render(report);
    expect(text).toContain('act-55 less uniform-40: NOT COMPARABLE');
    expect(text).toContain('docsScored: granted 55 against 40 (27.3 % apart)');
  });

  it('takes the unequal difference apart into budget and policy, without a test', () => {
    for (const { total, budget, policy } of report.worth) expect(total).toBeCloseTo(budget + policy, 12);
    const em = report.worth.find(({ metric }) => metric === 'EM')!;
    // The budget changes nothing in this world; the policy does.
    expect(em.budget).toBe(0);
    expect(em.policy).toBeGreaterThan(0.02);
  });

  it('fits weights that see what is noise', () => {
    const { score } = named(report, 'act: formula, global tau');
    expect(score.kind === 'formula' && score.weights.gamma).toBeGreaterThan(0.5);
    const without = named(report, 'act: without E, global tau');
    expect(without.score.kind === 'formula' && without.score.weights.gamma).toBe(0);
    const test = compared(report, 'act: without E, global tau', 'act: formula, global tau').tests[0]!;
    expect(test).toMatchObject({ metric: 'AURC', better: -1 });
    expect(test.difference).toBeGreaterThan(0.02);
    expect(test.adjusted).toBeLessThan(0.05);
  });

  it('puts thresholds to the test', () => {
    const { operating } = named(report, 'act: formula, global tau');
    expect(operating).toMatchObject({ level: '0.8', n: TEST, rungs: { global: TEST } });
    expect(operating!.coverage.interval.low).toBeLessThan(0.8);
    expect(operating!.coverage.interval.high).toBeGreaterThan(0.8);
    const perAct = named(report, 'act: formula, tau per act, equal coverage').operating!;
    expect(perAct.rungs).toEqual({ act: TEST });
  });

  it('is written as a table with all of its figures', () => {
    const { columns, rows } = tableOf([report]);
    expect(columns.slice(0, 7)).toEqual(['set', 'kind', 'a', 'b', 'metric', 'n', 'value']);
    const tests = [...report.allocation, ...report.decision].flatMap(({ tests }) => tests);
    expect(rows.filter(([, kind]) => kind === 'difference')).toHaveLength(tests.length);
    expect(rows.some(([, , a, b]) => a === 'act-55' && b === 'uniform-40')).toBe(false);
    expect(rows.every((row) => row.length === columns.length && row[0] === 'train-44')).toBe(true);
  });

  it('is drawn: ablations, and quality against budget', async () => {
    const figures = figuresOf(report);
    expect(figures.map(({ name }) => name)).toEqual(['parity-train-44-decisions', 'parity-train-44-budgets']);
    const drawn = await drawnOf(figures);
    for (const { svg } of drawn) expect(svg).toMatch(/^<svg[^>]*>[\s\S]*<\/svg>$/);
    expect(drawn[0]!.svg).toContain('learned');
    expect(drawn[1]!.svg).toContain('uniform');
  });
});

describe('what the test split is kept from', () => {
  const names = ['act', 'uniform'];
  const flip = (which: SplitName) => (_: string, made: Made) =>
    splitOfGroup(made.group!) === which ? { ...made, right: !made.right } : made;
  const scores = (report: SetReport) => report.standings.map(({ score }) => score);
  const plain = reportOn(measured(undefined, names));

  it('scores are fitted on tune alone', () => {
    expect(scores(reportOn(measured(flip('test'), names)))).toEqual(scores(plain));
    expect(scores(reportOn(measured(flip('calibrate'), names)))).toEqual(scores(plain));
    expect(scores(reportOn(measured(flip('tune'), names)))).not.toEqual(scores(plain));
  });

  it('thresholds are set on calibrate alone', () => {
    const coverages = (report: SetReport) => report.standings.map(({ operating }) => operating?.answered);
    expect(coverages(reportOn(measured(flip('test'), names)))).toEqual(coverages(plain));
  });
});

describe('what cannot be measured', () => {
  const names = ['act', 'uniform'];

  it('stays in the denominators when it is not answered, and is a class of its own when it failed', () => {
    const report = reportOn(
      measured((_, made) => {
        const i = Number(made.id.slice(1));
        if (i % 10 === 0) return { ...made, closed: 'TOO_DISTANT' };
        return i % 10 === 1 ? { ...made, error: 'SCORING_FAILED' } : made;
      }, names),
    );
    const { n, unscored, operating } = named(report, 'act: formula, global tau');
    expect(n).toBe(TEST);
    expect(unscored).toBeGreaterThan(20);
    expect(operating!.n).toBe(TEST);
    expect(report.arms[0]).toMatchObject({ failed: 72, figures: { EM: { n: N, unscored: 72 } } });
    const test = compared(report, 'act', 'uniform').tests.find(({ metric }) => metric === 'AURC')!;
    expect(test.n - test.unscored).toBe(TEST - unscored);
  });

  it('is not compared when one policy failed where the other did not', () => {
    const report = reportOn(
      measured((arm, made) => (arm === 'act' && made.id === 'q3' ? { ...made, error: 'X' } : made), names),
    );
    expect(compared(report, 'act', 'uniform')).toMatchObject({
      verdict: { comparable: false, refusals: [{ what: 'queries', a: N - 1, b: N }] },
      tests: [],
    });
  });

  it('says what the answers of a language model add, where one was asked', () => {
    const unit = { granted: 100, spent: 10 };
    const budget = { promptTokens: unit, generatedTokens: unit, requests: unit, samplePairs: unit };
    const report = reportOn(
      measured((_, made) => {
        const support = made.right ? 0.8 : 0.2;
        const drawn = { meanings: [0], semanticEntropy: 0, agreement: 1, support };
        return {
          ...made,
          features: { ...made.features, sampleSupport: support },
          opinion: { drawn, failure: null, budget },
        };
      }, names),
    );
    expect(report.arms[0]!.spent).toMatchObject({ promptTokens: 10, requests: 10, docsScored: 60 });
    const [a, b] = ['act: learned, with samples, global tau', 'act: learned, global tau'];
    const area = (name: string) => named(report, name).areas!.AURC.value;
    expect(area(a)).toBeLessThan(area(b));
    const AURC = compared(report, a, b).tests.find(({ metric }) => metric === 'AURC')!;
    expect(AURC.interval!.high).toBeLessThan(0);
    expect(render(report)).toContain('promptTokens');
    const none = reportOn(measured((_, made) => made, names));
    expect(render(none)).not.toContain('promptTokens');
    expect(none.standings.map(({ contender }) => nameOf(contender))).not.toContain(a);
  });

  it('is said when a score cannot be fitted', () => {
    const report = reportOn(measured((_, made) => ({ ...made, right: true }), names));
    expect(report.remarks).toEqual([expect.stringContaining('act: learned: not fitted')]);
    expect(report.standings.some(({ contender }) => contender.score === 'learned')).toBe(false);
    expect(render(report)).toContain('remark: act: learned: not fitted');
  });

  it('has no threshold where closed gates leave too few, and says so', () => {
    const report = reportOn(
      measured(
        (_, made) => (Number(made.id.slice(1)) % 7 < 3 ? { ...made, closed: 'NO_RESULTS' } : made),
        names,
      ),
    );
    const { operating, areas } = named(report, 'act: formula, global tau');
    expect(operating).toMatchObject({ answered: 0, n: TEST, em: null, rungs: { none: TEST } });
    expect(areas!.EM.value).toBeGreaterThan(0);
    expect(render(report)).toContain('no threshold');
  });

  it('warns of a test split of few groups, whose intervals are too narrow', () => {
    const few = { ...split, splits: { ...split.splits, test: { ...split.splits.test, groups: 12 } } };
    expect(reportOn(measured(undefined, ['act']), 200, few).remarks).toEqual([
      expect.stringContaining('The test split has 12 groups'),
    ]);
    expect(reportOn(measured(undefined, ['act'])).remarks).toEqual([]);
  });

  it('leaves out what was not run', () => {
    expect(PARTS).toHaveLength(3);
    const report = reportOn(measured(undefined, ['act']));
    expect(report).toMatchObject({ allocation: [], worth: [] });
    expect(render(report)).toContain('none: their policies were not run');
  });
});
