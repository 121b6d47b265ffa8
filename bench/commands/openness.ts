import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { figuresOption } from './options.ts';

const builder = (argv: Argv) =>
  figuresOption(argv)
    .option('short', {
      type: 'string',
      demandOption: true,
      requiresArg: true,
      normalize: true,
      describe:
        'Results of "bench documents --collections bench/documents/short --half open": short questions, half of which leave open what they are about',
    })
    .option('ordinary', {
      type: 'string',
      demandOption: true,
      requiresArg: true,
      normalize: true,
      describe: 'Results of "bench documents --half open"',
    })
    .option('out', {
      type: 'string',
      default: '.pragaura/bench/openness',
      requiresArg: true,
      normalize: true,
      describe: 'Folder for the fit',
    })
    .example([['$0 bench openness --short SHORT --ordinary OPEN', 'What is asked back, on sets left out']]);

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const opennessCommand: CommandModule<object, Arguments> = {
  command: 'openness',
  describe: 'Which questions leave open what they are about: fitted on short ones, each manual left out once',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const { benchOpenness } = await import('../openness/run.ts');
    process.stdout.write(`${await benchOpenness(argv)}\n`);
  },
};
