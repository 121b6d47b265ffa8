import { PragauraError } from '../../common/index.ts';
import type { PlannerModel } from '../../router/index.ts';
import type { Example } from '../types.ts';
import { tiedTo } from './identities.ts';

/**
 * Whether these examples are known to share no group, document or question (word for word) with what the planner was
 * fitted on; false: its file does not say what that was. Throws INVALID_INPUT, with `hint`, when some do: what the planner
 * says of them is better than what it will say of others.
 */
export function isUnseen(
  { hash, fitted }: PlannerModel,
  examples: readonly Example[],
  hint: string,
): boolean {
  if (fitted.on === undefined) return false;
  const tied = tiedTo(examples, fitted.on.ties);
  const [first] = tied;
  if (first === undefined) return true;
  throw new PragauraError(
    'INVALID_INPUT',
    `${tied.length} of ${examples.length} labelled queries share a group, a document or a question with what the planner ` +
      `${hash.slice(0, 12)} was fitted on; the first is ${JSON.stringify(first.example.id)}, with ${first.tie.words}.`,
    { hint },
  );
}
