import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { interruptible } from '../../common/index.ts';
import { countOption, say } from './options.ts';

const builder = (argv: Argv) =>
  argv
    .option(
      'histories',
      countOption(10_000, 0, 'Histories, each of 16 steps by nine people on four documents'),
    )
    .option(
      'kills',
      countOption(500, 0, 'Times that a process is killed on the way of a ticket into the index'),
    )
    .option('passages', countOption(100_000, 0, 'Passages of the index that one document is changed in'))
    .option('seed', countOption(1, 0, 'What they are drawn by'))
    .option('json', { type: 'boolean', default: false, describe: 'One JSON object instead of text' })
    .example('$0 bench tickets --histories 100 --kills 20 --passages 1000', 'A first look')
    .epilogue('Exit code 1: something was changed by whom it was not for, or an index was torn.');

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const ticketsBenchCommand: CommandModule<object, Arguments> = {
  command: 'tickets',
  describe: 'Whether an index changes by anything but what was approved: model-based, killed, and timed',
  builder: builder as never,
  async handler({ json, ...argv }: ArgumentsCamelCase<Arguments>) {
    const { benchTickets, isSound, renderTickets } = await import('../tickets/run.ts');
    const options = argv as unknown as Parameters<typeof benchTickets>[0];
    const report = await interruptible((signal) => benchTickets(options, { say, signal }));
    process.stdout.write(`${json ? JSON.stringify(report) : renderTickets(report)}\n`);
    if (!isSound(report)) process.exitCode = 1;
  },
};
