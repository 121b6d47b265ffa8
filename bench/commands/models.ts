import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { countOption, indexOptions, say, setOption, THREADS_OPTION } from './options.ts';

const builder = (argv: Argv) =>
  setOption(indexOptions(argv))
    .option('reader', {
      type: 'string',
      array: true,
      nargs: 1,
      requiresArg: true,
      demandOption: 'Which readers? Say --reader NAME --reader NAME@DIR.',
      describe:
        'Model that re-ranks, reads and compares, NAME or NAME@DIR with a folder of models; at least two, the first is what the others are compared with',
    })
    .option('n', countOption(500, 2, 'Queries, a seeded sample, spread over the documents'))
    .option('threads', THREADS_OPTION)
    .option('json', { type: 'boolean', default: false, describe: 'Print one JSON object' })
    .example([
      [
        '$0 bench models --reader pragaura-cross-encoder --reader halves@my-models',
        "The package's reader beside one of my-models/models.lock.json",
      ],
      [
        '$0 bench models --set hotpot -n 100 --reader whole@w --reader keep-8@w --reader keep-12@w',
        'Halves that read the best 8 or 12, beside the whole reader',
      ],
    ])
    .epilogue(
      'The embedder is the default one for all, so that one index serves them. Every reader stays in memory.\n' +
        'What is measured of a query is kept in --out: a run that was broken off goes on from there.',
    );

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const modelsBenchCommand: CommandModule<object, Arguments> = {
  command: 'models',
  describe:
    'The same queries with other readers: what they cost and what they are worth in the whole of route',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const [{ benchModels }, { readersNamed }, { datasetNamed }] = await Promise.all([
      import('../models/run.ts'),
      import('../models/readers.ts'),
      import('../datasets/index.ts'),
    ]);
    const readers = readersNamed(argv.reader);
    const { text, report } = await benchModels({ ...argv, set: datasetNamed(argv.set), readers }, say);
    process.stdout.write(argv.json ? `${JSON.stringify(report)}\n` : `${text}\n`);
  },
};
