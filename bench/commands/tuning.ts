import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { countAtLeast, say } from './options.ts';

const builder = (argv: Argv) =>
  argv
    .option('questions', {
      type: 'string',
      demandOption: 'Which questions? Say --questions FILE.',
      requiresArg: true,
      normalize: true,
      describe: 'SQuAD JSON of questions that the reader was not trained on',
    })
    .option('models-dir', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe: "Folder with a models.lock.json [default: the package's own]",
    })
    .option('out', {
      type: 'string',
      default: '.pragaura/bench/results',
      requiresArg: true,
      describe: 'Folder for results; a run that was broken off goes on from there',
    })
    .option('cache', {
      type: 'string',
      default: '.pragaura/bench/indexes',
      requiresArg: true,
      describe: 'Folder in which indexes of the data sets are kept between runs',
    })
    .option('limit', {
      requiresArg: true,
      coerce: countAtLeast(1),
      describe: 'Questions, a seeded sample [default: all]',
    })
    .example([
      [
        '$0 bench tuning --questions untrained.json',
        'What "python -m pragtrain.untrained" in scorers/training wrote',
      ],
    ])
    .epilogue('What it prints goes into scorers/signals/tuning.ts by hand: every decision depends on it.');

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const tuningCommand: CommandModule<object, Arguments> = {
  command: 'tuning',
  describe: "Fit the constants of an answer's score for the models that are the default",
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const { benchTuning } = await import('../tuning/run.ts');
    process.stdout.write(`${await benchTuning({ ...argv, modelsDir: argv.modelsDir }, say)}\n`);
  },
};
