import { PragauraError } from '../common/index.ts';

/**
 * yargs makes a list of an option that was given twice, whatever its type. Throws USAGE for a list under a name that is
 * not among `lists`, the options (and positional words) that are declared as such. `_` holds the words of the command.
 */
export function checkGivenOnce(args: Readonly<Record<string, unknown>>, lists: readonly string[]): void {
  for (const [name, value] of Object.entries(args)) {
    // What has a hyphen stands there under two names.
    const isList = lists.includes(name) || lists.includes(dashed(name));
    if (!Array.isArray(value) || name === '_' || name === '--' || isList) continue;
    throw new PragauraError('USAGE', `--${name} was given ${value.length} times, once is meant.`, {
      hint: `Leave one: ${value.map((each) => `--${name} ${JSON.stringify(each)}`).join(' or ')}`,
    });
  }
}

const dashed = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** What yargs says of an option of type path that was given twice ("Cannot redefine property"), in words about it. */
export function inWords(message: string): string {
  const name = /^Cannot redefine property: (.+)$/.exec(message)?.[1];
  return name === undefined ? message : `--${name} was given more than once, once is meant.`;
}
