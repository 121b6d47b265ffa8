import type { CommandModule } from 'yargs';
import { INDEX_OPTION, wholeNumber } from '../../cli/index.ts';
import { interruptible } from '../../common/index.ts';

interface LabelArguments {
  index: string;
  removed: string | undefined;
  out: string;
  n: number;
  seed: number;
  'accept-all': boolean;
}

export const labelCommand: CommandModule<object, LabelArguments> = {
  builder: (parser) =>
    parser
      .option('index', INDEX_OPTION)
      .option('out', {
        type: 'string',
        default: 'labels.ndjson',
        requiresArg: true,
        normalize: true,
        describe: 'File of labels; one that is there is gone on with',
      })
      .option('n', {
        type: 'number',
        default: 50,
        requiresArg: true,
        coerce: wholeNumber('n', 1, 10_000),
        describe: 'Labels that the file shall hold',
      })
      .option('seed', {
        type: 'number',
        default: 1,
        requiresArg: true,
        coerce: wholeNumber('seed', 0, 2 ** 31 - 1),
        describe: 'Seed of the choice of passages',
      })
      .option('removed', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe:
          'Index with documents that were left out of --index: questions that nothing answers are made of these',
      })
      .option('accept-all', {
        type: 'boolean',
        default: false,
        describe: 'Write the proposals as they are; nobody has checked them then',
      })
      .usage('Usage: $0 label --index DIR [--out labels.ndjson]')
      .example([
        ['$0 label --index my-index', 'Fifty labels, in a quarter of an hour'],
        ['$0 label --index my-index --out labels.ndjson --n 100', 'Fifty more in the same file'],
        ['$0 label --index part.index --removed all.index', 'Unanswerable questions by removal'],
        [
          '$0 calibrate --index my-index --dev labels.ndjson --target risk --level 0.2 --out c.json',
          'What they are for',
        ],
      ])
      .epilogue(
        'A question is made of a heading, a term, an identifier, a list of steps or a sentence, by rules, in English. You see\n' +
          'the passage and say, a line each: Enter takes it, e edits the question, a the answer, u says that nothing answers it,\n' +
          's passes it over, b goes back to the one before, q ends. Everything is in the file at once, Ctrl-C loses nothing,\n' +
          'and the same command goes on. What was passed over stands in FILE.skipped.\n\n' +
          'An answer is typed as its words (several: parted by |), as a regular expression between slashes, as steps parted\n' +
          'by " > ", or as yes, no or depends. Some questions are made so that nothing should answer them: an identifier or a\n' +
          'property that no passage names, an option asked of a page that does not have it. With --removed they are about\n' +
          'documents that another index has and this one has not, and none of whose terms stands here.',
      ) as never,
  handler: async (args) => {
    const { runLabel } = await import('./label-run.ts');
    const { stdin, stderr: screen } = process;
    const work = (signal: AbortSignal) =>
      runLabel({ ...args, acceptAll: args['accept-all'] }, { stdin, screen, signal });
    const said = await interruptible(work, () => {}).finally(() => stdin.destroy());
    screen.write(said);
  },
};
