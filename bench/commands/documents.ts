import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { type ModelArguments, modelOptions, modelsOf } from '../../cli/index.ts';
import { interruptible } from '../../common/index.ts';
import {
  type DecisionArguments,
  decisionOptions,
  decisionOptionsFrom,
} from '../../router/commands/decision-options.ts';
import { cacheOption, commonOptions, countAtLeast, figuresOption, say, THREADS_OPTION } from './options.ts';

const builder = (argv: Argv) =>
  decisionOptions(modelOptions(cacheOption(figuresOption(commonOptions(argv)))))
    .option('sets', {
      type: 'string',
      requiresArg: true,
      describe:
        'Collections, separated by commas: emanual, conditionalqa, conditionalqa-train, policyqa, or one of --collections [default: emanual and all of --collections]',
    })
    .option('half', {
      choices: ['open', 'held'] as const,
      default: 'open' as const,
      describe: 'Half of the questions of each; what is held is not looked at while building',
    })
    .option('limit', {
      requiresArg: true,
      coerce: countAtLeast(1),
      describe: 'Questions of each, a seeded sample [default: all]',
    })
    .option('collections', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe: "Folder with collections/*.yaml and questions/*.ndjson [default: the package's own]",
    })
    .option('setup', {
      type: 'boolean',
      default: false,
      describe: "Download the collections' packages with apt, index everything, and ask nothing",
    })
    .option('against', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe: "Results of another run (its --out): the product's changes since, question by question",
    })
    .option('threads', THREADS_OPTION)
    .option('json', { type: 'boolean', default: false, describe: 'Print one JSON object' })
    .example([
      ['$0 bench documents --setup', 'Fetch and index what the next command needs'],
      ['$0 bench documents --sets bash-doc,emanual --limit 100', 'A first look at two of them'],
      ['$0 bench documents --half held', 'The figures that count'],
    ])
    .epilogue(
      'Of each collection --out gets a JSON file with every question, what was shown and how it was judged, and a\n' +
        'text file with the same for reading. Packages are unpacked under --cache; nothing is installed.',
    );

type Arguments =
  ReturnType<typeof builder> extends Argv<infer A> ? A & ModelArguments & DecisionArguments : never;

export const documentsCommand: CommandModule<object, Arguments> = {
  command: 'documents',
  describe: 'Questions about real manuals: useful, wrong, needlessly silent, beside showing the best passage',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const { benchDocuments } = await import('../documents/run.ts');
    const text = await interruptible((signal) => {
      const decision = decisionOptionsFrom(argv);
      return benchDocuments({ ...argv, models: modelsOf(argv), decision }, { say, signal });
    });
    process.stdout.write(`${text}\n`);
  },
};
