import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { THREADS_OPTION } from '../../cli/options.ts';
import type { VerifySet } from '../verify/sets.ts';
import { countOption, DATA_OPTION, say } from './options.ts';

/** Named here as well, because the sets come with what reads them. */
const SETS = Object.keys({
  wice: 1,
  begin: 1,
  healthver: 1,
  fm2: 1,
  averitec: 1,
  contracts: 1,
  fever: 1,
} satisfies Record<VerifySet, 1>) as VerifySet[];

const builder = (argv: Argv) =>
  argv
    .option('data', DATA_OPTION)
    .option('set', {
      type: 'string',
      array: true,
      requiresArg: true,
      choices: SETS,
      default: SETS,
      describe: 'Sets of claims with evidence',
    })
    .option('n', countOption(300, 20, 'Claims of each set'))
    .option('threads', THREADS_OPTION)
    .option('json', { type: 'boolean', default: false, describe: 'One JSON object instead of tables' });

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const verifyBenchCommand: CommandModule<object, Arguments> = {
  command: 'verify',
  describe: 'Claims with their evidence: how well supported ones are told from others',
  builder: builder as never,
  async handler({ data, set, n, threads, json }: ArgumentsCamelCase<Arguments>) {
    const { benchVerify, renderVerify } = await import('../verify/run.ts');
    const sets = set as VerifySet[];
    const limit = n as number;
    const report = await benchVerify({ data, sets, limit, ...(threads !== undefined && { threads }) }, say);
    process.stdout.write(`${json ? JSON.stringify(report) : renderVerify(report)}\n`);
  },
};
