import { PragauraError, packageVersion, toLine } from '../../common/index.ts';
import { type Generator, samplerOf } from '../../generation/index.ts';
import {
  openPlanner,
  type PlannerModel,
  provisionalThresholds,
  type RouterOptions,
} from '../../router/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import { type Calibration, calibrationFrom } from '../artifact/fit.ts';
import { checkLayers } from '../artifact/layers.ts';
import { isUnseen } from '../artifact/planner-ties.ts';
import { checkWritable, saveArtifact } from '../artifact/save.ts';
import { isWrong } from '../labels/wrong.ts';
import { programHash } from '../observations/key.ts';
import { type Observed, observe } from '../observations/observe.ts';
import { plannedBy } from '../observations/planned.ts';
import { checkLabels } from '../planner/from-observations.ts';
import type { Documents } from '../splits/documents.ts';
import { SPLITS } from '../splits/split.ts';
import type { CalibrateSettings, ThresholdSettings } from './calibrate-settings.ts';
import { fitAndSave } from './fit-planner-run.ts';
import { divided, type Parts, partsFrom, speed } from './labelled-parts.ts';
import { notesOf, renderCalibration, summaryOf } from './render-calibration.ts';
import { renderPlanner, summaryOfPlanner } from './render-planner.ts';
import { withSampler } from './sampling.ts';

export interface CalibrateRun extends CalibrateSettings {
  router: RouterOptions;
  /** The language model whose answers are signals too; undefined: none is asked. */
  sampling?: { generator: Generator; count: number } | undefined;
}

/**
 * Measures what was not measured before, fits, and writes the planner, the artifact, or both. Gives what goes to
 * standard output: figures of the planner and the table of acts, or a summary as JSON.
 */
export async function runCalibrate(
  options: CalibrateRun,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<string> {
  const { thresholds, fit, cache, json } = options;
  if (thresholds !== null) {
    await checkWritable(thresholds.out);
    checkLayers(options.router.layers);
  }
  if (fit !== null) await checkWritable(fit.file, 'fit-planner');
  const { splits, documents } = await partsFrom(options, say);
  for (const remark of splits.report.remarks) say(remark);
  if (fit !== null) checkLabels(splits.tune, documents);
  const { planner: file, ...router } = options.router;
  const given = await plannerFor(options, file);
  // What sets no threshold and tests nothing need not be measured.
  const measured = SPLITS.filter((name) => thresholds !== null || name !== 'calibrate');
  const examples = measured.flatMap((name) => splits[name]);
  const unseen = given === null || isUnseen(given, examples, AGAIN);
  const { sampling } = options;
  const sampler =
    sampling && ((scorers: Scorers) => samplerOf(sampling.generator, scorers, { count: sampling.count }));
  const observed = await withSampler(router, sampler ?? null, (opened) =>
    observe(examples, { ...opened, cache, say, signal }),
  );
  say(speed(observed.stats));
  const parts = divided(observed.observations, splits, measured);

  const fitted = fit === null ? null : await fitAndSave(parts, observed, documents, { ...options, fit }, say);
  if (thresholds === null) {
    return json ? toLine({ ...summaryOfPlanner(fitted!), observed: observed.stats }) : renderPlanner(fitted!);
  }
  const started = performance.now();
  const calibration = await calibrated(options, thresholds, {
    parts: fitted?.planned ?? (given === null ? parts : plannedParts(given, parts)),
    planner: (fitted?.model ?? given)?.hash ?? null,
    unseen,
    documents,
    observed,
  });
  const seconds = (performance.now() - started) / 1_000;
  await saveArtifact(thresholds.out, calibration.artifact);
  say(`Fitted in ${seconds.toFixed(2)} s from ${examples.length} cached signals; written: ${thresholds.out}`);
  for (const note of notesOf(calibration)) say(note);
  if (!json) {
    return `${fitted === null ? '' : `${renderPlanner(fitted)}\n`}${renderCalibration(calibration)}`;
  }
  return toLine({
    ...summaryOf(calibration),
    ...(fitted === null ? {} : { planner: summaryOfPlanner(fitted) }),
    out: thresholds.out,
    observed: observed.stats,
    fitSeconds: seconds,
  });
}

interface Measured {
  parts: Parts;
  /** Hash of the planner that made the observations' `planned`. */
  planner: string | null;
  unseen: boolean;
  documents: Documents;
  observed: Observed;
}

async function calibrated(
  { seed, shares, test, exchangeable }: CalibrateRun,
  { out: _, ...thresholds }: ThresholdSettings,
  { parts, planner, unseen, documents, observed }: Measured,
): Promise<Calibration> {
  return calibrationFrom(parts, {
    ...thresholds,
    exchangeable,
    documents,
    wrong: (observation) => isWrong(observation, thresholds.rule),
    limits: provisionalThresholds().limits,
    planner,
    unseen,
    validFor: { ...observed.validFor, planner },
    splits: { seed, shares, testFile: test !== null },
    version: packageVersion(),
    program: await programHash(),
  });
}

const AGAIN =
  'Say --fit-planner FILE in the place of --planner FILE: with the same --seed and --split it fits the same planner again ' +
  'on the first part alone, and sets thresholds on another. Or name other labelled queries.';

/** The planner that is calibrated as it is; null for other scores and where one is fitted. Throws USAGE when one is named for these. */
async function plannerFor(
  { thresholds, fit }: CalibrateRun,
  file: string | undefined,
): Promise<PlannerModel | null> {
  if (fit === null && thresholds?.kind === 'planner') return openPlanner(file);
  if (file === undefined) return null;
  if (fit !== null) {
    throw new PragauraError(
      'USAGE',
      '--planner names a planner that there is, and --fit-planner makes one.',
      {
        hint: 'Leave one of them out.',
      },
    );
  }
  throw new PragauraError('USAGE', `--planner is for --score planner, not for --score ${thresholds?.kind}.`, {
    hint: 'Leave it out, or say --score planner.',
  });
}

function plannedParts(planner: PlannerModel, { tune, calibrate, test }: Parts): Parts {
  return {
    tune: plannedBy(planner, tune),
    calibrate: plannedBy(planner, calibrate),
    test: plannedBy(planner, test),
  };
}
