import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { DATA_OPTION, say } from './options.ts';

const builder = (argv: Argv) =>
  argv
    .option('data', DATA_OPTION)
    .option('fit', {
      type: 'boolean',
      default: false,
      describe:
        'Train the detector anew on the wordings of the repository and public passages, then measure it',
    })
    .option('model', {
      type: 'string',
      default: 'router/poison/model',
      requiresArg: true,
      normalize: true,
      describe: 'Folder of the detector; --fit writes it there',
    })
    .option('index', {
      type: 'string',
      array: true,
      default: [] as string[],
      requiresArg: true,
      normalize: true,
      describe: 'Look at the passages of these indexes too',
    })
    .option('json', { type: 'boolean', default: false, describe: 'One JSON object instead of a table' });

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const attacksCommand: CommandModule<object, Arguments> = {
  command: 'attacks',
  describe:
    'Documents that talk to the machine which reads them: how many are noticed, how many harmless ones too',
  builder: builder as never,
  async handler({ data, fit, model, index, json }: ArgumentsCamelCase<Arguments>) {
    if (fit) await (await import('../attacks/fit.ts')).fitPoison(data, model, say);
    const { benchAttacks, renderAttacks } = await import('../attacks/run.ts');
    const report = await benchAttacks(data, index, model);
    process.stdout.write(`${json ? JSON.stringify(report) : renderAttacks(report)}\n`);
  },
};
