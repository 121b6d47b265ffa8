import path from 'node:path';
import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { interruptible } from '../../common/index.ts';
import { type SamplerArguments, withGenerator } from '../../generation/commands/generator-options.ts';
import { countAtLeast, countOption, indexOptions, samplerOptions, say, setOption } from './options.ts';

const builder = (argv: Argv) =>
  setOption(indexOptions(argv))
    .option('limit', {
      requiresArg: true,
      coerce: countAtLeast(8),
      describe: 'Questions of the set, a seeded sample [default: all]',
    })
    .option('records', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe: 'Folder in which what was measured of single questions is kept [default: --out]',
    })
    .option('level', {
      type: 'string',
      default: '0.8',
      requiresArg: true,
      describe: 'Coverage that thresholds aim at, a decimal between 0 and 1',
    })
    .option('risk', {
      type: 'string',
      default: '0.2',
      requiresArg: true,
      describe: 'Share of wrong answers that binomial bounds keep to, a decimal between 0 and 1',
    })
    .option('timing', countOption(40, 0, 'Questions of the test split that are timed, one at a time'))
    .options(samplerOptions('it samples and drafts answers of its own'))
    .example('$0 bench contenders --set hotpot --limit 60 --timing 4', 'A first look')
    .example('$0 bench contenders --set hotpot --generator model.gguf', 'Sampling and drafting too')
    .epilogue(
      'What is measured of a question is kept in --records: Ctrl-C keeps it too, and the same command goes on from there.\n' +
        'Scores are fitted on a quarter of the groups, thresholds on another, figures are of the other half.',
    );

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const contendersCommand: CommandModule<object, Arguments> = {
  command: 'contenders',
  describe: 'Answer or abstain: thresholds, scores and other ways of answering on the same questions',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const [{ benchContenders }, { datasetNamed }] = await Promise.all([
      import('../contenders/run.ts'),
      import('../datasets/index.ts'),
    ]);
    const records = argv.records ?? argv.out;
    const set = datasetNamed(argv.set);
    const { generatorCache = path.join(records, 'answers'), ...args } = argv as typeof argv &
      SamplerArguments;
    await interruptible(async (signal) => {
      const text = await withGenerator({ ...args, generatorCache }, say, (opened) =>
        benchContenders({ ...argv, set, records, generator: opened }, { say, signal }),
      );
      process.stdout.write(`${text}\n`);
    });
  },
};
