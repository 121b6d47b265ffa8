import { ACTS, type Act } from '../../profiles/index.ts';
import { type CalibratedThresholds, FEATURES, type Thresholds } from '../../router/index.ts';
import { applied } from '../evaluation/applied.ts';
import { answerableOf, saysWhatIsShown, unrestricted } from '../labels/examples.ts';
import type { WrongRule } from '../labels/wrong.ts';
import type { Level } from '../levels/level.ts';
import { meanByDocument } from '../metrics/by-document.ts';
import { proportionOf } from '../metrics/proportions.ts';
import { type Documents, documentIn } from '../splits/documents.ts';
import type { ActThreshold, ActThresholds, Pool } from '../thresholds/types.ts';
import type { Observation } from '../types.ts';
import { hashesOfTies, hashOfIds } from './identities.ts';
import {
  type ArtifactPool,
  CALIBRATION_SCHEMA,
  type CalibrationArtifact,
  CURVE_POINTS,
  type Fit,
  integrityOf,
  type Realised,
} from './schema.ts';
import { actSentence, wholeSentence } from './sentences.ts';

type SplitName = 'tune' | 'calibrate' | 'test';

export interface ArtifactParts {
  target: CalibrationArtifact['target'];
  scope: CalibrationArtifact['scope'];
  level: Level;
  delta: Level | null;
  ask: Level | null;
  rule: WrongRule;
  score: CalibrationArtifact['score'];
  /** Whether a planner is known to have seen none of what sets and tests the thresholds; default false. */
  unseen?: boolean;
  fit: Fit;
  thresholds: ActThresholds;
  limits: Thresholds['limits'];
  validFor: CalibratedThresholds['validFor'];
  splits: Pick<CalibrationArtifact['splits'], 'seed' | 'shares' | 'testFile'>;
  observations: Record<SplitName, readonly Observation[]>;
  /** Whether the candidate would be wrong, by `rule`. */
  wrong: (observation: Observation) => boolean | null;
  /** What counts as one document. */
  documents: Documents;
  /** Of this program, and the hash over its code that decides. */
  version: string;
  program: string;
}

function wrongOf({ rule, observations }: ArtifactParts): CalibrationArtifact['wrong'] {
  const some = Object.values(observations).some((part) =>
    part.some(({ example }) => saysWhatIsShown(example)),
  );
  return {
    ...(rule.kind === 'em' ? { kind: 'em' } : { kind: 'f1', least: rule.least.text }),
    ...(some && { shown: true }),
  };
}

/** The artifact, with what its thresholds came to on the test split. Pure. */
export function buildArtifact(parts: ArtifactParts): CalibrationArtifact {
  const { target, thresholds, score, limits } = parts;
  const head = {
    target,
    scope: parts.scope,
    level: parts.level.text,
    delta: parts.delta?.text ?? null,
    askLevel: parts.ask?.text ?? null,
    wrong: wrongOf(parts),
    exchangeable: exchangeableOf(thresholds.global),
    score,
  };
  const told = { ...head, unseen: parts.unseen };
  const decided: Thresholds = {
    status: 'CALIBRATED',
    score,
    limits,
    tauFor: (act) => thresholds.acts[act].tau,
    ...(target === 'joint' ? { askUpTo: (act: Act) => thresholds.acts[act].askUpTo } : {}),
    sentence: () => '',
  };
  const covered = {
    calibrate: unrestricted(parts.observations.calibrate),
    test: unrestricted(parts.observations.test),
  };
  const all: Thresholds = { ...decided, tauFor: () => 1 };
  const test = covered.test.map((observation) => ({
    observation,
    document: documentIn(parts.documents, observation.example),
    action: applied(observation, decided).action,
    least: leastTau(applied(observation, all)),
    wrong: parts.wrong(observation),
  }));
  const testOf = (act: Act) =>
    test.filter(({ observation }) => observation.error === null && observation.act === act);
  const calibrated = ACTS.filter((act) => thresholds.acts[act].tau !== null);
  const artifact: Omit<CalibrationArtifact, 'integrity'> = {
    schema: CALIBRATION_SCHEMA,
    createdBy: { package: 'pragaura', version: parts.version, program: parts.program },
    ...head,
    sentence: wholeSentence(
      told,
      calibrated,
      ACTS.filter((act) => !calibrated.includes(act)),
      target === 'joint' ? calibrated.filter((act) => thresholds.acts[act].askUpTo === null) : [],
    ),
    limits,
    acts: ACTS.map((act) => ({
      act,
      ...rowOf(thresholds.acts[act]),
      sentence: actSentence(told, act, thresholds.acts[act]),
      test: realised(testOf(act), target),
      curve: curveOf(testOf(act)),
    })),
    global: { pool: written(thresholds.global), test: realised(test, target) },
    fit: parts.fit,
    splits: {
      ...parts.splits,
      tune: splitOf(parts.observations.tune, parts.observations.tune, parts),
      calibrate: splitOf(parts.observations.calibrate, covered.calibrate, parts),
      test: splitOf(parts.observations.test, covered.test, parts),
    },
    validFor: parts.validFor,
    features: [...FEATURES],
  };
  return { ...artifact, integrity: integrityOf(artifact) };
}

/** What was taken as exchangeable in fact. */
function exchangeableOf({ coverage, risk }: Pool): CalibrationArtifact['exchangeable'] {
  return (coverage ?? risk)?.documents == null ? 'questions' : 'documents';
}

function rowOf({ rung, tau, askUpTo, askRung, own, pool, askPool, vetoed }: ActThreshold) {
  return {
    rung,
    tau,
    askUpTo,
    askRung,
    vetoed: [...vetoed],
    own: written(own),
    pool: pool === null ? null : written(pool),
    askPool: askPool === null ? null : written(askPool),
  };
}

function written({ acts, coverage, risk, silence }: Pool): ArtifactPool {
  const fraction = ({ numerator, denominator }: { numerator: bigint; denominator: bigint }) =>
    `${numerator}/${denominator}`;
  return {
    acts: acts === 'everything' ? acts : [...acts],
    ...(coverage && { coverage: { ...coverage } }),
    ...(risk && { risk: { ...risk, delta: fraction(risk.delta) } }),
    ...(silence && { silence: { ...silence, delta: fraction(silence.delta) } }),
  };
}

interface Tested {
  observation: Observation;
  document: string;
  action: ReturnType<typeof applied>['action'];
  /** The least threshold at which it is answered; null: none. */
  least: number | null;
  wrong: boolean | null;
}

/** `largest`: what the largest threshold makes of it. */
const leastTau = (largest: ReturnType<typeof applied>) =>
  largest.action === 'ANSWER' ? (largest.U ?? 0) : null;

/** Steps of equal numbers of answers; ties are never divided. */
function curveOf(items: readonly Tested[]): CalibrationArtifact['acts'][number]['curve'] {
  const answerable = items
    .flatMap(({ least, wrong }) => (least === null ? [] : [{ least, wrong }]))
    .sort((a, b) => a.least - b.least);
  const points: CalibrationArtifact['acts'][number]['curve'] = [];
  let [wrong, unlabelled] = [0, 0];
  for (const [i, item] of answerable.entries()) {
    if (item.wrong === null) unlabelled += 1;
    else if (item.wrong) wrong += 1;
    const answered = i + 1;
    const isLast = answered === answerable.length;
    if (!isLast && answerable[answered]!.least === item.least) continue;
    const wanted = ((points.length + 1) * answerable.length) / CURVE_POINTS;
    if (isLast || answered >= wanted) points.push([item.least, answered, wrong, unlabelled]);
  }
  return points;
}

function realised(items: readonly Tested[], target: CalibrationArtifact['target']): Realised {
  const answered = items.filter(({ action }) => action === 'ANSWER');
  const labelled = answered.filter(({ wrong }) => wrong !== null);
  const answerable = items.filter(({ observation }) => answerableOf(observation.example) === true);
  return {
    coverage: proportionOf(answered.length, items.length),
    risk: proportionOf(labelled.filter(({ wrong }) => wrong).length, labelled.length),
    unlabelled: answered.length - labelled.length,
    silence: target === 'joint' ? proportionOf(answerable.filter(silent).length, answerable.length) : null,
    byDocument: {
      coverage: meanOver(items, ({ action }) => action === 'ANSWER'),
      risk: meanOver(labelled, ({ wrong }) => wrong === true),
      silence: target === 'joint' ? meanOver(answerable, silent) : null,
    },
  };
}

/** A query that could not be decided is silence too. */
const silent = ({ action }: Tested) => action === 'ABSTAIN' || action === null;

function meanOver(items: readonly Tested[], so: (item: Tested) => boolean): Realised['byDocument']['risk'] {
  return { ...meanByDocument(items, ({ document }) => document, so) };
}

function splitOf(
  all: readonly Observation[],
  used: readonly Observation[],
  { wrong, documents }: Pick<ArtifactParts, 'wrong' | 'documents'>,
): CalibrationArtifact['splits'][SplitName] {
  const examples = all.map(({ example }) => example);
  return {
    examples: used.length,
    restricted: all.length - used.length,
    groups: new Set(used.map(({ example }) => example.group)).size,
    documents: new Set(used.map(({ example }) => documentIn(documents, example))).size,
    ungrouped: used.filter(({ example }) => example.ungrouped).length,
    errors: used.filter(({ error }) => error !== null).length,
    unlabelled: used.filter((each) => each.error === null && wrong(each) === null).length,
    ids: hashOfIds(examples),
    ties: hashesOfTies(examples),
  };
}
