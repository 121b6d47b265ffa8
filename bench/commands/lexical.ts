import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { commonOptions, countOption, say } from './options.ts';

const builder = (argv: Argv) =>
  commonOptions(argv)
    .option('docs', countOption(100_000, 1, 'WordNet glosses to index, at most'))
    .option('queries', countOption(1_000, 1, 'Known-item queries'))
    .option('slow-queries', countOption(200, 1, 'How many of them for MiniSearch'))
    .option(
      'orama-queries',
      countOption(20, 1, 'How many of them for Orama as it comes (about 4 s each at 100,000)'),
    )
    .option('questions', countOption(1_500, 1, 'Questions of new-wiki over its 1,581 paragraphs'));

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const lexicalCommand: CommandModule<object, Arguments> = {
  command: 'lexical',
  describe: 'Our lexical branch beside Orama as it comes, MiniSearch and a plain BM25',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const { benchLexical } = await import('../lexical/run.ts');
    process.stdout.write(`${await benchLexical(argv, say)}\n`);
  },
};

const engineBuilder = (argv: Argv) =>
  commonOptions(argv)
    .positional('engine', { type: 'string', demandOption: true })
    .option('docs', countOption(100_000, 1, 'Glosses'))
    .option('queries', countOption(1_000, 1, 'Queries in all'))
    .option('asked', countOption(1_000, 1, 'Queries asked'))
    .option('questions', countOption(1_500, 1, 'Questions'));

type EngineArguments = ReturnType<typeof engineBuilder> extends Argv<infer A> ? A : never;

/** What `bench lexical` starts once for each engine. */
export const lexicalEngineCommand: CommandModule<object, EngineArguments> = {
  command: 'lexical-engine <engine>',
  describe: false,
  builder: engineBuilder as never,
  async handler(argv: ArgumentsCamelCase<EngineArguments>) {
    const [{ measureEngine }, { engineNamed }] = await Promise.all([
      import('../lexical/measure-engine.ts'),
      import('../lexical/engines.ts'),
    ]);
    const report = await measureEngine({ ...argv, engine: engineNamed(argv.engine) });
    process.stdout.write(`${JSON.stringify(report)}\n`);
  },
};
