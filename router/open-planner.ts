import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { messageOf, PragauraError } from '../common/index.ts';
import { type PlannerModel, readPlanner } from './decision/index.ts';

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
