import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { interruptible, PragauraError } from '../../common/index.ts';
import { cacheOption, commonOptions, countAtLeast, countOption, figuresOption, say } from './options.ts';

const builder = (argv: Argv) =>
  cacheOption(figuresOption(commonOptions(argv)))
    .option('questions', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe: 'SQuAD JSON of questions that the reader was not trained on',
    })
    .option('profiles', {
      type: 'boolean',
      describe: 'Search profiles instead: on training questions, tried on sets that they never saw',
    })
    .option('models-dir', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe: "Folder with a models.lock.json [default: the package's own]",
    })
    .option('limit', {
      requiresArg: true,
      coerce: countAtLeast(1),
      describe: 'Questions, a seeded sample [default: all]; with --profiles of each set [default: 100]',
    })
    .option('development', {
      type: 'string',
      default: 'train-44,hotpot-train,conditionalqa',
      requiresArg: true,
      describe: 'With --profiles: sets of training questions, separated by commas',
    })
    .option('held-out', {
      type: 'string',
      default: 'articles-a,new-wiki,hotpot,cranfield,emanual,nq-qed,trecqa',
      requiresArg: true,
      describe: 'With --profiles: sets that are left out',
    })
    .option('trials', countOption(32, 2, 'With --profiles: trials of each policy'))
    .option(
      'held-out-limit',
      countOption(120, 1, 'With --profiles: questions of each set left out, a sample'),
    )
    .option('timed', countOption(60, 10, 'With --profiles: of these, questions that are timed'))
    .example([
      [
        '$0 bench tuning --questions untrained.json',
        'What "python -m pragtrain.untrained" in scorers/training wrote',
      ],
      ['$0 bench tuning --profiles --limit 20 --trials 8 --held-out trecqa', 'A first look at a search'],
    ])
    .epilogue(
      'What it prints goes into scorers/signals/tuning.ts by hand: every decision depends on it. Profiles that a search\n' +
        'came to lie in --out as folders that --profiles of other commands takes.',
    );

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const tuningCommand: CommandModule<object, Arguments> = {
  command: 'tuning',
  describe:
    "Fit the constants of an answer's score for the models that are the default, or search profiles of acts",
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const { questions, profiles, limit } = argv;
    if (profiles === true) {
      if (questions !== undefined || argv.modelsDir !== undefined) {
        const name = questions !== undefined ? '--questions' : '--models-dir';
        throw new PragauraError('USAGE', `${name} is for constants, and --profiles searches profiles.`, {
          hint: 'Name sets with --development and --held-out, or leave out --profiles.',
        });
      }
      const { benchProfiles } = await import('../tuning/profiles.ts');
      const text = await interruptible((signal) =>
        benchProfiles({ ...argv, limit: limit ?? 100, figures: argv.figures }, { say, signal }),
      );
      process.stdout.write(`${text}\n`);
      return;
    }
    if (questions === undefined) {
      throw new PragauraError('USAGE', 'Which questions?', {
        hint: 'Say --questions FILE, or --profiles for a search of profiles.',
      });
    }
    if (argv.figures !== undefined) {
      throw new PragauraError(
        'USAGE',
        '--figures keeps what --profiles finds, and constants are on no page.',
        {
          hint: 'Leave out --figures, or search profiles with --profiles.',
        },
      );
    }
    const { benchTuning } = await import('../tuning/run.ts');
    const options = { ...argv, questions, limit, modelsDir: argv.modelsDir };
    process.stdout.write(`${await benchTuning(options, say)}\n`);
  },
};
