import { isDeepStrictEqual } from 'node:util';
import { PragauraError } from '../../common/index.ts';
import type { Generator } from '../../generation/index.ts';
import {
  openPlanner,
  openRouter,
  type PlannerModel,
  provisionalThresholds,
  type RouterOptions,
} from '../../router/index.ts';
import { hashOfIds, tiedTo } from '../artifact/identities.ts';
import { checkLayers } from '../artifact/layers.ts';
import { readArtifact } from '../artifact/load.ts';
import { isUnseen } from '../artifact/planner-ties.ts';
import type { CalibrationArtifact } from '../artifact/schema.ts';
import { ruleOf, thresholdsFrom } from '../artifact/thresholds.ts';
import { evaluateObservations } from '../evaluation/evaluate.ts';
import { promisedBy } from '../evaluation/promised.ts';
import { checkGrouped } from '../labels/examples.ts';
import { loadLabelled } from '../labels/load.ts';
import type { WrongRule } from '../labels/wrong.ts';
import { observe } from '../observations/observe.ts';
import { plannedBy } from '../observations/planned.ts';
import { headline, sectionsOf } from '../report/sections.ts';
import { textOf } from '../report/text.ts';
import { checkFolder, reportFiles, writeParts } from '../report/write-report.ts';
import { separateTest } from '../splits/disjoint.ts';
import { documentsAmong, tiedGroups } from '../splits/documents.ts';
import { splitExamples } from '../splits/split.ts';
import type { Example } from '../types.ts';
import { samplerNeeded, withSampler } from './sampling.ts';

export interface EvaluateRun {
  test: string;
  calibration: string | null;
  /** File of the queries that thresholds were fitted on. */
  setAside: string | null;
  /** Null: the calibration's, or EM. */
  rule: WrongRule | null;
  resamples: number;
  cache: string;
  out: string;
  router: RouterOptions;
  /** The language model that the calibration looks at. */
  generator?: Generator | undefined;
}

/** Measures what was not measured before, evaluates, writes the report. Gives the text for standard output. */
export async function runEvaluate(
  options: EvaluateRun,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<string> {
  const { calibration, cache, out, router, resamples } = options;
  await checkFolder(out);
  const artifact = calibration === null ? null : await readArtifact(calibration);
  if (artifact !== null && options.rule !== null) {
    throw new PragauraError('USAGE', '--wrong is said by the calibration: it promises about that rule.', {
      hint: 'Leave out --wrong, or calibrate anew with it.',
    });
  }
  if (artifact !== null) checkLayers(router.layers);
  const { all, examples, remarks } = await examplesOf(options, artifact);
  if (artifact?.exchangeable === 'documents') checkGrouped(examples, options.test);
  if (artifact !== null) checkNew(examples, artifact, options);
  const { planner: file, ...routed } = router;
  const planner = await plannerFor(artifact, file);
  if (planner !== null)
    isUnseen(planner, examples, 'Evaluate on documents that the planner was not fitted on.');
  const documents = documentsAmong(all);
  const tied = tiedGroups(examples, documents);
  if (tied !== null) say(tied);
  const thresholds = artifact === null ? null : thresholdsFrom(artifact);
  const rule = artifact === null ? (options.rule ?? { kind: 'em' }) : ruleOf(artifact);
  const sampled = samplerNeeded(thresholds, options.generator);
  const { observations: measured, stats } = await withSampler(routed, sampled, async (opened) => {
    if (artifact !== null)
      await checkFits(artifact, { ...opened, ...(file !== undefined && { planner: file }) });
    return observe(examples, { ...opened, cache, say, signal });
  });
  const observations = planner === null ? measured : plannedBy(planner, measured);
  say(
    `${stats.fromCache} queries measured before, ${stats.measured} now in ${stats.seconds.toFixed(1)} s${stats.failed === 0 ? '' : `; ${stats.failed} could not be decided`}.`,
  );
  const { evaluation, graded } = evaluateObservations(observations, thresholds, {
    hash: artifact?.integrity ?? null,
    promised: artifact === null ? null : promisedBy(artifact),
    documents,
    rule,
    resamples,
    remarks,
  });
  await writeParts(out, await reportFiles(evaluation, graded));
  say(`Written: ${out} (report.html, metrics.json, observations.ndjson, CSV and SVG files)`);
  return textOf(headline(evaluation), evaluation.remarks, sectionsOf(evaluation));
}

/**
 * The examples to test on, and all of the file. What shares a group, a document or a question with what the thresholds
 * were fitted on is left out where `--set-aside` names that; where the test file itself turns out to be it,
 * INVALID_INPUT is thrown.
 */
async function examplesOf(
  { test, setAside, calibration }: EvaluateRun,
  artifact: CalibrationArtifact | null,
): Promise<{ all: Example[]; examples: Example[]; remarks: string[] }> {
  const all = await loadLabelled(test);
  if (setAside === null) {
    if (artifact !== null && fittedOn(all, artifact) !== null) {
      throw new PragauraError('INVALID_INPUT', `${calibration} was fitted on queries of ${test}.`, {
        hint: `Say --set-aside ${test} to evaluate only what was set aside then, or name another file.`,
      });
    }
    return { all, examples: all, remarks: [] };
  }
  const dev = await loadLabelled(setAside);
  const fitted = (artifact === null ? null : fittedOn(dev, artifact)) ?? dev;
  const ids = new Set(fitted.map(({ id }) => id));
  // The same file read twice: what was set aside in it is no copy of anything.
  const own = setAside === test ? all.filter(({ id }) => !ids.has(id)) : all;
  const { test: left } = separateTest(fitted, own, 'drop');
  if (left.length === 0) {
    throw new PragauraError('EMPTY_INPUT', `Nothing of ${test} is left to test on.`, {
      hint: 'Every query is one that the thresholds were fitted on.',
    });
  }
  const dropped = all.length - left.length;
  return {
    all,
    examples: left,
    remarks: [
      `${dropped} of ${all.length} queries were left out: they are, or share a group, a document or a question with, what --set-aside names.`,
    ],
  };
}

/**
 * Throws INVALID_INPUT for examples that share a group, a document or a question with what the artifact was fitted on: a
 * part of that file, a file with the same documents under other names, or another setting aside.
 */
function checkNew(
  examples: readonly Example[],
  { splits: { tune, calibrate } }: CalibrationArtifact,
  { test, calibration, setAside }: EvaluateRun,
): void {
  const tied = tiedTo(examples, tune.ties + calibrate.ties);
  const [first] = tied;
  if (first === undefined) return;
  const counts = (['group', 'document', 'question'] as const).flatMap((kind) => {
    const count = tied.filter(({ tie }) => tie.kind === kind).length;
    return count === 0 ? [] : [`${count} a ${kind}`];
  });
  throw new PragauraError(
    'INVALID_INPUT',
    `${tied.length} of ${examples.length} queries of ${test} share something with what ${calibration} was fitted on: ` +
      `${counts.join(', ')}; the first is ${JSON.stringify(first.example.id)}, with ${first.tie.words}.`,
    {
      hint:
        setAside === null
          ? 'Name the file that it was fitted on with --set-aside: what is tied to it is then left out.'
          : `It was fitted on other queries than those of ${setAside}, or on other parts of it.`,
    },
  );
}

/** The queries of a file that the artifact was fitted on, when splitting the file as it did gives its very parts; else null. */
function fittedOn(examples: readonly Example[], { splits }: CalibrationArtifact): Example[] | null {
  const { tune, calibrate, test, testFile, shares, seed } = splits;
  const sizes = [tune, calibrate, ...(testFile ? [] : [test])];
  const wanted = sizes.reduce((sum, { examples: used, restricted }) => sum + used + restricted, 0);
  if (examples.length !== wanted) return null;
  const parts = splitExamples(examples, { shares, seed });
  const same = hashOfIds(parts.tune) === tune.ids && hashOfIds(parts.calibrate) === calibrate.ids;
  return same ? [...parts.tune, ...parts.calibrate] : null;
}

/** The planner whose probabilities the artifact is about; null for other scores. Throws CALIBRATION_MISMATCH for another. */
async function plannerFor(
  artifact: CalibrationArtifact | null,
  file: string | undefined,
): Promise<PlannerModel | null> {
  if (artifact?.score.kind === 'planner') {
    const planner = await openPlanner(file);
    if (planner.hash === artifact.score.planner) return planner;
    throw new PragauraError(
      'CALIBRATION_MISMATCH',
      'The calibration does not hold here: it was made with another planner.',
      {
        hint: 'Name the planner that it was made with by --planner, or calibrate anew.',
      },
    );
  }
  if (file === undefined) return null;
  throw new PragauraError('USAGE', '--planner is for a calibration that was made with --score planner.', {
    hint: 'Leave it out.',
  });
}

/** Before hours of measuring: throws CALIBRATION_MISMATCH when the artifact does not hold for what is opened here. */
async function checkFits(artifact: CalibrationArtifact, router: RouterOptions): Promise<void> {
  if (!isDeepStrictEqual(artifact.limits, provisionalThresholds().limits)) {
    throw new PragauraError(
      'CALIBRATION_MISMATCH',
      'The calibration does not hold here: it was made with other limits.',
      { hint: 'Run "pragaura calibrate" to make it anew.' },
    );
  }
  const opened = await openRouter({ ...router, thresholds: thresholdsFrom(artifact) });
  await opened.close();
}
