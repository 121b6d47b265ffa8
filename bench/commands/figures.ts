import path from 'node:path';
import type { CommandModule } from 'yargs';
import { EXIT, interruptible } from '../../common/index.ts';
import { DATA_OPTION, say } from './options.ts';

interface FiguresArguments {
  write: boolean;
  measure: string | undefined;
  data: string;
  out: string;
  fresh: boolean;
}

export const figuresCommand: CommandModule<object, FiguresArguments> = {
  command: 'figures',
  describe: 'Hold the tables of the pages against the result files that they are written from',
  builder: (argv) =>
    argv
      .option('measure', {
        type: 'string',
        requiresArg: true,
        describe: 'Measure these tables anew and keep what is found: names, separated by commas, or "all"',
      })
      .option('data', DATA_OPTION)
      .option('out', {
        type: 'string',
        default: '.pragaura/bench/figures',
        requiresArg: true,
        normalize: true,
        describe:
          'Folder for what measuring leaves; what was measured by the same program is not measured again',
      })
      .option('fresh', { type: 'boolean', default: false, describe: 'Measure again all the same' })
      .option('write', {
        type: 'boolean',
        default: false,
        describe: 'Write the tables that differ, and the picture of the way of a query',
      })
      .example([
        ['$0 bench figures', 'Say which tables are not what was measured'],
        ['$0 bench documents --half held --figures bench/figures/measured/documents.json', 'Measure anew'],
        ['$0 bench figures --measure speech-acts,queue', 'Measure anew, by the commands behind these tables'],
        ['$0 bench figures --write', 'Write the tables of what was measured'],
      ])
      .epilogue(
        'In the folder of the repository. A result file names its command, day, machine, models and data; a table made with\n' +
          'other models than ship says so. Exit code 1 when a table differs.',
      ) as never,
  async handler({ write, measure: names, data, out, fresh }) {
    const [{ staleFigures, tablesByHand, writeFigures }, { shippedModels }] = await Promise.all([
      import('../figures/pages.ts'),
      import('../figures/shipped.ts'),
    ]);
    const { staleWay, writeWay } = await import('../figures/way.ts');
    const { measurable, measure } = await import('../figures/measure.ts');
    // Before minutes of measuring.
    const wanted = names === undefined ? [] : measurable(names);
    const shipped = await shippedModels();
    const dir = path.resolve('.');
    if (wanted.length > 0) {
      await interruptible(async (signal) => {
        for (const name of wanted) {
          const options = { data, folder: out, fresh, main: process.argv[1]!, say, signal };
          say(`written: ${await measure(name, dir, shipped, options)}`);
        }
      });
      if (!write) return;
    }
    if (write) {
      const written = [...(await writeFigures(dir, shipped)), ...(await writeWay(dir))];
      say(written.length === 0 ? 'The pages say so already.' : `written: ${written.join(', ')}`);
      return;
    }
    const stale = [...(await staleFigures(dir, shipped)), ...(await staleWay(dir))];
    for (const { page, line, what } of stale) process.stdout.write(`${page}:${line}: ${what}\n`);
    const byHand = await tablesByHand(dir);
    if (byHand.length > 0)
      say(`written by hand still: ${byHand.map(({ page, line }) => `${page}:${line}`).join(', ')}`);
    if (stale.length === 0) return;
    say('"pragaura bench figures --write" writes them.');
    process.exitCode = EXIT.FAILED;
  },
};
