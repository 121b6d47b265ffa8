import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { interruptible, PragauraError } from '../../common/index.ts';
import type { Piece } from '../scale/run.ts';
import { countOption, DATA_OPTION, ENGINE_OPTIONS, say } from './options.ts';

/** "1e4,1e5" as numbers, ascending. Throws USAGE. */
function countsIn(option: string, list: string, least: number): number[] {
  const counts = list.split(',').map(Number);
  if (counts.every((count) => Number.isSafeInteger(count) && count >= least)) {
    return [...new Set(counts)].sort((a, b) => a - b);
  }
  throw new PragauraError('USAGE', `--${option} ${list}: that are no whole numbers of at least ${least}.`, {
    hint: `Put commas between them: --${option} ${option === 'sizes' ? '1e4,1e5' : '1,2,4'}`,
  });
}

const builder = (argv: Argv) =>
  argv
    .option('data', DATA_OPTION)
    .option('sizes', {
      type: 'string',
      default: '1e4,1e5,1e6',
      requiresArg: true,
      describe: 'Passages of each size, separated by commas',
    })
    .options(ENGINE_OPTIONS)
    .option('questions', countOption(200, 1, 'Questions at each size'))
    .option('sample', countOption(2_000, 100, 'Real passages that are embedded, for what that costs'))
    .option('decisions', countOption(50, 1, 'Real questions that are decided on, for what that costs'))
    .option('shards', {
      type: 'string',
      requiresArg: true,
      describe: 'Ask an OpenSearch that is started with so many shards too, separated by commas: 1,2,4',
    })
    .option('shards-at', countOption(100_000, 100, 'The size at which'))
    .option('work', {
      type: 'string',
      default: '.pragaura/bench/scale',
      requiresArg: true,
      normalize: true,
      describe: 'Folder for indexes and what is found; a run that was stopped goes on from there',
    })
    .option('json', { type: 'boolean', default: false, describe: 'One JSON object instead of tables' })
    .example([
      ['$0 bench scale --sizes 1e4,1e5', 'The index in this process, at two sizes'],
      ['$0 bench scale --start opensearch pgvector --shards 1,2,4', 'Engines beside, and shards'],
    ])
    .epilogue(
      'A million passages take hours, 10 GB of memory and 30 GB of disk, most of it for engines. Remove the folder to measure anew.',
    );

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const scaleCommand: CommandModule<object, Arguments> = {
  command: 'scale',
  describe:
    'What passages cost at several sizes, in this process and in engines, and what many more would take',
  builder: builder as never,
  async handler({ json, data, shards, ...argv }: ArgumentsCamelCase<Arguments>) {
    const [{ benchScale, pieceInOwnProcess }, { renderScale }, { loadRealText }] = await Promise.all([
      import('../scale/run.ts'),
      import('../scale/render.ts'),
      import('../scale/real-text.ts'),
    ]);
    const options = {
      ...(argv as unknown as Omit<Parameters<typeof benchScale>[0], 'sizes' | 'shards'>),
      sizes: countsIn('sizes', argv.sizes, 100),
      shards: shards === undefined ? [] : countsIn('shards', shards, 1),
    };
    const real = await loadRealText(data);
    const run = (piece: Piece, file: string) => pieceInOwnProcess(piece, data, file);
    const report = await interruptible((signal) => benchScale(options, { real, say, signal, run }));
    process.stdout.write(`${json ? JSON.stringify(report) : renderScale(report)}\n`);
  },
};

/** One piece of the measurement, in a process of its own. */
export const scalePieceCommand: CommandModule<object, { file: string }> = {
  command: 'scale-piece <file>',
  describe: false,
  builder: (argv) => argv.positional('file', { type: 'string', demandOption: true }) as never,
  async handler({ file }) {
    const { runPieceOf } = await import('../scale/run.ts');
    process.stdout.write(`${JSON.stringify(await runPieceOf(file))}\n`);
  },
};
