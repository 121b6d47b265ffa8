import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { interruptible } from '../../common/index.ts';
import { cacheOption, countOption, DATA_OPTION, say } from './options.ts';

const builder = (argv: Argv) =>
  cacheOption(argv)
    .option('data', DATA_OPTION)
    .option('conversations', countOption(2_000, 0, 'Conversations of made-up people, of 3 to 9 turns'))
    .option('questions', countOption(200, 0, 'Questions of each public set, asked where folders may differ'))
    .option('seed', countOption(1, 0, 'What they are drawn by'))
    .option('json', { type: 'boolean', default: false, describe: 'One JSON object instead of text' })
    .example('$0 bench asking --conversations 200 --questions 0', 'A first look')
    .epilogue('Exit code 1: something was asked twice, or is not on the trail as it was decided.');

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const askingCommand: CommandModule<object, Arguments> = {
  command: 'asking',
  describe:
    'Conversations where defaults are learned: asked twice, missing on the trail, looked in the wrong place',
  builder: builder as never,
  async handler({ json, ...argv }: ArgumentsCamelCase<Arguments>) {
    const { benchAsking, isSound, renderAsking } = await import('../asking/run.ts');
    const options = argv as unknown as Parameters<typeof benchAsking>[0];
    const report = await interruptible((signal) => benchAsking(options, { say, signal }));
    process.stdout.write(`${json ? JSON.stringify(report) : renderAsking(report)}\n`);
    if (!isSound(report)) process.exitCode = 1;
  },
};
