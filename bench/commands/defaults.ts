import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { countOption, say } from './options.ts';

const builder = (argv: Argv) =>
  argv
    .option('out', {
      type: 'string',
      default: '.pragaura/bench/results',
      requiresArg: true,
      normalize: true,
      describe: 'Folder for the figures as JSON',
    })
    .option('worlds', countOption(10, 2, 'Worlds to play, each with users of its own'))
    .option('seed', countOption(1, 0, 'Seed of the first world; settings were chosen on seeds from 1,000 on'))
    .option('requests', countOption(100, 10, 'Requests on each of the 24 fields of a world'))
    .example('$0 bench defaults', 'Questions asked and wrong defaults applied, policy by policy')
    .example('$0 bench defaults --worlds 2 --requests 40', 'A first look');

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const defaultsBenchCommand: CommandModule<object, Arguments> = {
  command: 'defaults',
  describe: 'Learned defaults on made-up users with known preferences: questions asked, wrong defaults',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const { benchDefaults } = await import('../defaults/run.ts');
    process.stdout.write(`${await benchDefaults(argv, say)}\n`);
  },
};
