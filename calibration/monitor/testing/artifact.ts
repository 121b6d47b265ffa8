/** A small artifact as `pragaura calibrate` would write it. Tests only. */

import { packageVersion } from '../../../common/index.ts';
import { ACTS, type Act } from '../../../profiles/index.ts';
import { FEATURES } from '../../../router/index.ts';
import { CALIBRATION_SCHEMA, CalibrationArtifact, integrityOf } from '../../artifact/schema.ts';
import { programHash } from '../../observations/key.ts';

const program = await programHash();

const proportion = (k: number, of: number) => ({
  k,
  of,
  value: of === 0 ? null : k / of,
  low: null,
  high: null,
});

const none = { documents: 0, value: null, low: null, high: null };

const realised = (n: number, answered: number, wrong: number) => ({
  coverage: proportion(answered, n),
  risk: proportion(wrong, answered),
  unlabelled: 0,
  silence: null,
  byDocument: { coverage: none, risk: none, silence: null },
});

const split = {
  examples: 1_000,
  restricted: 0,
  groups: 50,
  documents: 50,
  ungrouped: 0,
  errors: 0,
  unlabelled: 0,
  ids: 'x',
  ties: '',
};

/** FACT: 500 of 600 answered, 40 of them wrong; QUANTITY: 150 of 400, 15 wrong; other acts have no threshold. */
export function testArtifact(change: Partial<CalibrationArtifact> = {}): CalibrationArtifact {
  const rows: Partial<Record<Act, ReturnType<typeof realised>>> = {
    FACT: realised(600, 500, 40),
    QUANTITY: realised(400, 150, 15),
  };
  const artifact: Omit<CalibrationArtifact, 'integrity'> = {
    schema: CALIBRATION_SCHEMA,
    createdBy: { package: 'pragaura', version: packageVersion(), program },
    target: 'risk',
    scope: 'acts',
    level: '0.2',
    delta: '0.1',
    askLevel: null,
    wrong: { kind: 'em' },
    exchangeable: 'questions',
    sentence: 'A test.',
    score: { kind: 'formula', weights: { alpha: 0.5, beta: 0.25, gamma: 0.25 } },
    limits: {
      queryChars: 1_000,
      verification: 0,
    },
    acts: ACTS.map((act) => ({
      act,
      rung: rows[act] ? 'act' : 'none',
      tau: rows[act] ? 0.5 : null,
      askUpTo: null,
      askRung: 'none',
      sentence: 'A test.',
      own: { acts: [act] },
      pool: null,
      askPool: null,
      vetoed: [],
      test: rows[act] ?? realised(0, 0, 0),
      curve: [],
    })),
    global: { pool: { acts: 'everything' }, test: realised(1_005, 650, 55) },
    fit: {
      examples: 1,
      groups: 1,
      aurc: 0,
      augrc: 0,
      brier: null,
      logLoss: null,
      ridge: null,
      standardErrors: null,
      tied: null,
      temperatures: null,
      samples: null,
    },
    splits: {
      seed: 1,
      shares: { tune: 0.4, calibrate: 0.4, test: 0.2 },
      testFile: false,
      tune: split,
      calibrate: split,
      test: { ...split, examples: 1_005, errors: 5 },
    },
    validFor: {
      index: 'i',
      models: {},
      arithmetic: 'exact',
      profiles: 'p',
      policy: 'act',
      budget: { docsScored: 60, rerankPairs: 20, nliPairs: 24, contextTokens: 4_000, ms: 10_000 },
      layers: 'l',
      vocabulary: null,
      graph: null,
      decider: 'thresholds',
      planner: null,
      utilities: null,
      sampler: null,
    },
    features: [...FEATURES],
    ...change,
  };
  return CalibrationArtifact.parse({ ...artifact, integrity: integrityOf(artifact) });
}
