import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { countAtLeast, indexOptions, say, setOption } from './options.ts';

const builder = (argv: Argv) =>
  setOption(indexOptions(argv))
    .option('limit', {
      requiresArg: true,
      coerce: countAtLeast(1),
      describe: 'Questions, a seeded sample [default: all]',
    })
    .option('policy', {
      choices: ['act', 'uniform'] as const,
      default: 'act' as const,
      describe: 'How the budget is divided',
    });

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const answersCommand: CommandModule<object, Arguments> = {
  command: 'answers',
  describe: 'Extractive answers from a whole index: EM and F1, at full and at 80 % coverage',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const [{ benchAnswers }, { datasetNamed }] = await Promise.all([
      import('../answers/run.ts'),
      import('../datasets/index.ts'),
    ]);
    process.stdout.write(`${await benchAnswers({ ...argv, set: datasetNamed(argv.set) }, say)}\n`);
  },
};
