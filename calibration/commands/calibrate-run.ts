import { PragauraError } from '../../errors.ts';
import {
  openPlanner,
  type PlannerModel,
  provisionalThresholds,
  type RouterOptions,
} from '../../router/index.ts';
import { toLine } from '../../router/streams/index.ts';
import { calibrationFrom } from '../artifact/fit.ts';
import { checkLayers } from '../artifact/layers.ts';
import { packageVersion } from '../artifact/package-version.ts';
import { checkWritable, saveArtifact } from '../artifact/save.ts';
import { checkGrouped, countLabels } from '../labels/examples.ts';
import { loadLabelled } from '../labels/load.ts';
import { isWrong } from '../labels/wrong.ts';
import { programHash } from '../observations/key.ts';
import { type ObserveStats, observe } from '../observations/observe.ts';
import { plannedBy } from '../observations/planned.ts';
import { separateTest } from '../splits/disjoint.ts';
import { type Documents, documentsAmong, tiedGroups } from '../splits/documents.ts';
import { SPLITS, type SplitName, type Splits, splitExamples } from '../splits/split.ts';
import type { Example, Observation } from '../types.ts';
import type { CalibrateSettings } from './calibrate-settings.ts';
import { notesOf, renderCalibration, summaryOf } from './render-calibration.ts';

export interface CalibrateRun extends CalibrateSettings {
  router: RouterOptions;
}

/**
 * Measures what was not measured before, fits, and writes the artifact. Gives what goes to standard output: the table
 * of acts, or the summary as JSON.
 */
export async function runCalibrate(
  options: CalibrateRun,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<string> {
  await checkWritable(options.out);
  checkLayers(options.router.layers);
  const { splits, documents } = await splitsFrom(options, say);
  for (const remark of splits.report.remarks) say(remark);
  const examples = SPLITS.flatMap((name) => splits[name]);
  const { cache, kind, router } = options;
  const { planner: file, ...routed } = router;
  const planner = await plannerFor(kind, file);
  const observed = await observe(examples, { ...routed, cache, say, signal });
  say(speed(observed.stats));

  const started = performance.now();
  const { rule, seed, shares } = options;
  const measured = planner === null ? observed.observations : plannedBy(planner, observed.observations);
  const observations = partsOf(measured, splits);
  const hash = planner?.hash ?? null;
  const calibration = calibrationFrom(observations, {
    ...options,
    documents,
    wrong: (observation) => isWrong(observation, rule),
    limits: provisionalThresholds().limits,
    planner: hash,
    validFor: { ...observed.validFor, planner: hash },
    splits: { seed, shares, testFile: options.test !== null },
    version: packageVersion(),
    program: await programHash(),
  });
  const seconds = (performance.now() - started) / 1_000;
  await saveArtifact(options.out, calibration.artifact);
  say(`Fitted in ${seconds.toFixed(2)} s from ${examples.length} cached signals; written: ${options.out}`);
  for (const note of notesOf(calibration)) say(note);
  if (!options.json) return renderCalibration(calibration);
  return toLine({
    ...summaryOf(calibration),
    out: options.out,
    observed: observed.stats,
    fitSeconds: seconds,
  });
}

/** The planner that is calibrated; null for other scores. Throws USAGE when one is named for these. */
async function plannerFor(
  kind: CalibrateSettings['kind'],
  file: string | undefined,
): Promise<PlannerModel | null> {
  if (kind === 'planner') return openPlanner(file);
  if (file === undefined) return null;
  throw new PragauraError('USAGE', `--planner is for --score planner, not for --score ${kind}.`, {
    hint: 'Leave it out, or say --score planner.',
  });
}

/**
 * Throws INVALID_INPUT when a test file shares a group, a document or a question with --dev, unless such are dropped; and
 * when documents count and examples name none.
 */
async function splitsFrom(
  { dev, test, shared, shares, seed, exchangeable }: CalibrateSettings,
  say: (line: string) => void,
): Promise<{ splits: Splits; documents: Documents }> {
  const examples = await loadLabelled(dev);
  say(labelsOf(dev, examples));
  if (exchangeable === 'documents') checkGrouped(examples, dev);
  const splits = splitExamples(examples, { shares, seed });
  const documents = documentsAmong(examples);
  if (test === null) return { splits, documents };
  const tests = await loadLabelled(test);
  say(labelsOf(test, tests));
  const { test: left, dropped } = separateTest(examples, tests, shared);
  if (left.length < tests.length) {
    const { group, document, question } = dropped;
    say(
      `${tests.length - left.length} of ${tests.length} test examples are left out: ${group} share a group with --dev, ` +
        `${document} a document, ${question} (nearly) a question.`,
    );
  }
  if (exchangeable === 'documents') checkGrouped(left, test);
  const others = documentsAmong(tests);
  const tied = tiedGroups(left, others);
  if (tied !== null) say(`${test}: ${tied}`);
  return { splits: { ...splits, test: left }, documents: new Map([...documents, ...others]) };
}

/** What the labels say, so that what they do not say is known before hours of measuring. */
function labelsOf(file: string, examples: readonly Example[]): string {
  const { answers, passagesOnly, unanswerable, unlabelled } = countLabels(examples);
  const parts = [
    `${answers} with answers`,
    ...(passagesOnly > 0 ? [`${passagesOnly} with passages only`] : []),
    ...(unanswerable > 0 ? [`${unanswerable} that nothing should answer`] : []),
    ...(unlabelled > 0 ? [`${unlabelled} without a label`] : []),
  ];
  return `${file}: ${examples.length} labelled queries, ${parts.join(', ')}`;
}

/** Observations come in the order of the examples: tune, calibrate, test. */
function partsOf(
  observations: readonly Observation[],
  { tune, calibrate }: Splits,
): Record<SplitName, Observation[]> {
  const test = tune.length + calibrate.length;
  return {
    tune: observations.slice(0, tune.length),
    calibrate: observations.slice(tune.length, test),
    test: observations.slice(test),
  };
}

function speed({ fromCache, measured, failed, seconds, modelShare }: ObserveStats): string {
  const parts = [`${fromCache} examples measured before`];
  if (measured > 0) {
    const rate = (measured / seconds).toFixed(1);
    const models = modelShare === null ? '' : `, ${(100 * modelShare).toFixed(0)} % of the time in models`;
    parts.push(`${measured} now in ${seconds.toFixed(1)} s (${rate} a second${models})`);
  }
  if (failed > 0) parts.push(`${failed} could not be decided and count as not answered`);
  return `${parts.join('; ')}.`;
}
