import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { countOption, indexOptions, say, setOption } from './options.ts';

const builder = (argv: Argv) =>
  setOption(indexOptions(argv)).option('n', countOption(200, 1, 'Queries, a seeded sample'));

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const queryCommand: CommandModule<object, Arguments> = {
  command: 'query',
  describe: 'One query end to end: latency by stage, event loop, memory, start-up',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const [{ benchQuery }, { datasetNamed }] = await Promise.all([
      import('../latency/run.ts'),
      import('../datasets/index.ts'),
    ]);
    process.stdout.write(`${await benchQuery({ ...argv, set: datasetNamed(argv.set) }, say)}\n`);
  },
};

const processBuilder = (argv: Argv) =>
  argv
    .option('index', { type: 'string', demandOption: true, requiresArg: true })
    .option('queries', { type: 'string', demandOption: true, requiresArg: true });

type ProcessArguments = ReturnType<typeof processBuilder> extends Argv<infer A> ? A : never;

/** What `bench query` starts. */
export const queryProcessCommand: CommandModule<object, ProcessArguments> = {
  command: 'query-process',
  describe: false,
  builder: processBuilder as never,
  async handler(argv: ArgumentsCamelCase<ProcessArguments>) {
    const { measureQueries } = await import('../latency/measure-queries.ts');
    process.stdout.write(`${JSON.stringify(await measureQueries(argv.index, argv.queries))}\n`);
  },
};
