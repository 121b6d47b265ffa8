import path from 'node:path';
import type { CommandModule } from 'yargs';
import { EXIT } from '../../common/index.ts';
import { say } from './options.ts';

export const figuresCommand: CommandModule<object, { write: boolean }> = {
  command: 'figures',
  describe: 'Hold the tables of the pages against the result files that they are written from',
  builder: (argv) =>
    argv
      .option('write', { type: 'boolean', default: false, describe: 'Write the tables that differ' })
      .example([
        ['$0 bench figures', 'Say which tables are not what was measured'],
        ['$0 bench documents --half held --figures bench/figures/measured/documents.json', 'Measure anew'],
        ['$0 bench figures --write', 'Write the tables of what was measured'],
      ])
      .epilogue(
        'In the folder of the repository. A result file names its command, day, machine, models and data; a table made with\n' +
          'other models than ship says so. Exit code 1 when a table differs.',
      ) as never,
  async handler({ write }) {
    const { shippedModels, staleFigures, tablesByHand, writeFigures } = await import('../figures/pages.ts');
    const shipped = await shippedModels();
    const dir = path.resolve('.');
    if (write) {
      const written = await writeFigures(dir, shipped);
      say(written.length === 0 ? 'The pages say so already.' : `written: ${written.join(', ')}`);
      return;
    }
    const stale = await staleFigures(dir, shipped);
    for (const { page, line, what } of stale) process.stdout.write(`${page}:${line}: ${what}\n`);
    const byHand = await tablesByHand(dir);
    if (byHand.length > 0)
      say(`written by hand still: ${byHand.map(({ page, line }) => `${page}:${line}`).join(', ')}`);
    if (stale.length === 0) return;
    say('"pragaura bench figures --write" writes them.');
    process.exitCode = EXIT.FAILED;
  },
};
