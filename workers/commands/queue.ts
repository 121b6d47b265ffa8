import type { CommandModule } from 'yargs';
import { wholeNumber } from '../../cli/index.ts';
import { interruptible, say } from '../../common/index.ts';
import { QUEUE_KEY_OPTION, type QueueArguments, queueOptions, REDIS_HELP, redisOf } from './options.ts';
import type { QueueAction } from './run-queue.ts';

const ACTIONS: readonly (QueueAction | 'key')[] = [
  ...(['status', 'dead', 'retry', 'drop', 'pause', 'resume', 'drain'] as const),
  'key',
];

interface QueueCommandArguments extends QueueArguments {
  action: QueueAction | 'key';
  queueKey: string | undefined;
  jobs: string[] | undefined;
  configuration: string | undefined;
  dead: boolean;
  waiting: boolean;
  timeout: number;
}

export const queueCommand: CommandModule<object, QueueCommandArguments> = {
  builder: (parser) =>
    queueOptions(
      parser
        .positional('action', { choices: ACTIONS, demandOption: true, describe: 'What to do' })
        .positional('jobs', { type: 'string', array: true, describe: 'Ids of jobs, for retry and drop' }),
    )
      .option('configuration', {
        type: 'string',
        requiresArg: true,
        describe: 'Only jobs for these workers [default: of all that were announced]',
      })
      .option('dead', { type: 'boolean', default: false, describe: 'retry, drop: all dead letters' })
      .option('waiting', { type: 'boolean', default: false, describe: 'drop: all jobs that wait' })
      .option('timeout', {
        type: 'number',
        default: 3600,
        requiresArg: true,
        coerce: wholeNumber('timeout', 1, 86_400),
        describe: 'drain: seconds to wait at most',
      })
      .option('queue-key', { ...QUEUE_KEY_OPTION, describe: `key: ${QUEUE_KEY_OPTION.describe}` })
      .usage('Usage: $0 queue status|dead|retry|drop|pause|resume|drain|key [JOB…]')
      .example([
        ['$0 queue status', 'Workers, configurations, jobs and results'],
        ['$0 queue dead', 'What will not be tried again, and why'],
        ['$0 queue retry --dead', 'Try all of it again'],
        ['$0 queue key --queue-key queue.key > queue.pub', 'What workers take as --submitter-key'],
        ['$0 queue pause && $0 queue drop --waiting && $0 queue resume', 'Empty the line'],
      ])
      .epilogue(
        'status: one JSON object. dead: a JSON object a line, without the text of queries. retry: puts dead letters back\n' +
          'in line; their errors are taken back, and they get a new result. drop: removes jobs; those that waited get an\n' +
          'error as their result, so that nobody waits for them. pause, resume: for all workers of the configuration.\n' +
          'drain: waits until nothing waits and nothing is worked on. key: prints the public key of those who submit.\n' +
          'Exit code 65: a job that was named is none of those.\n' +
          REDIS_HELP,
      ) as never,
  handler: async (args) => {
    const { action } = args;
    if (action === 'key') {
      const { publicKey } = await import('./asker.ts');
      process.stdout.write(publicKey(args.queueKey, process.stderr));
      return;
    }
    const { runQueue } = await import('./run-queue.ts');
    await interruptible(async (signal) => {
      process.exitCode = await runQueue({
        ...args,
        action,
        redis: redisOf(args),
        jobs: args.jobs ?? [],
        output: process.stdout,
        say,
        signal,
      });
    });
  },
};
