import path from 'node:path';
import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { interruptible } from '../../common/index.ts';
import { type SamplerArguments, withGenerator } from '../../generation/commands/generator-options.ts';
import { cacheOption, commonOptions, countAtLeast, countOption, samplerOptions, say } from './options.ts';

const builder = (argv: Argv) =>
  cacheOption(commonOptions(argv))
    .option('sets', {
      type: 'string',
      requiresArg: true,
      describe: 'Sets, separated by commas [default: all]',
    })
    .option('limit', {
      requiresArg: true,
      coerce: countAtLeast(2),
      describe: 'Queries of each set, a seeded sample over its groups [default: 800 to 2,700 by set]',
    })
    .option('graph', {
      choices: ['plain', 'shaped'] as const,
      default: 'plain' as const,
      describe:
        'Graphs of what the documents say, or shaped by labelled queries, which are then not fitted on',
    })
    .option('without', {
      type: 'string',
      requiresArg: true,
      describe: 'Groups of features, such as "graph,state,layers,history": a planner is fitted without each',
    })
    .option('omit', {
      type: 'string',
      requiresArg: true,
      describe: 'Groups of features that no planner looks at; one with each of them is fitted beside',
    })
    .option('leave-out', {
      type: 'boolean',
      default: false,
      describe: 'For each set, a planner that saw nothing of its sources as well: a fit for each',
    })
    .option('timing', countOption(100, 0, 'Queries of the first set that are timed, one at a time'))
    .option('fit', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe: 'Write the planner that was fitted on the tuning halves of all sets to this file',
    })
    .options(samplerOptions('it plans beside, by one prompt for all queries'))
    .option('json', { type: 'boolean', default: false, describe: 'Print all figures as JSON' })
    .example('$0 bench decisions --sets mix,sharc --limit 200', 'A first look')
    .example('$0 bench decisions --fit planner.json', 'All figures, and the planner behind them')
    .epilogue(
      'What is measured of a query is kept in --out: Ctrl-C keeps it too, and the same command goes on from there.\n' +
        'Planners are fitted on one half of the groups of each set and reported on the other.',
    );

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const decisionsCommand: CommandModule<object, Arguments> = {
  command: 'decisions',
  describe: 'Answer, ask or abstain: every policy on sets of labelled queries',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const [{ benchDecisions }, { parseGroups }, { parseSetNames, SET_NAMES }] = await Promise.all([
      import('../decisions/run.ts'),
      import('../decisions/planners.ts'),
      import('../decisions/sets/index.ts'),
    ]);
    const sets = argv.sets === undefined ? SET_NAMES : parseSetNames(argv.sets);
    const groups = (list: string | undefined) => (list === undefined ? [] : parseGroups(list));
    const [without, omit] = [groups(argv.without), groups(argv.omit)];
    await interruptible(async (signal) => {
      const { generatorCache = path.join(argv.out, 'answers'), ...args } = argv as typeof argv &
        SamplerArguments;
      const text = await withGenerator({ ...args, generatorCache }, say, (opened) =>
        benchDecisions({ ...argv, sets, without, omit, generator: opened }, { say, signal }),
      );
      process.stdout.write(`${text}\n`);
    });
  },
};
