import type { Argv } from 'yargs';
import { AUDIT_KEY_OPTION, AUDIT_OPTION, QUERY_LOG_OPTIONS, wholeNumber } from '../../cli/index.ts';
import { FACTUALITY_OPTION } from '../../generation/commands/generator-options.ts';
import { decisionOptions, defaultsOptions } from '../../router/commands/decision-options.ts';
import { backendOption, routerOptions } from '../../router/commands/options.ts';
import { LOG_LEVELS } from '../../workers/health/log.ts';

/** What any door opens: indexes, each under a name, with their calibrations; whose turn it is; where it is noted. */
export function serviceOptions<T>(parser: Argv<T>) {
  return defaultsOptions(decisionOptions(backendOption(routerOptions(parser))))
    .option('index', {
      type: 'string',
      array: true,
      requiresArg: true,
      demandOption: 'Which index? Say --index DIR; "pragaura index PATH… --out DIR" makes one.',
      describe:
        'Index folders made by "pragaura index", each DIR or NAME=DIR; with --backend their names there',
    })
    .option('calibration', {
      type: 'string',
      array: true,
      requiresArg: true,
      describe:
        'Thresholds made by "pragaura calibrate", each FILE or, of several collections, NAME=FILE; without them the general rule decides and says so',
    })
    .option('factuality', FACTUALITY_OPTION)
    .options(QUERY_LOG_OPTIONS)
    .option('audit', AUDIT_OPTION)
    .option('audit-key', AUDIT_KEY_OPTION)
    .option('concurrency', {
      type: 'number',
      default: 8,
      requiresArg: true,
      coerce: wholeNumber('concurrency', 1, 1024),
      describe: 'Queries in work at the same time; they share the inference threads',
    })
    .option('timeout', {
      type: 'number',
      default: 60,
      requiresArg: true,
      coerce: wholeNumber('timeout', 1, 100),
      describe: 'Seconds after which a query is given up, its waiting counted',
    })
    .option('log-level', {
      choices: LOG_LEVELS,
      default: 'info' as const,
      describe: 'Log lines on standard error, as NDJSON; "debug" has one a request',
    });
}
