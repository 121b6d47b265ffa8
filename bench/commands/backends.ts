import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { BACKEND_OPTION } from '../../cli/index.ts';
import { interruptible } from '../../common/index.ts';
import { cacheOption, countAtLeast, countOption, DATA_OPTION, ENGINE_OPTIONS, say } from './options.ts';

const builder = (argv: Argv) =>
  cacheOption(argv)
    .option('data', DATA_OPTION)
    .options(ENGINE_OPTIONS)
    .option('sets', {
      type: 'string',
      default: 'new-wiki,articles-a,cranfield,hotpot',
      requiresArg: true,
      describe: 'Data sets, separated by commas',
    })
    .option('limit', countOption(500, 1, 'Questions of each set, a seeded sample'))
    .option('decisions', countOption(100, 0, 'Questions of each set that are decided on too'))
    .option('passages', {
      requiresArg: true,
      coerce: countAtLeast(1),
      describe: 'Documents that each set is filled up to, with entries of WordNet [default: as it is]',
    })
    .option('json', { type: 'boolean', default: false, describe: 'One JSON object instead of tables' })
    .example([
      ['$0 bench backends --start opensearch --sets cranfield', 'OpenSearch beside the embedded index'],
      [
        '$0 bench backends --start opensearch --sets new-wiki --passages 10000',
        'The same at 10,000 passages',
      ],
    ]);

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const backendsCommand: CommandModule<object, Arguments> = {
  command: 'backends',
  describe:
    'The same questions to an index in this process and in engines: found, decided, time, memory, disk',
  builder: builder as never,
  async handler({ json, ...argv }: ArgumentsCamelCase<Arguments>) {
    const [{ benchBackends, renderBackends }, { parseDatasetNames }] = await Promise.all([
      import('../backends/run.ts'),
      import('../datasets/index.ts'),
    ]);
    const { limit, decisions, passages } = argv as unknown as Record<'limit' | 'decisions', number> & {
      passages: number | undefined;
    };
    const sets = parseDatasetNames(argv.sets);
    const report = await interruptible((signal) =>
      benchBackends({ ...argv, sets, limit, decisions, passages }, { say, signal }),
    );
    process.stdout.write(`${json ? JSON.stringify(report) : renderBackends(report)}\n`);
  },
};

interface OneArguments {
  index: string;
  questions: string;
  backend: string | undefined;
}

/** One backend in a process of its own. */
export const backendsOneCommand: CommandModule<object, OneArguments> = {
  command: 'backends-one <index> <questions>',
  describe: false,
  builder: (argv) =>
    argv
      .positional('index', { type: 'string', demandOption: true })
      .positional('questions', { type: 'string', demandOption: true })
      .option('backend', BACKEND_OPTION) as never,
  async handler({ index, questions, backend }) {
    const { readOne } = await import('../backends/read-one.ts');
    process.stdout.write(`${JSON.stringify(await readOne(index, backend, questions))}\n`);
  },
};
