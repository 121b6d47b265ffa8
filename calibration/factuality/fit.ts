/**
 * Conformal factuality (Mohri and Hashimoto 2024, "Language models with conformal factuality guarantees"): sentences are
 * left out, those with least support first, until all that remain are borne out, as often as was asked for.
 */
import { packageVersion } from '../../common/index.ts';
import { type FactualityValidFor, isKept } from '../../generation/index.ts';
import { ACTS, type Act } from '../../profiles/index.ts';
import { integrityOf } from '../artifact/schema.ts';
import { complement, percent } from '../artifact/sentences.ts';
import type { Level } from '../levels/level.ts';
import { meanByDocument } from '../metrics/by-document.ts';
import { proportionOf } from '../metrics/proportions.ts';
import { calibrateActs } from '../thresholds/calibrate-acts.ts';
import type {
  ActThreshold,
  ActThresholds,
  Exchangeable,
  Pool,
  PoolActs,
  Scored,
} from '../thresholds/types.ts';
import type { MeasuredAnswer } from './answers.ts';
import { FACTUALITY_SCHEMA, type FactualityArtifact, type RealisedFactuality } from './artifact.ts';

export interface FactualityRequest {
  /** Most probability that a sentence which is kept is not borne out. */
  level: Level;
  scope: 'acts' | 'global';
  exchangeable: Exchangeable;
}

/**
 * The support above which nothing of this answer is wrongly kept: the most that one of its sentences has which is not
 * borne out, 0 where there is none. In [0, 1].
 */
export function leastSafeThreshold({ sentences }: Pick<MeasuredAnswer, 'sentences'>): number {
  return sentences.reduce((most, { support, supported }) => (supported ? most : Math.max(most, support)), 0);
}

/**
 * Thresholds for every act: split conformal over `leastSafeThreshold`, with the ladder of acts, families and all that
 * `calibrateActs` has. Of a new answer that is exchangeable with these (by document: of a new document) all sentences with
 * more support than the threshold are borne out with probability at least 1 - `level`, on average over calibrations. Pure.
 */
export function fitFactuality(
  answers: readonly MeasuredAnswer[],
  { level, scope, exchangeable }: FactualityRequest,
): ActThresholds {
  const items = answers.map(
    (answer): Scored => ({
      act: answer.act,
      U: leastSafeThreshold(answer),
      wrong: null,
      group: answer.group,
    }),
  );
  return calibrateActs(items, { target: 'coverage', level: wholeOf(level), scope, exchangeable });
}

/** 1 - level, exactly. */
function wholeOf({ text, numerator, denominator }: Level): Level {
  return { text: complement(text), numerator: denominator - numerator, denominator };
}

interface Parts extends FactualityRequest {
  calibrate: readonly MeasuredAnswer[];
  test: readonly MeasuredAnswer[];
  splits: Pick<FactualityArtifact['splits'], 'seed' | 'testFile'>;
  validFor: FactualityValidFor;
  program: string;
}

/** What a threshold of coverage alone comes to. */
type Found = Pick<ActThreshold, 'rung' | 'tau' | 'own' | 'pool'>;

/** The thresholds as they are kept, with what they came to on the test part. Pure. */
export function factualityArtifact(parts: Parts): FactualityArtifact {
  const { level, scope, exchangeable, calibrate, test } = parts;
  const thresholds = fitFactuality(calibrate, parts);
  const { global } = thresholds;
  const tau = global.coverage!.tau;
  const everything: Found = {
    rung: tau === null ? 'none' : 'global',
    tau,
    own: global,
    pool: tau === null ? null : global,
  };
  const row = (found: Found, answers: readonly MeasuredAnswer[], act: Act | null) => ({
    rung: found.rung,
    threshold: found.tau,
    sentence: sentenceOf(level, act, found),
    own: written(found.own),
    pool: found.pool === null ? null : written(found.pool),
    test: realised(answers, found.tau),
  });
  const artifact: Omit<FactualityArtifact, 'integrity'> = {
    schema: FACTUALITY_SCHEMA,
    createdBy: { package: 'pragaura', version: packageVersion(), program: parts.program },
    level: level.text,
    scope,
    exchangeable: global.coverage!.documents === null ? 'questions' : exchangeable,
    acts: ACTS.map((act) => ({
      act,
      ...row(
        thresholds.acts[act],
        test.filter((answer) => answer.act === act),
        act,
      ),
    })),
    all: row(everything, test, null),
    splits: { ...parts.splits, calibrate: partOf(calibrate), test: partOf(test) },
    validFor: { ...parts.validFor, generators: parts.validFor.generators?.slice() ?? null },
  };
  return { ...artifact, integrity: integrityOf(artifact) };
}

/** What a threshold comes to; null keeps nothing. */
export function realised(answers: readonly MeasuredAnswer[], threshold: number | null): RealisedFactuality {
  const kept = ({ support }: { support: number }) => isKept(support, threshold);
  const whole = ({ sentences }: MeasuredAnswer) => sentences.every((each) => each.supported || !kept(each));
  const all = answers.flatMap(({ sentences }) => sentences);
  const supported = all.filter((each) => each.supported);
  const shown = all.filter(kept);
  return {
    whole: proportionOf(answers.filter(whole).length, answers.length),
    wholeByDocument: meanByDocument(answers, ({ group }) => group, whole),
    kept: proportionOf(supported.filter(kept).length, supported.length),
    keptWrong: proportionOf(shown.filter((each) => !each.supported).length, shown.length),
    wrong: proportionOf(all.length - supported.length, all.length),
  };
}

function partOf(answers: readonly MeasuredAnswer[]): FactualityArtifact['splits']['test'] {
  return {
    answers: answers.length,
    sentences: answers.reduce((sum, { sentences }) => sum + sentences.length, 0),
    documents: new Set(answers.map(({ group }) => group)).size,
  };
}

function written({ acts, coverage }: Pool): FactualityArtifact['all']['own'] {
  const { n, documents, needed } = coverage!;
  return { acts: acts === 'everything' ? acts : [...acts], n, documents: documents?.n ?? null, needed };
}

function sentenceOf(level: Level, act: Act | null, { tau, own, pool, rung }: Found): string {
  const about = (acts: PoolActs) =>
    acts === 'everything' ? 'answers' : `answers to queries read as ${acts.join(' or ')}`;
  const kept = percent(complement(level.text));
  const { n, documents, needed } = own.coverage!;
  const had = `${n} ${n === 1 ? 'answer' : 'answers'}${documents === null ? '' : ` of ${documents.n} documents`}`;
  if (tau === null) {
    const more = `${needed ?? 0} more ${documents === null ? 'answers' : 'documents'}`;
    return `NOT_CALIBRATED: no sentence is kept, because ${had} ${n === 1 ? 'was' : 'were'} labelled, and ${more} would be needed for ${kept}.`;
  }
  const { n: of, documents: over, k } = pool!.coverage!;
  const seen =
    over === null
      ? `it was so for ${k} of ${of} labelled answers`
      : `it was so for ${Number((100 * over.share!).toPrecision(3))} % of ${of} labelled answers of ${over.n} documents, on average over these`;
  const fresh = over === null ? 'new ' : '';
  const documentsWords = over === null ? '' : ', on average over new documents, each of which counts alike';
  const promise =
    `With probability at least ${kept}, on average over calibrations${documentsWords}, every sentence that is kept of ` +
    `${fresh}${about(pool!.acts)} is borne out by the passages: support above ${Number(tau.toPrecision(4))}; ${seen}.`;
  const borrowed = act !== null && rung !== 'act' ? ` For ${about([act])} alone nothing is promised.` : '';
  return `${promise}${borrowed} It says nothing about how much is kept, or whether the passages are right.`;
}
