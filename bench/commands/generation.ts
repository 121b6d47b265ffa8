import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { interruptible, PragauraError } from '../../common/index.ts';
import { GENERATOR_OPTIONS, generatorFrom } from '../../generation/commands/generator-options.ts';
import type { GenerationSet } from '../generation/run.ts';
import { cacheOption, commonOptions, countOption, figuresOption, say } from './options.ts';

/** Named here as well, because the sets come with what reads them. */
const SETS = Object.keys({
  'articles-a': 1,
  'squad2-dev': 1,
  hotpot: 1,
  emanual: 1,
  'bash-doc': 1,
  'gnu-standards': 1,
  'install-guide': 1,
  'python-library': 1,
} satisfies Record<GenerationSet, 1>) as GenerationSet[];

const builder = (argv: Argv) =>
  cacheOption(figuresOption(commonOptions(argv)))
    .option('generator', GENERATOR_OPTIONS.generator)
    .option('model', GENERATOR_OPTIONS.model)
    .option('generator-seconds', GENERATOR_OPTIONS['generator-seconds'])
    .option('set', {
      type: 'string',
      array: true,
      requiresArg: true,
      choices: SETS,
      default: SETS,
      describe:
        'Sets of questions; those of Debian manuals are ready after "pragaura bench documents --setup" with the same --cache',
    })
    .option('n', countOption(60, 2, 'Questions of each set, a seeded sample'))
    .option('samples', countOption(5, 0, 'Short answers drawn anew for each question'))
    .option('labels', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      default: 'bench/generation/labels.ndjson',
      describe: 'What people say of generated sentences: {"key", "supported"} a line',
    })
    .option('json', { type: 'boolean', default: false, describe: 'One JSON object instead of tables' })
    .epilogue(
      'Every answer is kept in --out (answers/), so that a run that was broken off words nothing twice, and each question with\n' +
        'all that was said of it in generation.ndjson.',
    );

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const generationBenchCommand: CommandModule<object, Arguments> = {
  command: 'generation',
  describe: 'A language model with and without the gate before it and the check after it',
  builder: builder as never,
  async handler({ generator: where, model, generatorSeconds, ...argv }: ArgumentsCamelCase<Arguments>) {
    if (where === undefined) {
      throw new PragauraError(
        'USAGE',
        'Which language model? Say --generator URL --model NAME, or --generator FILE.gguf.',
      );
    }
    const { benchGeneration, renderGeneration } = await import('../generation/run.ts');
    const generator = await generatorFrom(
      {
        ...{ generator: where, model, generatorSeconds: generatorSeconds as number },
        generatorCache: undefined,
      },
      say,
    );
    const { set, n, samples, json, ...rest } = argv;
    const report = await interruptible((signal) =>
      benchGeneration(
        { ...rest, sets: set as GenerationSet[], n: n as number, samples: samples as number, generator },
        { say, signal },
      ),
    ).finally(() => generator.close());
    process.stdout.write(`${json ? JSON.stringify(report) : renderGeneration(report)}\n`);
  },
};
