import { PragauraError } from '../../common/index.ts';

/** The one of `names` that `text` is, white space around it aside. Throws USAGE: it is no `what`, and which there are. */
export function oneOf<T extends string>(names: readonly T[], text: string, what: string): T {
  const name = names.find((known) => known === text.trim());
  if (name !== undefined) return name;
  throw new PragauraError('USAGE', `"${text}" is no ${what}.`, { hint: `There are ${names.join(', ')}.` });
}
