import type { CommandModule } from 'yargs';
import { POLICY_OPTIONS, wholeNumber } from '../../cli/index.ts';
import { decisionOptions, defaultsOptions } from '../../router/commands/decision-options.ts';
import {
  backendOption,
  calibrationOption,
  type LoadThresholds,
  routerOptions,
} from '../../router/commands/options.ts';
import { healthOptions } from './health-options.ts';
import { queueOptions, REDIS_HELP } from './options.ts';
import type { WorkerArguments } from './run-worker.ts';

export const workerCommand = (load: LoadThresholds): CommandModule<object, WorkerArguments> => ({
  builder: (parser) =>
    healthOptions(
      queueOptions(
        defaultsOptions(
          decisionOptions(calibrationOption(backendOption(routerOptions(parser)))),
          'that of each job',
        ),
      ),
    )
      .options(POLICY_OPTIONS)
      .option('submitter-key', {
        type: 'string',
        array: true,
        requiresArg: true,
        normalize: true,
        describe: 'Public key (PEM) of those whose word is taken for who asks; with --policy-file',
      })
      .option('concurrency', {
        type: 'number',
        default: 8,
        requiresArg: true,
        coerce: wholeNumber('concurrency', 1, 1024),
        describe: 'Jobs in work at the same time; they share the inference threads',
      })
      .option('drain-timeout', {
        type: 'number',
        default: 25,
        requiresArg: true,
        coerce: wholeNumber('drain-timeout', 0, 86_400),
        describe: 'Seconds after SIGTERM in which jobs are finished; the rest is handed back',
      })
      .option('rate-limit', {
        type: 'number',
        requiresArg: true,
        coerce: wholeNumber('rate-limit', 1, 1_000_000),
        describe: 'Jobs a second that all workers of this configuration take up together',
      })
      .option('lock', {
        type: 'number',
        default: 30,
        requiresArg: true,
        coerce: wholeNumber('lock', 1, 86_400),
        describe: 'Seconds without a sign of life after which the jobs of a worker go to another',
      })
      .option('keep-results', {
        type: 'number',
        default: 100_000,
        requiresArg: true,
        coerce: wholeNumber('keep-results', 1, 100_000_000),
        describe: 'Results that are kept; read ones go first, and unread ones hold back "submit"',
      })
      .option('keep-days', {
        type: 'number',
        default: 7,
        requiresArg: true,
        coerce: wholeNumber('keep-days', 1, 3650),
        describe: 'Days after which a result goes, read or not',
      })
      .usage('Usage: $0 worker --index DIR [--redis URL] [--queue NAME]')
      .example([
        ['$0 worker --index my-index', 'Serve the queue of the Redis on this machine'],
        [
          'REDIS_URL=rediss://:secret@redis.lan $0 worker --index my-index --calibration c.json --health-port 9090',
          'With thresholds and a health port',
        ],
      ])
      .epilogue(
        'A worker takes only jobs of its own configuration: index, models, profiles, policy, budget, calibration, layers,\n' +
          'vocabulary, graph, decider, planner and utilities, and the policy of --policy-file; learned defaults are not part\n' +
          'of it. It prints the configuration when it starts. With a policy a job says, signed, who asks, and is decided\n' +
          'over what they may read. SIGTERM or Ctrl-C: takes no more jobs, finishes what it has, hands back\n' +
          'the rest; a second one stops at once. Log lines are NDJSON on standard error.\n' +
          REDIS_HELP,
      ) as never,
  handler: async (args) => {
    const { runWorker } = await import('./run-worker.ts');
    process.exitCode = await runWorker(args, load);
  },
});
