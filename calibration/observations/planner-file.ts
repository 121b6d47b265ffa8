import { readFile } from 'node:fs/promises';
import { messageOf, PragauraError } from '../../errors.ts';
import { type PlannerModel, readPlanner } from '../../router/index.ts';

/** The planner of `--planner`. Throws USAGE without one, NOT_FOUND when it cannot be read, PLANNER_UNUSABLE. */
export async function plannerFrom(file: string | undefined): Promise<PlannerModel> {
  if (file === undefined) {
    throw new PragauraError('USAGE', 'The score of a planner needs the planner.', {
      hint: 'Name its file with --planner.',
    });
  }
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new PragauraError('NOT_FOUND', `The planner ${file} cannot be read: ${messageOf(cause)}`, {
      hint: 'Name a planner file with --planner.',
      cause,
    });
  }
  return readPlanner(text, file);
}
