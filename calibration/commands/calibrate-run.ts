import type { RouterOptions } from '../../router/index.ts';
import { provisionalThresholds } from '../../router/index.ts';
import { toLine } from '../../router/streams/index.ts';
import { calibrationFrom } from '../artifact/fit.ts';
import { packageVersion } from '../artifact/package-version.ts';
import { checkWritable, saveArtifact } from '../artifact/save.ts';
import { loadLabelled } from '../labels/load.ts';
import { isWrong } from '../labels/wrong.ts';
import { type ObserveStats, observe } from '../observations/observe.ts';
import { separateTest } from '../splits/disjoint.ts';
import { SPLITS, type SplitName, type Splits, splitExamples } from '../splits/split.ts';
import type { Observation } from '../types.ts';
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
  const splits = await splitsFrom(options);
  for (const remark of splits.report.remarks) say(remark);
  const examples = SPLITS.flatMap((name) => splits[name]);
  const { cache, router } = options;
  const observed = await observe(examples, { ...router, cache, say, signal });
  say(speed(observed.stats));

  const started = performance.now();
  const { rule, seed, shares } = options;
  const observations = partsOf(observed.observations, splits);
  const calibration = calibrationFrom(observations, {
    ...options,
    wrong: (observation) => isWrong(observation, rule),
    limits: provisionalThresholds().limits,
    validFor: observed.validFor,
    splits: { seed, shares, testFile: options.test !== null },
    version: packageVersion(),
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

/** Throws INVALID_INPUT when a test file shares a group, a document or a question with what is fitted on. */
async function splitsFrom({ dev, test, shares, seed }: CalibrateSettings): Promise<Splits> {
  const examples = await loadLabelled(dev);
  const splits = splitExamples(examples, { shares, seed });
  if (test === null) return splits;
  return { ...splits, test: separateTest(examples, await loadLabelled(test), 'refuse').test };
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
