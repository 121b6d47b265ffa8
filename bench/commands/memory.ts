import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { countOption } from './options.ts';

const builder = (argv: Argv) =>
  argv
    .option('histories', countOption(10_000, 1, 'Histories, each of 14 operations by eight people'))
    .option('seed', countOption(1, 0, 'What they are drawn by'))
    .option('json', { type: 'boolean', default: false, describe: 'One JSON object instead of text' })
    .epilogue('Exit code 1: a memory gave what it should not, or not what it should.');

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const memoryBenchCommand: CommandModule<object, Arguments> = {
  command: 'memory',
  describe: 'Whether what is remembered of one person shows to another: model-based',
  builder: builder as never,
  async handler({ histories, seed, json }: ArgumentsCamelCase<Arguments>) {
    const { renderHistories, runHistories } = await import('../memory/histories.ts');
    const report = runHistories(histories as number, seed as number);
    process.stdout.write(`${json ? JSON.stringify(report) : renderHistories(report)}\n`);
    if (report.differences.length + report.leaks + report.clear > 0) process.exitCode = 1;
  },
};
