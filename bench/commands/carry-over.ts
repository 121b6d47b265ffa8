import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { type ModelArguments, modelOptions, modelsOf } from '../../cli/index.ts';
import { interruptible } from '../../common/index.ts';
import { cacheOption, commonOptions, countAtLeast, figuresOption, say } from './options.ts';

const builder = (argv: Argv) =>
  modelOptions(cacheOption(figuresOption(commonOptions(argv))))
    .option('sets', {
      type: 'string',
      requiresArg: true,
      describe: 'Sets, separated by commas: those of "bench decisions", and pool-NAME [default: all]',
    })
    .option('measured', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe: 'What an earlier run measured (NDJSON in its --out): fit and report on that, and ask nothing',
    })
    .option('limit', {
      requiresArg: true,
      coerce: countAtLeast(2),
      describe: 'Queries of each set, a seeded sample [default: 800 to 2,700 by set, 80 of pool-NAME]',
    })
    .option('documents', {
      requiresArg: true,
      default: 900,
      coerce: countAtLeast(1),
      describe: 'Documents of each set at most',
    })
    .option('threads', {
      requiresArg: true,
      coerce: countAtLeast(1),
      describe: 'Inference threads [default: one a core, at most 4]',
    })
    .option('utilities', {
      type: 'string',
      requiresArg: true,
      default: 'wrong=2,question=1,silence=1',
      describe: 'What a wrong answer, a needless question and a needless silence cost',
    })
    .option('fit', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe:
        'Write the planner of features with the same sign everywhere, fitted on all sets, to this file',
    })
    .option('json', { type: 'boolean', default: false, describe: 'Print all figures as JSON' })
    .example('$0 bench carry-over --sets sharc,squad2,ramdocs --limit 100', 'A first look')
    .example('$0 bench carry-over --measured DIR/carry-over.ndjson', 'Fits and tables alone')
    .epilogue(
      'What is measured of a query is kept in --out, and "bench decisions" takes it from there: Ctrl-C keeps it too, and the\n' +
        'same command goes on from there. --documents is for pool-NAME, whose packages are those of "pragaura bench documents --setup".',
    );

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A & ModelArguments : never;

export const carryOverCommand: CommandModule<object, Arguments> = {
  command: 'carry-over',
  describe: 'Answer, ask or abstain on sets of another kind: every rule and planner on each set left out',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const [{ benchCarryOver }, { utilitiesFrom }] = await Promise.all([
      import('../carry-over/run.ts'),
      import('../../router/commands/decision-options.ts'),
    ]);
    const utilities = utilitiesFrom(argv.utilities);
    const text = await interruptible((signal) =>
      benchCarryOver({ ...argv, utilities, models: modelsOf(argv) }, { say, signal }),
    );
    process.stdout.write(`${text}\n`);
  },
};
