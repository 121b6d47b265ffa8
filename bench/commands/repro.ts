import path from 'node:path';
import type { CommandModule } from 'yargs';
import { interruptible, PragauraError, writeWholeFile } from '../../common/index.ts';
import type { AllOptions } from '../repro/all.ts';
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
  all: boolean;
  report: boolean;
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
      .option('all', {
        type: 'boolean',
        default: false,
        describe:
          'Every row and every table that a command measures, in pieces that are kept one by one (hours; --list says how many), then the report',
      })
      .option('report', {
        type: 'boolean',
        default: false,
        describe: 'Write report.html into --out, of what is kept in this folder; run nothing',
      })
      .usage('Usage: $0 repro [--only GLOB] [--data DIR]\n$0 repro --all\n$0 repro --report')
      .example([
        ['$0 repro --list', 'What is claimed, and by which command'],
        ['$0 repro --only quick', 'What takes minutes, not hours'],
        ['$0 repro --only thresholds --update', 'One table, and its place among the pages'],
        ['$0 repro --list --update', 'The pages again, of what was found before and is expected now'],
        ['$0 repro --all --list', 'What running everything takes'],
        ['$0 repro --report', 'One page of all figures and of what the papers claim'],
      ])
      .epilogue(
        'Every row has a figure, where it stands in the result of a command, and two tolerances. OK: within the first;\n' +
          'OKish: within the second; FAIL: beyond, or the command failed; MISSING: files of the data folder are not there;\n' +
          'NEW: nothing is claimed of the figure yet.\n' +
          'Exit code 1 when a row is FAIL, else 66 when one is MISSING. Ctrl-C: the same command goes on from there.\n' +
          '--all and --report work in the folder of the repository. A piece that fails, is killed or lacks its data is said,\n' +
          'passed over and marked in the report (exit code 1); data files of another content than bench/repro/data/sets.yaml\n' +
          'says are not used, because their terms are not known.',
      ) as never,
  handler: async (args) => {
    checkTogether(args);
    const { shippedMatrices } = await import('../repro/matrix.ts');
    const matrix = args.matrix ?? shippedMatrices();
    const { knownFiles, loadDataSets } = await import('../repro/data-sets.ts');
    const { MEASURABLE } = await import('../figures/measure.ts');
    const shared = {
      data: args.data,
      folder: args.out,
      fresh: args.fresh,
      matrix,
      main: process.argv[1]!,
      known: knownFiles(await loadDataSets(matrix)),
      say,
    };
    await interruptible(async (signal) => {
      if (args.report) return writeReport(shared);
      if (args.all) return everything({ ...shared, root: ROOT, tables: MEASURABLE, signal }, args.list);
      const { runRepro } = await import('../repro/run.ts');
      const { text, exitCode } = await runRepro({
        ...shared,
        only: args.only,
        list: args.list,
        json: args.json,
        update: args.update ? ROOT : null,
        signal,
      });
      process.stdout.write(text);
      process.exitCode = exitCode;
    });
  },
};

/** Throws USAGE for options of which one would be ignored beside another. */
function checkTogether(args: ReproArguments): void {
  const whole = args.report ? 'report' : args.all ? 'all' : null;
  if (whole === null) return;
  const others = {
    all: ['only', 'json', 'update'],
    report: ['all', 'only', 'json', 'update', 'list', 'fresh'],
  };
  const other = others[whole].find((name) => Boolean(args[name as keyof ReproArguments]));
  if (other === undefined) return;
  throw new PragauraError('USAGE', `--${other} says nothing beside --${whole}.`, {
    hint:
      other === 'update'
        ? 'What --all finds is kept in any case; "pragaura repro --list --update" and "pragaura bench figures --write" then write the pages.'
        : `Leave one of the two out.`,
  });
}

/** The repository is where the command is run. */
const ROOT = '.';

async function everything(options: AllOptions, list: boolean): Promise<void> {
  const { listedPieces, piecesOf, runAll } = await import('../repro/all.ts');
  if (list) {
    process.stdout.write(listedPieces(await piecesOf(options)));
    return;
  }
  const { checkFolder } = await import('../../calibration/index.ts');
  // Before hours of measuring.
  await checkFolder(options.folder);
  const { exitCode } = await runAll(options);
  await writeReport(options);
  process.exitCode = exitCode;
}

async function writeReport({
  folder,
  matrix,
  data,
}: Pick<AllOptions, 'folder' | 'matrix' | 'data'>): Promise<void> {
  const { reportPage } = await import('../repro/report.ts');
  const { html, summary } = await reportPage({ root: ROOT, matrix, data, folder });
  const file = path.join(folder, 'report.html');
  await writeWholeFile(file, html, 'Name another folder with --out.');
  say(`written: ${file}`);
  process.stdout.write(`${summary}\n`);
}
