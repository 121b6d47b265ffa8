import type { CommandModule } from 'yargs';
import { interruptible } from '../../common/index.ts';
import { say } from './options.ts';

interface ReproArguments {
  only: string | undefined;
  data: string;
  out: string;
  matrix: string | undefined;
  list: boolean;
  fresh: boolean;
  update: boolean;
  json: boolean;
}

export const reproCommand: CommandModule<object, ReproArguments> = {
  builder: (parser) =>
    parser
      .option('only', {
        type: 'string',
        requiresArg: true,
        describe: 'Rows, runs, tables or data sets, with * and ?, separated by commas; also quick and long',
      })
      .option('data', {
        type: 'string',
        default: '../shared/data',
        requiresArg: true,
        normalize: true,
        describe: 'Folder of the public data sets',
      })
      .option('out', {
        type: 'string',
        default: '.pragaura/bench/repro',
        requiresArg: true,
        normalize: true,
        describe:
          'Folder for what the runs leave; what was run before with the same program is not run again',
      })
      .option('matrix', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe: "Folder of matrices (*.yaml) instead of the package's own",
      })
      .option('list', { type: 'boolean', default: false, describe: 'Say what there is, run nothing' })
      .option('fresh', { type: 'boolean', default: false, describe: 'Run again what was run before' })
      .option('update', {
        type: 'boolean',
        default: false,
        describe:
          'Keep what is found beside the matrix (NAME.results.json), and write whole tables from it into the pages of this folder (README.md, DESIGN.md, docs/**/*.md), between their markers',
      })
      .option('json', { type: 'boolean', default: false, describe: 'One JSON object a row' })
      .usage('Usage: $0 repro [--only GLOB] [--data DIR]')
      .example([
        ['$0 repro --list', 'What is claimed, and by which command'],
        ['$0 repro --only quick', 'What takes minutes, not hours'],
        ['$0 repro --only thresholds --update', 'One table, and its place among the pages'],
        ['$0 repro --list --update', 'The pages again, of what was found before and is expected now'],
      ])
      .epilogue(
        'Every row has a figure, where it stands in the result of a command, and two tolerances. OK: within the first;\n' +
          'OKish: within the second; FAIL: beyond, or the command failed; MISSING: files of the data folder are not there;\n' +
          'NEW: nothing is claimed of the figure yet.\n' +
          'Exit code 1 when a row is FAIL, else 66 when one is MISSING. Ctrl-C: the same command goes on from there.',
      ) as never,
  handler: async (args) => {
    const [{ runRepro }, { shippedMatrices }] = await Promise.all([
      import('../repro/run.ts'),
      import('../repro/matrix.ts'),
    ]);
    await interruptible(async (signal) => {
      const { text, exitCode } = await runRepro({
        only: args.only,
        list: args.list,
        json: args.json,
        fresh: args.fresh,
        data: args.data,
        folder: args.out,
        matrix: args.matrix ?? shippedMatrices(),
        update: args.update ? '.' : null,
        main: process.argv[1]!,
        say,
        signal,
      });
      process.stdout.write(text);
      process.exitCode = exitCode;
    });
  },
};
