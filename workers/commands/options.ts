/** Options that all queue commands have. */
import type { Argv } from 'yargs';
import { wholeNumber } from '../../cli/index.ts';
import { PragauraError } from '../../common/index.ts';
import { DEFAULT_REDIS, parseTarget } from '../queue/target.ts';

export interface QueueArguments {
  redis: string | undefined;
  queue: string;
}

export const QUEUE_OPTIONS = {
  redis: {
    type: 'string',
    requiresArg: true,
    // No default here: help would show a password that stands in the environment.
    coerce: redisUrl,
    describe: `URL of Redis or Valkey [default: REDIS_URL, then ${DEFAULT_REDIS}]`,
  },
  queue: {
    type: 'string',
    default: 'pragaura',
    requiresArg: true,
    coerce: queueName,
    describe: 'Name of the queue',
  },
} as const;

export const QUEUE_KEY_OPTION = {
  type: 'string',
  requiresArg: true,
  normalize: true,
  describe:
    'Private key (PEM) that vouches to workers for who asks, where they go by a policy; made where it is missing',
} as const;

export const MAX_WAITING_OPTION = {
  type: 'number',
  default: 10_000,
  requiresArg: true,
  coerce: wholeNumber('max-waiting', 1, 10_000_000),
  describe: 'Jobs of this configuration that may wait in line; beyond it no more are submitted',
} as const;

export const ALLOW_VOLATILE_OPTION = {
  type: 'boolean',
  default: false,
  describe: 'Use a Redis that keeps nothing on disk, where a restart loses the queue',
} as const;

export function queueOptions<T>(parser: Argv<T>) {
  return parser.options(QUEUE_OPTIONS);
}

/** Where Redis is, after the option and the environment. */
export function redisOf({ redis }: QueueArguments): string {
  return redis ?? (process.env.REDIS_URL || DEFAULT_REDIS);
}

function redisUrl(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw new PragauraError('USAGE', '--redis takes one URL.');
  parseTarget(value);
  return value;
}

function queueName(value: unknown): string {
  if (typeof value === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(value)) return value;
  throw new PragauraError('USAGE', '--queue takes one name: up to 64 letters, digits, ".", "_" and "-".');
}

/** A `coerce` for a text of limited length, given once. */
export function shortText(name: string, most: number) {
  return (value: unknown): string | undefined => {
    if (value === undefined) return undefined;
    if (typeof value === 'string' && value !== '' && value.length <= most) return value;
    throw new PragauraError('USAGE', `--${name} takes one text of at most ${most} characters.`);
  };
}

export const REDIS_HELP =
  'URLs: redis://[[USER]:PASSWORD@]HOST:PORT[/DB], rediss:// for TLS, redis+sentinel://HOST:PORT,HOST:PORT/MASTER,\n' +
  'redis+cluster://HOST:PORT,HOST:PORT. A password is best given in REDIS_URL, which other users cannot see.';
