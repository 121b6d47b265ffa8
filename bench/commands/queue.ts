import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { EXIT } from '../../common/index.ts';
import { countAtLeast, countOption, indexOptions, say, setOption } from './options.ts';

const PARTS = ['drain', 'throughput', 'overhead', 'soak'] as const;

const builder = (argv: Argv) =>
  setOption(indexOptions(argv))
    .option('n', countOption(100, 10, 'Queries with the real models, a seeded sample'))
    .option('only', {
      choices: PARTS,
      array: true,
      default: [...PARTS],
      describe: 'Parts to measure',
    })
    .option('jobs', countOption(10_000, 100, "Empty jobs of a drain, as in BullMQ's own benchmark"))
    .option('soak', {
      default: 15_000,
      requiresArg: true,
      coerce: countAtLeast(10_000),
      describe: 'Jobs of the soak: an hour at four queries a second',
    })
    .epilogue('Starts a redis-server of its own (Debian: apt-get install redis-server).');

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const queueBenchCommand: CommandModule<object, Arguments> = {
  command: 'queue',
  describe: 'The queue: overhead against route, throughput, empty jobs beside plain BullMQ, memory',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const [{ benchQueue }, { datasetNamed }] = await Promise.all([
      import('../queue/run-queue.ts'),
      import('../datasets/index.ts'),
    ]);
    const options = { ...argv, set: datasetNamed(argv.set), parts: argv.only };
    const { text, exact } = await benchQueue(options, say);
    process.stdout.write(`${text}\n`);
    if (!exact) process.exitCode = EXIT.INTERNAL;
  },
};
