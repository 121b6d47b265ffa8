import type { CommandModule } from 'yargs';
import { wholeNumber } from '../../cli/index.ts';
import { interruptible, say } from '../../common/index.ts';
import { decisionOptions, defaultsOptions } from './decision-options.ts';
import {
  backendOption,
  calibratedOptionsFrom,
  calibrationOption,
  type GovernanceArguments,
  governanceOptions,
  governedOptions,
  governingFrom,
  type LoadThresholds,
  type OpenGovernance,
  type RouterArguments,
  routerOptions,
} from './options.ts';

interface RouteArguments extends RouterArguments, GovernanceArguments {
  calibration: string | undefined;
  window: number;
  unordered: boolean;
  explain: boolean;
}

export const routeCommand = (
  load: LoadThresholds,
  openGovernance: OpenGovernance,
): CommandModule<object, RouteArguments> => ({
  builder: (parser) =>
    governanceOptions(
      defaultsOptions(decisionOptions(calibrationOption(backendOption(routerOptions(parser))))),
    )
      .option('window', {
        type: 'number',
        default: 16,
        requiresArg: true,
        coerce: wholeNumber('window', 1, 4096),
        describe: 'Queries in flight at most',
      })
      .option('unordered', {
        type: 'boolean',
        default: false,
        describe: 'Write decisions as they are made, not in input order',
      })
      .option('explain', {
        type: 'boolean',
        default: false,
        describe: 'Add what led to each decision',
      })
      .usage('Usage: $0 route --index DIR < queries.ndjson > decisions.ndjson')
      .example([
        ['$0 route --index my-index < queries.ndjson > decisions.ndjson', 'Decide every line, in order'],
        [
          `echo '{"id":"q1","query":"Who wrote it?"}' | $0 route --index my-index`,
          'One query; only "query" must be there',
        ],
        [
          '$0 route --index my-index --defaults defaults.db --tenant acme < queries.ndjson',
          'Ask once: answers to questions back, found in "history", become defaults',
        ],
        [
          '$0 route --index my-index --vocabulary terms.ttl --layers layers.json < queries.ndjson',
          'With terms of your own and other limits',
        ],
        [
          '$0 route --index my-index --audit audit.log < queries.ndjson',
          'With a log that cannot be rewritten unseen',
        ],
      ])
      .epilogue(
        'Input: one JSON object a line, {"id", "query", "history"?, "filters"?, "deadlineMs"?, "defaults"?,\n' +
          '"conditions"?, "metadata"?}; nothing reads "metadata"; "history" is the turns before: [{"role": "user" or "assistant", "text"}]. A line without an\n' +
          'id is called line-N. A line that is bad gets an error record in its place, the rest is decided, and the\n' +
          'exit code is 65. Ctrl-C stops reading and finishes what is in flight; twice stops at once.',
      ) as never,
  handler: async (args) => {
    const { runRoute } = await import('./route-stream.ts');
    const { openRouter } = await import('../index.ts');
    await interruptible(async (signal) => {
      const governing = await governingFrom(args, openGovernance);
      const options = await calibratedOptionsFrom(args, load, say);
      const router = await openRouter(governedOptions(options, governing));
      try {
        process.exitCode = await runRoute(governing.audited(router), {
          input: process.stdin,
          output: process.stdout,
          say,
          window: args.window,
          ordered: !args.unordered,
          explain: args.explain,
          signal,
        });
      } finally {
        await router.close();
        await governing.close();
      }
    });
  },
});
