import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { type ModelArguments, modelOptions, modelsOf } from '../../cli/index.ts';
import { countAtLeast, countOption, indexOptions, say } from './options.ts';

const builder = (argv: Argv) =>
  modelOptions(indexOptions(argv), ['embed', 'rerank'])
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
    .option(
      'rerank-limit',
      countOption(1_500, 0, 'Queries of each set that go through the cross-encoder as well, a seeded sample'),
    )
    .option('profiles', { type: 'string', requiresArg: true, describe: 'Folder of profiles to use instead' })
    .example([
      ['$0 bench retrieval --sets cranfield', 'Every stage over the abstracts of Cranfield'],
      [
        '$0 bench retrieval --models.rerank ms-marco-minilm-l6-v2',
        'With a re-ranker that was pulled, in a folder of results of its own (--out)',
      ],
    ]);

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A & ModelArguments : never;

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
    process.stdout.write(`${await benchRetrieval({ ...argv, sets, models: modelsOf(argv) }, say)}\n`);
  },
};
