import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { countAtLeast, DATA_OPTION, TITLES_OPTION } from './options.ts';

const builder = (argv: Argv) =>
  argv
    .option('set', {
      type: 'string',
      demandOption:
        'Which set? Say --set articles-a, new-wiki, hotpot, cranfield, train-44 or squad2-dev, or several.',
      requiresArg: true,
      describe:
        'Data sets, separated by commas: articles-a, new-wiki, hotpot, cranfield, train-44, squad2-dev',
    })
    .option('data', DATA_OPTION)
    .option('out', {
      type: 'string',
      demandOption: 'Where to? Say --out DIR.',
      requiresArg: true,
      normalize: true,
      describe: 'Folder for documents.jsonl and questions.ndjson',
    })
    .option('limit', {
      requiresArg: true,
      coerce: countAtLeast(1),
      describe: 'Questions of each set, a seeded sample [default: all]; documents are always all',
    })
    .option('titles', TITLES_OPTION)
    .example([
      ['$0 bench export --set train-44 --out trial', 'Documents and labelled questions to calibrate on'],
      [
        '$0 bench export --set articles-a,new-wiki --out both',
        'Two sets as one: calibrate on all their articles',
      ],
      ['$0 index trial/documents.jsonl --out trial/index', 'Index them'],
      [
        '$0 calibrate --index trial/index --dev trial/questions.ndjson --target risk --level .1 --out c.json',
        'Calibrate on them',
      ],
    ]);

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const exportCommand: CommandModule<object, Arguments> = {
  command: 'export',
  describe: 'A public data set as documents to index and labelled questions to calibrate and evaluate on',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const [{ exportSets }, { exportableNamed }] = await Promise.all([
      import('../export/export.ts'),
      import('../datasets/index.ts'),
    ]);
    const sets = [...new Set(argv.set.split(',').map(exportableNamed))];
    process.stdout.write(`${await exportSets({ ...argv, sets })}\n`);
  },
};
