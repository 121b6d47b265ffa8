import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { interruptible } from '../../common/index.ts';
import { countOption, say } from './options.ts';

const builder = (argv: Argv) =>
  argv
    .option('documents', {
      type: 'string',
      default: 'router/demo/documents',
      requiresArg: true,
      normalize: true,
      describe: 'Folder of documents',
    })
    .option('questions', {
      type: 'string',
      default: 'router/demo/queries.ndjson',
      requiresArg: true,
      normalize: true,
      describe: 'What is asked of them: NDJSON with "query"',
    })
    .option('kills', countOption(20, 0, 'Times that a node is killed and started again under load'))
    .option('writers', countOption(100, 0, 'Times that whoever writes a generation is killed'))
    .option('writes', countOption(5, 0, 'Times that a node is killed while a generation is written'))
    .option(
      'indexing',
      countOption(
        0,
        0,
        'Times that a worker that indexes, or who waits for it, is killed, over PostgreSQL; nothing else is then done',
      ),
    )
    .option('concurrency', countOption(4, 1, 'Queries at a time'))
    .option('seed', countOption(1, 0, 'Which node, and when'))
    .option('json', { type: 'boolean', default: false, describe: 'One JSON object instead of tables' })
    .example('$0 bench failover --kills 2 --writers 5 --writes 1', 'A first look')
    .example('$0 bench failover --indexing 100', 'Indexing by workers, killed at 100 random moments')
    .epilogue(
      'Starts three nodes of OpenSearch by itself (Maven and a JDK of 21 or newer, 2 GB of memory); with --indexing a\n' +
        'PostgreSQL (Python with pip) and a Redis (redis-server). Exit code 1: a passage was lost, a generation torn or other\n' +
        'than one process makes it, or a failure decided as anything but INDEX_UNAVAILABLE.',
    );

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const failoverCommand: CommandModule<object, Arguments> = {
  command: 'failover',
  describe: 'What is decided and lost when nodes of an engine, and those who write to it, are killed',
  builder: builder as never,
  async handler({ json, ...argv }: ArgumentsCamelCase<Arguments>) {
    const {
      indexing: kills,
      documents,
      seed,
    } = argv as unknown as { indexing: number; documents: string; seed: number };
    if (kills > 0) {
      const { benchIndexingKills, isSame, renderIndexingKills } = await import(
        '../backends/indexing-kills.ts'
      );
      const report = await interruptible((signal) =>
        benchIndexingKills({ documents, kills, seed }, { say, signal }),
      );
      process.stdout.write(`${json ? JSON.stringify(report) : renderIndexingKills(report)}\n`);
      if (!isSame(report)) process.exitCode = 1;
      return;
    }
    const { benchFailover, isWhole, renderFailover } = await import('../backends/failover.ts');
    const options = argv as unknown as Parameters<typeof benchFailover>[0];
    const report = await interruptible((signal) => benchFailover(options, { say, signal }));
    process.stdout.write(`${json ? JSON.stringify(report) : renderFailover(report)}\n`);
    if (!isWhole(report)) process.exitCode = 1;
  },
};
