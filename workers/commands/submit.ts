import type { CommandModule } from 'yargs';
import { PRINCIPAL_OPTIONS, wholeNumber } from '../../cli/index.ts';
import { interruptible, say } from '../../common/index.ts';
import type { PrincipalArguments } from '../../governance/commands/principal-options.ts';
import {
  ALLOW_VOLATILE_OPTION,
  MAX_WAITING_OPTION,
  QUEUE_KEY_OPTION,
  type QueueArguments,
  queueOptions,
  REDIS_HELP,
  redisOf,
  shortText,
} from './options.ts';

interface SubmitArguments extends QueueArguments, PrincipalArguments {
  queueKey: string | undefined;
  wait: boolean;
  tenant: string;
  priority: 'interactive' | 'bulk';
  configuration: string | undefined;
  waitForWorkers: number | undefined;
  ledger: string | undefined;
  resubmit: boolean;
  window: number | undefined;
  unordered: boolean;
  maxWaiting: number;
  attempts: number;
  allowVolatile: boolean;
  tracing: boolean;
}

export const submitCommand: CommandModule<object, SubmitArguments> = {
  builder: (parser) =>
    queueOptions(parser)
      .option('wait', {
        type: 'boolean',
        default: false,
        describe: 'Write decisions, as "route" does, instead of receipts',
      })
      .option('tenant', {
        type: 'string',
        default: 'default',
        requiresArg: true,
        coerce: shortText('tenant', 128),
        describe: 'Whose queries these are: tenants take turns, and each has ids of its own',
      })
      .option('priority', {
        choices: ['interactive', 'bulk'] as const,
        describe: 'Interactive jobs overtake bulk ones [default: interactive with --wait, bulk without]',
      })
      .option('configuration', {
        type: 'string',
        requiresArg: true,
        describe: 'Which workers: the hash that they print [default: the only one that workers announce]',
      })
      .option('wait-for-workers', {
        type: 'number',
        requiresArg: true,
        coerce: wholeNumber('wait-for-workers', 0, 86_400),
        describe: 'Seconds to wait for a worker that has not announced itself yet [default: do not wait]',
      })
      .option('ledger', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe: 'File in which is kept what was submitted',
      })
      .option('resubmit', {
        type: 'boolean',
        default: false,
        describe: 'Submit again what Redis lost: of the ledger, reading no input; with --wait, of this run',
      })
      .options(PRINCIPAL_OPTIONS)
      .option('queue-key', QUEUE_KEY_OPTION)
      .option('window', {
        type: 'number',
        requiresArg: true,
        coerce: wholeNumber('window', 1, 100_000),
        describe: 'Queries in flight at most [default: 2000; 256 with --wait]',
      })
      .option('unordered', {
        type: 'boolean',
        default: false,
        describe: 'Write as it comes, not in input order',
      })
      .option('max-waiting', MAX_WAITING_OPTION)
      .option('attempts', {
        type: 'number',
        default: 5,
        requiresArg: true,
        coerce: wholeNumber('attempts', 1, 100),
        describe: 'How often a job is tried whose failure may pass',
      })
      .option('allow-volatile', ALLOW_VOLATILE_OPTION)
      .option('tracing', {
        type: 'boolean',
        default: false,
        describe: 'OpenTelemetry spans; needs bullmq-otel, and an SDK loaded by NODE_OPTIONS=--import',
      })
      .usage('Usage: $0 submit [--wait] [--ledger FILE] < queries.ndjson')
      .example([
        ['$0 submit --ledger today.ledger < queries.ndjson > receipts.ndjson', 'Put queries in line and go'],
        ['$0 results --ledger today.ledger --out decisions.ndjson', '… and read what came of them'],
        ['$0 submit --wait < queries.ndjson > decisions.ndjson', '"route" by way of the queue'],
        [
          'PRAGAURA_PRINCIPAL_TOKEN=eyJ… $0 submit --wait --principals people.json --queue-key queue.key < queries.ndjson',
          'For somebody, over what they may read',
        ],
        ['$0 submit --ledger today.ledger --resubmit', 'Put back in line what Redis has lost'],
      ])
      .epilogue(
        'Input: queries as for "route". The same id of the same tenant is one job, however often it is submitted; another\n' +
          'query under it is refused, also between two inputs without ids, whose lines are called line-1, line-2, …\n' +
          'Where workers go by a policy, --queue-key vouches for whoever asks (--principal-token, --trust-local), and a job of\n' +
          'one is never that of another. "deadlineMs" counts from the submission; a job past it is answered DEADLINE_EXCEEDED and not computed.\n' +
          'Receipts: {"id", "jobId", "status": "queued" | "known" | "finished"}.\n' +
          REDIS_HELP,
      ) as never,
  handler: async (args) => {
    const [{ runSubmit }, { fitRedis }, { askerFrom }] = await Promise.all([
      import('../submit/index.ts'),
      import('./fit-redis.ts'),
      import('./asker.ts'),
    ]);
    const telemetry = args.tracing ? await (await import('../health/index.ts')).openTracing() : undefined;
    const redis = redisOf(args);
    const asker = await askerFrom(args);
    await interruptible(async (signal) => {
      process.exitCode = await runSubmit({
        ...args,
        redis,
        asker,
        priority: args.priority ?? (args.wait ? 'interactive' : 'bulk'),
        window: args.window ?? (args.wait ? 256 : 2000),
        ordered: !args.unordered,
        mostWaiting: args.maxWaiting,
        waitForWorkersMs: args.waitForWorkers === undefined ? undefined : 1000 * args.waitForWorkers,
        tries: { attempts: args.attempts, backoffMs: 500 },
        check: fitRedis(redis, args.allowVolatile, say),
        telemetry,
        input: process.stdin,
        output: process.stdout,
        say,
        signal,
      });
    });
  },
};
