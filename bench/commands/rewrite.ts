import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { commonOptions, say } from './options.ts';

const builder = (argv: Argv) =>
  commonOptions(argv).option('half', {
    choices: ['report', 'tune', 'all'] as const,
    default: 'report' as const,
    describe: 'Half of the articles: the rules were chosen on tune',
  });

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const rewriteCommand: CommandModule<object, Arguments> = {
  command: 'rewrite',
  describe: 'Questions of a conversation made to stand alone: CANARD dev beside plain baselines',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const { benchRewrite } = await import('../rewrite/run.ts');
    process.stdout.write(`${await benchRewrite(argv, say)}\n`);
  },
};
