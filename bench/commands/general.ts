import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { type ModelArguments, modelOptions, modelsOf } from '../../cli/index.ts';
import { interruptible } from '../../common/index.ts';
import { cacheOption, commonOptions, countAtLeast, figuresOption, say, THREADS_OPTION } from './options.ts';

const builder = (argv: Argv) =>
  modelOptions(cacheOption(figuresOption(commonOptions(argv))))
    .option('sets', {
      type: 'string',
      requiresArg: true,
      describe: 'Sets of the pool, separated by commas [default: all]',
    })
    .option('measured', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe: 'What an earlier run measured (NDJSON in its --out): fit and report on that, and ask nothing',
    })
    .option('answerable', {
      requiresArg: true,
      default: 55,
      coerce: countAtLeast(1),
      describe: 'Questions of each set that its documents answer, a seeded sample',
    })
    .option('unanswerable', {
      requiresArg: true,
      default: 25,
      coerce: countAtLeast(1),
      describe: 'Questions of each set that they do not answer',
    })
    .option('documents', {
      requiresArg: true,
      default: 900,
      coerce: countAtLeast(1),
      describe: 'Documents of each set at most',
    })
    .option('threads', THREADS_OPTION)
    .epilogue(
      'Packages are those of "pragaura bench documents --setup", under the same --cache. --out gets every question with what was\n' +
        'measured and judged (general.ndjson), the report (general.json), and the table that the router keeps (general-fit.ts).\n' +
        'The weight of the fused score that it prints goes into router/retrieval/rank-logit.ts by hand.',
    );

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A & ModelArguments : never;

export const generalCommand: CommandModule<object, Arguments> = {
  command: 'general',
  describe:
    'The rule that holds without a calibration: fitted on public sets of many kinds, each left out once',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const { benchGeneral } = await import('../general/run.ts');
    const { answerable, unanswerable, documents } = argv;
    const counts = { answerable, unanswerable, documents };
    const text = await interruptible((signal) =>
      benchGeneral({ ...argv, counts, models: modelsOf(argv) }, { say, signal }),
    );
    process.stdout.write(`${text}\n`);
  },
};
