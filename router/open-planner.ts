import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { z } from 'zod';
import { messageOf, PragauraError } from '../common/index.ts';
import { type Plan, Plan as PlanRecord } from './contracts.ts';
import { estimatedPrior, fittedPrior, type PlannerModel, readPlanner, underPrior } from './decision/index.ts';

const SHIPPED = '#planner/planner.json';

/**
 * The planner of a file, or the one that is shipped. Throws NOT_FOUND when the file cannot be read, and
 * PLANNER_UNUSABLE when it is no planner for this program.
 */
export async function openPlanner(file: string | undefined): Promise<PlannerModel> {
  let text: string;
  try {
    text = await readFile(file ?? createRequire(import.meta.url).resolve(SHIPPED), 'utf8');
  } catch (error) {
    throw new PragauraError(
      'NOT_FOUND',
      `The planner ${file ?? 'of the package'} cannot be read: ${messageOf(error)}`,
      {
        hint: 'Name a planner file with --planner.',
        cause: error,
      },
    );
  }
  return readPlanner(text, file ?? 'the planner of the package');
}

/** Of a decision, or of the record of an error in its place: what its planner said. */
const Planned = z.looseObject({
  plan: PlanRecord.nullish(),
  versions: z.looseObject({ planner: z.string().nullable() }).optional(),
});

/**
 * The prior of the queries that a file of decisions is about, estimated from what this planner said of them (see
 * `estimatedPrior`); decisions that no planner was asked about are passed over. Throws NOT_FOUND for a file that cannot
 * be read, INVALID_INPUT for a line that is no decision, for decisions of another planner, and where none is a planner's.
 */
export async function priorIn(file: string, model: PlannerModel): Promise<Plan['probabilities']> {
  const hint = `Name decisions of "pragaura route --decider planner" with this planner (${model.hash.slice(0, 12)}).`;
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new PragauraError('NOT_FOUND', `The decisions ${file} cannot be read: ${messageOf(cause)}`, {
      hint,
      cause,
    });
  }
  const fitted = fittedPrior(model);
  const wrong = (line: number, why: string, cause?: unknown) =>
    new PragauraError('INVALID_INPUT', `${file}, line ${line}: ${why}`, { hint, cause });
  const said = text.split('\n').flatMap((row, i) => {
    if (row.trim() === '') return [];
    const { plan, versions } = decisionIn(row, (why, cause) => wrong(i + 1, why, cause));
    if (plan == null) return [];
    if (versions?.planner !== model.hash) throw wrong(i + 1, 'another planner decided.');
    return [
      plan.prior === undefined ? plan.probabilities : underPrior(plan.probabilities, plan.prior, fitted),
    ];
  });
  if (said.length > 0) return estimatedPrior(said, fitted);
  throw new PragauraError('INVALID_INPUT', `No planner decided anything of ${file}.`, { hint });
}

function decisionIn(row: string, wrong: (why: string, cause?: unknown) => Error): z.infer<typeof Planned> {
  try {
    return Planned.parse(JSON.parse(row));
  } catch (cause) {
    throw wrong('it is no decision.', cause);
  }
}
