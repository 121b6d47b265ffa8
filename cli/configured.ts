/** Commands whose options can also be set in the configuration file and in the environment, those within others too. */
import type { Argv, CommandModule } from 'yargs';
import { canonical, type KnownOptions, settingsFor } from './configuration.ts';
import yargs from './yargs.ts';

/** What a yargs instance knows of its options; public in yargs, missing from its types. */
export const optionsOf = (parser: Argv) => (parser as unknown as { getOptions(): KnownOptions }).getOptions();

/** The parser after the command's builder; `within` says what is registered for each command that it registers. */
function built(command: CommandModule, parser: Argv, within: (inner: CommandModule) => CommandModule): Argv {
  const register = parser.command;
  // All of a builder's chain is this one instance, which yargs also hands to the builders of inner commands.
  parser.command = ((inner: CommandModule) => register.call(parser, [within(inner)])) as Argv['command'];
  try {
    if (typeof command.builder === 'function') command.builder(parser);
  } finally {
    parser.command = register;
  }
  return parser;
}

/** The name of a command, without its arguments. */
export function nameOf({ command }: CommandModule): string {
  return String(command).split(' ')[0]!;
}

/** The parser of a command alone, and the commands within it. */
export function collected(command: CommandModule): { parser: Argv; inner: CommandModule[] } {
  const inner: CommandModule[] = [];
  const parser = built(command, yargs([]), (one) => {
    inner.push(one);
    return one;
  });
  return { parser, inner };
}

/** Whether one of these commands, or one within them, has an option of that name. */
export function isOptionOfAny(commands: readonly CommandModule[], canonicalName: string): boolean {
  return commands.some((command) => {
    const { parser, inner } = collected(command);
    const names = Object.keys(optionsOf(parser).key);
    return names.some((name) => canonical(name) === canonicalName) || isOptionOfAny(inner, canonicalName);
  });
}

/**
 * The command with its options also read from the configuration file and the environment, and so those of every command
 * within it. `isOption`: see `settingsFor`, whose errors its builder throws.
 */
export function configured(
  command: CommandModule,
  isOption: (canonicalName: string) => boolean,
  args: readonly string[],
): CommandModule {
  return {
    ...command,
    builder: ((parser: Argv) => {
      built(command, parser, (inner) => configured(inner, isOption, args)).option('config', {
        type: 'string',
        requiresArg: true,
        describe: 'JSON file of options [default: pragaura.config.json, where there is one]',
      });
      return parser.config(settingsFor(optionsOf(parser), isOption, args));
    }) as never,
  };
}
