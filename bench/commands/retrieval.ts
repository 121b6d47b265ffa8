import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { countAtLeast, indexOptions, say } from './options.ts';

const builder = (argv: Argv) =>
  indexOptions(argv)
    .option('sets', {
      type: 'string',
      default: 'new-wiki,articles-a,cranfield,hotpot',
      requiresArg: true,
      describe: 'Data sets, separated by commas; train-44 is there for tuning',
    })
    .option('limit', {
      requiresArg: true,
      coerce: countAtLeast(1),
      describe: 'Queries of each set, a seeded sample [default: all]',
    })
    .option('rerank-limit', {
      default: 1_500,
      requiresArg: true,
      coerce: countAtLeast(0),
      describe: 'Queries of each set that go through the cross-encoder as well, a seeded sample',
    })
    .option('profiles', { type: 'string', requiresArg: true, describe: 'Folder of profiles to use instead' });

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const retrievalCommand: CommandModule<object, Arguments> = {
  command: 'retrieval',
  describe: 'Recall of every branch and stage, and of both policies at the same receipts',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const [{ benchRetrieval }, { parseDatasetNames }] = await Promise.all([
      import('../retrieval/run.ts'),
      import('../datasets/index.ts'),
    ]);
    const sets = parseDatasetNames(argv.sets);
    process.stdout.write(`${await benchRetrieval({ ...argv, sets }, say)}\n`);
  },
};
