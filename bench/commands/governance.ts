import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { interruptible } from '../../common/index.ts';
import { say } from './options.ts';

const builder = (argv: Argv) =>
  argv
    .option('houses', {
      type: 'string',
      default: 'bench/governance/houses',
      requiresArg: true,
      normalize: true,
      describe: 'Folder of houses, each with docs/, staff/ and scenarios.txt',
    })
    .option('own', {
      type: 'boolean',
      default: false,
      describe: 'This system alone, without the others, what it costs and what faults come to',
    })
    .option('data', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe: 'Folder of the public sets: how many requests to assistants are taken for statements',
    })
    .option('json', { type: 'boolean', default: false, describe: 'One JSON object instead of a table' })
    .example('$0 bench governance --own', 'What came out wrong, line by line');

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const governanceBenchCommand: CommandModule<object, Arguments> = {
  command: 'governance',
  describe:
    'Scenarios of three houses: memory, claims, updates, refusals, beside the system with a constraint less',
  builder: builder as never,
  async handler({ houses, own, data, json }: ArgumentsCamelCase<Arguments>) {
    const { benchGovernance, renderGovernance } = await import('../governance/run.ts');
    const report = await interruptible((signal) =>
      benchGovernance({ houses, own, data: data ?? null }, { say, signal }),
    );
    process.stdout.write(`${json ? JSON.stringify(report) : renderGovernance(report)}\n`);
  },
};
