/** A planner of one's own: fitted on the tune part, held to account on the test part, written as a file. */

import { writeWholeFile } from '../../common/index.ts';
import { openPlanner } from '../../router/index.ts';
import { hashesOfTies } from '../artifact/identities.ts';
import { hintFor } from '../artifact/save.ts';
import { programHash } from '../observations/key.ts';
import type { Observed } from '../observations/observe.ts';
import { plannedBy } from '../observations/planned.ts';
import { compared } from '../planner/compared.ts';
import { plannerFrom } from '../planner/from-observations.ts';
import type { Documents } from '../splits/documents.ts';
import type { CalibrateSettings } from './calibrate-settings.ts';
import type { Parts } from './labelled-parts.ts';

type Asked = Pick<CalibrateSettings, 'seed' | 'shares'> & { fit: NonNullable<CalibrateSettings['fit']> };

export type FittedPlanner = Awaited<ReturnType<typeof fitAndSave>>;

/**
 * Fits on `tune` alone and writes the file; `figures` are of `test`. `planned` are the parts with what the planner makes
 * of them: what plans the tests of thresholds must not be prettier than what they will meet, so that those of `tune` are
 * by planners that did not see the document. Throws INVALID_INPUT as `plannerFrom` does, and WRITE_FAILED.
 */
export async function fitAndSave(
  parts: Parts,
  {
    validFor: { decider: _, planner: __, utilities: ___, sampler: ____, ...measured },
  }: Pick<Observed, 'validFor'>,
  documents: Documents,
  { seed, shares, fit: { file, utilities } }: Asked,
  say: (line: string) => void,
) {
  const ties = hashesOfTies(parts.tune.map(({ example }) => example));
  const started = performance.now();
  const { model, report, leftOut, planned } = plannerFrom(parts.tune, documents, {
    on: { ...measured, program: await programHash(), seed, shares, ties },
    ...(utilities === undefined ? {} : { utilities }),
  });
  const seconds = (performance.now() - started) / 1_000;
  const figures = compared(parts.test, documents, { own: model, shipped: await openPlanner(undefined) });
  await writeWholeFile(file, `${JSON.stringify(model)}\n`, hintFor('fit-planner'));
  say(`Planner fitted in ${seconds.toFixed(2)} s; written: ${file}`);
  return {
    file,
    model,
    report,
    leftOut,
    figures,
    planned: {
      tune: planned,
      calibrate: plannedBy(model, parts.calibrate),
      test: plannedBy(model, parts.test),
    },
  };
}
