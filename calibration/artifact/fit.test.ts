import { describe, expect, it } from 'vitest';
import { applied } from '../evaluation/applied.ts';
import { parseLevel } from '../levels/level.ts';
import type { Observation } from '../types.ts';
import { calibrationFrom } from './fit.ts';
import { CalibrationArtifact, CURVE_POINTS, integrityOf } from './schema.ts';
import { settings } from './testing/calibration.ts';
import { failed, observations } from './testing/observations.ts';
import { thresholdsFrom } from './thresholds.ts';

const rowOf = (artifact: CalibrationArtifact, act: string) => artifact.acts.find((row) => row.act === act)!;

function parts(sizes: readonly [number, number, number], options: Parameters<typeof observations>[1] = {}) {
  const [tune, calibrate, test] = sizes.map((n, place) => observations(n, { ...options, seed: place + 1 }));
  return { tune: tune!, calibrate: calibrate!, test: test! };
}

const risk = { target: 'risk', level: parseLevel('0.2'), delta: parseLevel('0.1') } as const;
const lax = { ...risk, level: parseLevel('0.4') } as const;

describe('a calibration of coverage', () => {
  const sets = parts([400, 400, 2_000], { acts: ['FACT', 'FACT', 'QUANTITY'] });
  const { artifact } = calibrationFrom(sets, settings());

  it('fits its schema, and its integrity is that of what it says', () => {
    expect(CalibrationArtifact.parse(JSON.parse(JSON.stringify(artifact)))).toEqual(artifact);
    expect(artifact.integrity).toBe(integrityOf(artifact));
  });

  it('puts the weight on the signal that tells right from wrong', () => {
    expect(artifact.score).toMatchObject({ kind: 'formula' });
    const { weights } = artifact.score as Extract<typeof artifact.score, { kind: 'formula' }>;
    expect(weights.gamma).toBeGreaterThanOrEqual(0.8);
  });

  it('gives tau the rank of its act among its own examples, and realises it on test', () => {
    const row = rowOf(artifact, 'FACT');
    const n = sets.calibrate.filter(({ act }) => act === 'FACT').length;
    expect(row).toMatchObject({
      rung: 'act',
      pool: { acts: ['FACT'], coverage: { n, k: Math.ceil((n + 1) * 0.8) } },
    });
    expect(row.test.coverage.of).toBe(sets.test.filter(({ act }) => act === 'FACT').length);
    expect(row.test.coverage.low!).toBeLessThan(0.85);
    expect(row.test.coverage.high!).toBeGreaterThan(0.75);
    expect(row.test.silence).toBeNull();
    expect(row.sentence).toContain('Of new queries read as FACT at least 80 % are answered');
  });

  it('says what every other threshold would have come to', () => {
    const { wrong } = settings();
    const thresholds = thresholdsFrom(artifact);
    for (const act of ['FACT', 'QUANTITY'] as const) {
      const { curve, test } = rowOf(artifact, act);
      expect(curve.length).toBeLessThanOrEqual(CURVE_POINTS);
      for (const [tau, answered, wrongly, unlabelled] of curve) {
        const given = sets.test.filter(
          (each) =>
            each.act === act && applied(each, { ...thresholds, tauFor: () => tau }).action === 'ANSWER',
        );
        const judged = given.map(wrong);
        expect([answered, wrongly, unlabelled]).toEqual([
          given.length,
          judged.filter((each) => each === true).length,
          judged.filter((each) => each === null).length,
        ]);
      }
      expect(curve.length).toBeGreaterThan(40);
      expect(curve.at(-1)![1]).toBeGreaterThan(test.coverage.k);
    }
    expect(rowOf(artifact, 'OPINION').curve).toEqual([]);
  });

  it('borrows for an act without examples, and says whose promise that is', () => {
    const row = rowOf(artifact, 'OPINION');
    expect(row).toMatchObject({ rung: 'global', pool: { acts: 'everything' }, own: { coverage: { n: 0 } } });
    expect(row.test.coverage).toEqual({ k: 0, of: 0, value: null, low: null, high: null });
    expect(row.sentence).toContain('OPINION has no threshold of its own (there are 0 examples');
    expect(row.sentence).toContain('For queries read as OPINION alone nothing is promised.');
  });

  it('is what the router gets', () => {
    const thresholds = thresholdsFrom(artifact);
    expect(thresholds).toMatchObject({
      status: 'CALIBRATED',
      hash: artifact.integrity,
      score: artifact.score,
    });
    expect(thresholds.tauFor('FACT')).toBe(rowOf(artifact, 'FACT').tau);
    expect(thresholds.sentence('QUANTITY')).toBe(rowOf(artifact, 'QUANTITY').sentence);
    expect(thresholds.askUpTo).toBeUndefined();
    expect(thresholds.validFor).toEqual(settings().validFor);
  });

  it('is the same in every byte when made again', () => {
    expect(JSON.stringify(calibrationFrom(sets, settings()).artifact)).toBe(JSON.stringify(artifact));
  });

  it('keeps closed gates and errors in every denominator', () => {
    const shut = parts([400, 400, 400], { closed: 0.3 });
    const made = calibrationFrom(shut, settings()).artifact;
    const row = rowOf(made, 'FACT');
    expect(row).toMatchObject({ rung: 'none', tau: null });
    expect(row.sentence).toMatch(
      /^NOT_CALIBRATED: .* at least 80 % .* gates that close whatever U is leave at most \d+ of 400/,
    );
    expect(made.sentence).toMatch(/^NOT_CALIBRATED/);
    expect(thresholdsFrom(made).tauFor('FACT')).toBeNull();

    const half = parts([200, 200, 200]);
    half.test = half.test.map((each, i) => (i % 2 === 0 ? failed(each) : each));
    const { global, splits } = calibrationFrom(half, settings()).artifact;
    expect(global.test.coverage.of).toBe(200);
    expect(global.test.coverage.k).toBeLessThanOrEqual(100);
    expect(splits.test).toMatchObject({ examples: 200, groups: 20, errors: 100, unlabelled: 0 });
  });

  it('takes a threshold of 0 for a threshold', () => {
    const sure = parts([200, 200, 200]);
    const certain = (each: Observation): Observation => ({
      ...each,
      features: { ...each.features!, D: 0, C: 0, E: 1 },
    });
    const made = calibrationFrom(
      { tune: sure.tune.map(certain), calibrate: sure.calibrate.map(certain), test: sure.test.map(certain) },
      settings(),
    ).artifact;
    const row = rowOf(made, 'FACT');
    expect(row.tau).toBe(0);
    expect(row.own.coverage!.ties).toBe(199);
    expect(row.sentence).toContain('199 more have exactly that U');
    expect(row.test.coverage.value).toBe(1);
    expect(thresholdsFrom(made).tauFor('FACT')).toBe(0);
  });
});

describe('a calibration of risk', () => {
  const sets = parts([1_000, 1_000, 4_000]);

  it('answers with no more errors than promised, and says on what grounds', () => {
    const { artifact } = calibrationFrom(sets, settings(risk));
    const row = rowOf(artifact, 'FACT');
    expect(row.rung).toBe('act');
    const { answered, wrong } = row.pool!.risk!;
    expect(row.sentence).toBe(
      'With 90 % confidence, in all promises of this calibration at once, at most 20 % of the answers to new queries ' +
        `read as FACT are wrong (no exact match): U <= ${Number(row.tau!.toPrecision(4))} answered ${answered} of the 1000 labelled examples, ` +
        `${wrong} of them wrongly. It says how often answers are wrong, and nothing about how many are given.`,
    );
    expect(row.test.risk.value!).toBeLessThan(0.2);
    expect(row.test.coverage.value!).toBeGreaterThan(0.15);
  });

  it('leaves unlabelled examples out of what it counts as right or wrong, and counts them', () => {
    const some = (list: Observation[]) =>
      list.map((each, i): Observation => {
        const { answers: _, answerable: __, ...rest } = each.example;
        return i % 4 === 0 ? { ...each, example: rest } : each;
      });
    const { artifact } = calibrationFrom(
      { tune: some(sets.tune), calibrate: some(sets.calibrate), test: some(sets.test) },
      settings(lax),
    );
    expect(artifact.splits.calibrate).toMatchObject({ examples: 1_000, unlabelled: 250 });
    expect(rowOf(artifact, 'FACT').own.risk).toMatchObject({ n: 750, unlabelled: 250 });
    expect(artifact.fit.examples).toBe(750);
    expect(artifact.global.test.unlabelled).toBeGreaterThan(0);
  });

  it('has no threshold with too few examples, and says how many are needed', () => {
    const { artifact } = calibrationFrom(parts([12, 12, 12]), settings(lax));
    const row = rowOf(artifact, 'FACT');
    expect(row).toMatchObject({ rung: 'none', tau: null, pool: null });
    expect(row.own.risk!.needed).toBeGreaterThan(0);
    expect(row.sentence).toMatch(
      /^NOT_CALIBRATED: no threshold reaches at most 40 % wrong answers for queries read as FACT/,
    );
    expect(row.sentence).toContain(`${row.own.risk!.needed} more would be needed`);
  });

  it('may have one threshold for all', () => {
    const mixed = parts([600, 600, 600], { acts: ['FACT', 'QUANTITY'] });
    const { artifact } = calibrationFrom(mixed, settings({ ...risk, scope: 'global' }));
    const taus = new Set(artifact.acts.map(({ tau }) => tau));
    expect(taus.size).toBe(1);
    expect(rowOf(artifact, 'QUANTITY').sentence).toMatch(
      /^One threshold for every act: with 90 % confidence/,
    );
  });
});

describe('a joint calibration', () => {
  it('has a band for asking between answers and silence', () => {
    const sets = parts([1_000, 1_000, 2_000]);
    const { artifact } = calibrationFrom(
      sets,
      settings({ ...risk, target: 'joint', ask: parseLevel('0.1') }),
    );
    const row = rowOf(artifact, 'FACT');
    expect(row.askUpTo!).toBeGreaterThan(row.tau!);
    expect(row.test.silence!.of).toBe(2_000);
    expect(row.test.silence!.value!).toBeLessThan(0.1);
    expect(row.sentence).toContain(
      'at most 10 % of new queries read as FACT that can be answered end in silence',
    );
    const thresholds = thresholdsFrom(artifact);
    expect(thresholds.askUpTo!('FACT')).toBe(row.askUpTo);
  });

  it('promises little silence also where nothing is answered: what could be is asked back', () => {
    const { artifact } = calibrationFrom(
      parts([300, 300, 300]),
      settings({ ...risk, target: 'joint', level: parseLevel('0.001'), ask: parseLevel('0.3') }),
    );
    expect(artifact.global.pool.silence!.why).toBe('reached');
    const row = rowOf(artifact, 'FACT');
    expect(row).toMatchObject({ tau: null, askRung: 'act' });
    expect(row.askUpTo).toBeGreaterThan(0);
    expect(row.test.silence!.value).toBeLessThan(0.35);
    expect(row.test.coverage.k).toBe(0);
    expect(row.sentence).toMatch(/^NOT_CALIBRATED: no threshold reaches .* can be answered end in silence/);
  });
});

describe('the learned score in an artifact', () => {
  it('carries how it was fitted', () => {
    const sets = parts([600, 400, 400]);
    const { artifact, learned, surface } = calibrationFrom(sets, settings({ kind: 'learned' }));
    expect(surface).toBeNull();
    expect(artifact.score.kind).toBe('learned');
    expect(artifact.fit).toMatchObject({ examples: 600, groups: 60, ridge: learned!.ridge, tied: null });
    expect(Object.keys(artifact.fit.standardErrors!)).toContain('margin');
    expect(CalibrationArtifact.parse(JSON.parse(JSON.stringify(artifact)))).toEqual(artifact);
  });
});

describe('what cannot be calibrated', () => {
  const sets = parts([100, 100, 100]);
  const unlabelled = (each: Observation): Observation => ({
    ...each,
    example: { id: each.example.id, query: 'q', group: each.example.group },
  });
  const wrong = (each: Observation): Observation => ({
    ...each,
    candidate: { ...each.candidate!, text: 'no' },
  });
  const right = (each: Observation): Observation => ({
    ...each,
    candidate: { ...each.candidate!, text: 'yes' },
  });

  it('is refused: an empty split, no labels, all wrong, all gates closed', () => {
    expect(() => calibrationFrom({ ...sets, tune: [] }, settings())).toThrow('left for the tune split');
    expect(() => calibrationFrom({ ...sets, calibrate: [] }, settings())).toThrow(
      'left for the calibrate split',
    );
    expect(() => calibrationFrom({ ...sets, tune: sets.tune.map(unlabelled) }, settings())).toThrow(
      'None of the 100',
    );
    expect(() => calibrationFrom({ ...sets, tune: sets.tune.map(wrong) }, settings())).toThrow(
      'answered wrongly',
    );
    expect(() => calibrationFrom({ ...sets, tune: observations(50, { closed: 1 }) }, settings())).toThrow(
      'Gates',
    );
  });

  it('is not what is all right: weights are then even, and the learned score is refused', () => {
    const all = { ...sets, tune: sets.tune.map(right) };
    const { artifact, surface } = calibrationFrom(all, settings());
    expect(surface).toHaveLength(231);
    expect(artifact.score).toEqual({ kind: 'formula', weights: { alpha: 0.3, beta: 0.35, gamma: 0.35 } });
    expect(artifact.fit.tied).toBe(231);
    expect(() => calibrationFrom(all, settings({ kind: 'learned' }))).toThrow('are right');
  });

  it('is no test split: nothing is known then, and said to be', () => {
    const { artifact } = calibrationFrom({ ...sets, test: [] }, settings());
    expect(artifact.global.test.coverage).toEqual({ k: 0, of: 0, value: null, low: null, high: null });
  });
});

describe('examples that nothing is promised for', () => {
  const sets = parts([400, 400, 400]);
  const turns = [{ role: 'user' as const, text: 'And before?' }];
  /** Every other one has a history or filters, and would be answered wrongly. */
  const mixed = (list: Observation[]) =>
    list.map((each, i): Observation => {
      if (i % 2 === 0) return each;
      const restriction = i % 4 === 1 ? { history: turns } : { filters: { docId: ['d'] } };
      return {
        ...each,
        example: { ...each.example, ...restriction },
        candidate: { ...each.candidate!, text: 'no' },
      };
    });
  const plain = (list: Observation[]) => list.filter((_, i) => i % 2 === 0);
  const all = { tune: plain(sets.tune), calibrate: mixed(sets.calibrate), test: mixed(sets.test) };
  const without = { tune: all.tune, calibrate: plain(sets.calibrate), test: plain(sets.test) };
  const made = (given: typeof sets) => calibrationFrom(given, settings(lax)).artifact;

  it('set no threshold, test none, and are told', () => {
    const [artifact, alone] = [made(all), made(without)];
    expect(rowOf(artifact, 'FACT').tau).not.toBeNull();
    expect(artifact.acts).toEqual(alone.acts);
    expect(artifact.global).toEqual(alone.global);
    for (const name of ['calibrate', 'test'] as const) {
      expect(artifact.splits[name]).toMatchObject({ examples: 200, restricted: 200, groups: 40 });
      expect(alone.splits[name]).toMatchObject({ examples: 200, restricted: 0, groups: 40 });
      // Nobody may test on them either: they were in the file that was split.
      expect(artifact.splits[name].ids).not.toBe(alone.splits[name].ids);
    }
    expect(CalibrationArtifact.parse(JSON.parse(JSON.stringify(artifact)))).toEqual(artifact);
  });

  it('help to fit the score', () => {
    const artifact = made({ ...all, tune: mixed(sets.tune) });
    expect(artifact.fit.examples).toBe(400);
    expect(artifact.splits.tune).toMatchObject({ examples: 400, restricted: 0 });
  });

  it('plan no test: where nothing is fitted they change no threshold', () => {
    const planned = (list: Observation[]) =>
      list.map((each): Observation => {
        const E = each.features!.E!;
        return { ...each, planned: { ANSWER: E, ASK: 0, ABSTAIN: 1 - E } };
      });
    const thresholds = (tune: Observation[]) =>
      calibrationFrom(
        { tune: planned(tune), calibrate: planned(without.calibrate), test: [] },
        settings({ ...lax, kind: 'planner', planner: 'h' }),
      ).artifact.acts;
    const few = thresholds(plain(sets.tune));
    expect(few[0]!.tau).not.toBeNull();
    expect(thresholds(mixed(sets.tune))).toEqual(few);
  });

  it('are no calibrate split, when there is nothing else', () => {
    const calibrate = mixed(sets.calibrate).filter((_, i) => i % 2 === 1);
    expect(() => made({ ...all, calibrate })).toThrow(
      expect.objectContaining({ message: 'No example is left for the calibrate split.' }),
    );
  });

  it('are no empty history', () => {
    const empty = without.calibrate.map((each) => ({ ...each, example: { ...each.example, history: [] } }));
    expect(made({ ...without, calibrate: empty }).splits.calibrate).toMatchObject({ restricted: 0 });
  });
});

describe('documents as what is exchangeable', () => {
  const sets = parts([400, 400, 400], { acts: ['FACT', 'FACT', 'QUANTITY'] });
  const byDocument = (change: Parameters<typeof settings>[0]) =>
    calibrationFrom(sets, settings({ exchangeable: 'documents', ...change })).artifact;

  it('is written down, with means over the documents of test', () => {
    const artifact = byDocument({});
    expect(CalibrationArtifact.parse(JSON.parse(JSON.stringify(artifact)))).toEqual(artifact);
    expect(artifact.exchangeable).toBe('documents');
    expect(artifact.global.pool.coverage!.documents).toMatchObject({ n: 40 });
    const { coverage, byDocument: means } = artifact.global.test;
    expect(means.coverage.documents).toBe(40);
    // Ten questions a document: both are the same mean.
    expect(means.coverage.value).toBeCloseTo(coverage.value!, 12);
    expect(means.coverage.low!).toBeLessThan(coverage.value!);
    expect(means.coverage.high!).toBeGreaterThan(coverage.value!);
    expect(artifact.sentence).toContain('a question of a new document');
    expect(rowOf(artifact, 'FACT')).toMatchObject({ rung: 'act' });
  });

  it('reaches less than questions would, and says how many documents it would take', () => {
    const by = (exchangeable: 'documents' | 'questions') =>
      byDocument({ ...lax, exchangeable, scope: 'global' });
    expect(by('questions').global.pool.risk!.tau).not.toBeNull();
    const { pool } = by('documents').global;
    expect(pool.risk).toMatchObject({ documents: { n: 40 } });
    expect(pool.risk!.tau ?? 0).toBeLessThanOrEqual(by('questions').global.pool.risk!.tau!);
  });

  it('are counted and not their versions, wherever documents are', () => {
    /** Ten versions of each document, every question of it asked of one of them; all are tied by what they name. */
    const versions = (list: Observation[]) =>
      list.map((each, i): Observation => {
        const { group } = each.example;
        return {
          ...each,
          example: { ...each.example, group: `${i % 10} ${group}`, passages: [`${group}.md#${i}`] },
        };
      });
    const tied = {
      tune: versions(sets.tune),
      calibrate: versions(sets.calibrate),
      test: versions(sets.test),
    };
    for (const change of [
      {},
      { kind: 'learned' },
      lax,
      { ...lax, target: 'joint', ask: parseLevel('0.5') },
    ] as const) {
      const [made, plain] = [tied, sets].map(
        (given) => calibrationFrom(given, settings({ exchangeable: 'documents', ...change })).artifact,
      );
      for (const part of ['sentence', 'score', 'acts', 'global', 'fit'] as const)
        expect(made![part]).toEqual(plain![part]);
      expect(made!.splits.test).toMatchObject({ examples: 400, groups: 400, documents: 40 });
      expect(plain!.splits.test).toMatchObject({ groups: 40, documents: 40 });
    }
  });

  it('are what the whole file says they are, when that is told', () => {
    const documents = new Map(
      Object.values(sets).flatMap((list) => list.map(({ example }, i) => [example, `d${i % 5}`] as const)),
    );
    const { splits, global } = calibrationFrom(
      sets,
      settings({ exchangeable: 'documents', documents }),
    ).artifact;
    expect(splits.calibrate).toMatchObject({ groups: 40, documents: 5 });
    expect(global.pool.coverage!.documents!.n).toBe(5);
  });

  it('is said of questions where no two share a document', () => {
    const alone = (list: Observation[]) =>
      list.map((each) => ({ ...each, example: { ...each.example, group: each.example.id } }));
    const own = { tune: alone(sets.tune), calibrate: alone(sets.calibrate), test: alone(sets.test) };
    const artifact = calibrationFrom(own, settings({ exchangeable: 'documents' })).artifact;
    expect(artifact.exchangeable).toBe('questions');
  });
});

describe("a calibration of a planner's probabilities", () => {
  /** The planner knows E, and whether to ask as well as D says. */
  const planned = (each: Observation): Observation => {
    const { D, E } = each.features!;
    const rest = 1 - E!;
    return { ...each, planned: { ANSWER: E!, ASK: rest * (1 - D!), ABSTAIN: rest * D! } };
  };
  const all = (sets: ReturnType<typeof parts>) => ({
    tune: sets.tune.map(planned),
    calibrate: sets.calibrate.map(planned),
    test: sets.test.map(planned),
  });
  const joint = settings({
    ...{ target: 'joint', kind: 'planner', planner: 'h' },
    ...{ level: parseLevel('0.3'), delta: parseLevel('0.1'), ask: parseLevel('0.3') },
  });

  it('names the planner, and bounds wrong answers and needless silence at once', () => {
    const { artifact: made, learned } = calibrationFrom(all(parts([600, 600, 600])), joint);
    expect(made.score).toEqual({ kind: 'planner', planner: 'h' });
    expect(made.fit).toMatchObject({ brier: null, tied: null, temperatures: null });
    expect(learned).toBeNull();
    const row = rowOf(made, 'FACT');
    expect(row.tau).toBeGreaterThan(0);
    // Not lifted to tau: it is held against another number.
    expect(row.askUpTo).not.toBeNull();
    expect(row.sentence).toContain('up to (1 + P(ABSTAIN) - P(ASK)) / 2 = ');
    expect(row.test.risk.value).toBeLessThan(0.3);
    expect(row.test.silence!.value).toBeLessThan(0.3);
    expect(CalibrationArtifact.parse(made)).toEqual(made);
  });

  it('answers nothing where no planner looked', () => {
    const { artifact: made } = calibrationFrom(parts([200, 200, 200]), {
      ...joint,
      level: parseLevel('0.9'),
    });
    expect(made.acts.every(({ tau }) => tau === null)).toBe(true);
  });
});
