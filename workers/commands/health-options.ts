/** Options of the worker command that are about its health. */
import type { Argv } from 'yargs';
import { wholeNumber } from '../../cli/index.ts';
import { LOG_LEVELS, type LogLevel } from '../health/log.ts';
import { ALLOW_VOLATILE_OPTION } from './options.ts';

export interface HealthArguments {
  healthPort: number | undefined;
  healthHost: string;
  logLevel: LogLevel;
  allowVolatile: boolean;
  tracing: boolean;
  dashboard: boolean;
}

export function healthOptions<T>(parser: Argv<T>) {
  return parser
    .option('health-port', {
      type: 'number',
      requiresArg: true,
      coerce: wholeNumber('health-port', 0, 65_535),
      describe: 'Serve /healthz, /readyz and /metrics on this port; 0 takes any free one [default: none]',
    })
    .option('health-host', {
      type: 'string',
      requiresArg: true,
      default: '127.0.0.1',
      describe: 'Address to serve them on',
    })
    .option('dashboard', {
      type: 'boolean',
      default: false,
      describe:
        'Serve bull-board, read-only, under /dashboard; needs @bull-board/api and @bull-board/express',
    })
    .option('tracing', {
      type: 'boolean',
      default: false,
      describe: 'OpenTelemetry spans; needs bullmq-otel, and an SDK loaded by NODE_OPTIONS=--import',
    })
    .option('log-level', {
      choices: LOG_LEVELS,
      default: 'info' as const,
      describe: 'Log lines on standard error, as NDJSON; "debug" has one a job',
    })
    .option('allow-volatile', {
      ...ALLOW_VOLATILE_OPTION,
      describe: 'Start on a Redis that keeps nothing on disk, where a restart loses the queue',
    });
}
