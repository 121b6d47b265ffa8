import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { countOption, indexOptions, say, setOption } from './options.ts';

const builder = (argv: Argv) =>
  setOption(indexOptions(argv)).option('n', countOption(1_000, 2, 'Queries, a seeded sample'));

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const streamCommand: CommandModule<object, Arguments> = {
  command: 'stream',
  describe: 'Queries a second through route, and the same bytes at window 1 and 16',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const [{ benchStream }, { datasetNamed }] = await Promise.all([
      import('../stream/run.ts'),
      import('../datasets/index.ts'),
    ]);
    const { text, exitCode } = await benchStream({ ...argv, set: datasetNamed(argv.set) }, say);
    process.stdout.write(`${text}\n`);
    process.exitCode = exitCode;
  },
};
