import type { CommandModule } from 'yargs';
import { MEMORY_OPTIONS, POLICY_OPTIONS, PRINCIPAL_OPTIONS, wholeNumber } from '../../cli/index.ts';
import { GENERATOR_OPTIONS } from '../../generation/commands/generator-options.ts';
import type { LoadThresholds } from '../../router/commands/options.ts';
import {
  ALLOW_VOLATILE_OPTION,
  MAX_WAITING_OPTION,
  QUEUE_KEY_OPTION,
  QUEUE_OPTIONS,
} from '../../workers/commands/options.ts';
import type { ServeArguments } from './run-serve.ts';
import { serviceOptions } from './service-options.ts';

export const KEYS_OPTION = {
  type: 'string',
  requiresArg: true,
  normalize: true,
  describe: 'File of API keys, made by "pragaura keys"',
} as const;

export const serveCommand = (load: LoadThresholds): CommandModule<object, ServeArguments> => ({
  builder: (parser) =>
    serviceOptions(parser)
      .option('host', {
        type: 'string',
        requiresArg: true,
        default: '127.0.0.1',
        describe: 'Address to listen on; one that others reach needs keys or tokens',
      })
      .option('port', {
        type: 'number',
        default: 8470,
        requiresArg: true,
        coerce: wholeNumber('port', 0, 65_535),
        describe: 'Port to listen on; 0 takes any free one',
      })
      .option('keys', KEYS_OPTION)
      .option('principals', PRINCIPAL_OPTIONS.principals)
      .options(MEMORY_OPTIONS)
      .options({
        ...POLICY_OPTIONS,
        'policy-file': {
          ...POLICY_OPTIONS['policy-file'],
          describe: `${POLICY_OPTIONS['policy-file'].describe}; what a caller may not read does not exist for him`,
        },
      })
      .options(GENERATOR_OPTIONS)
      .option('cors-origin', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe:
          'Origins whose pages may read what the server says, such as https://wiki.example [default: none]',
      })
      .option('tls-cert', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe: 'PEM file of the certificate, its chain behind it [default: none, plain HTTP]',
      })
      .option('tls-key', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe: 'PEM file of the private key of the certificate',
      })
      .option('waiting', {
        type: 'number',
        default: 64,
        requiresArg: true,
        coerce: wholeNumber('waiting', 0, 100_000),
        describe: 'Requests that wait for their turn at most; more are told to come back (429)',
      })
      .option('per-minute', {
        type: 'number',
        requiresArg: true,
        coerce: wholeNumber('per-minute', 1, 1_000_000),
        describe: 'Queries a minute of a caller whose key says nothing else [default: no limit]',
      })
      .option('writable', {
        type: 'boolean',
        default: false,
        describe:
          'Take documents and calibrations over HTTP, from those who may write; with --policy-file and --audit also proposed changes, from people with tokens',
      })
      .option('labels', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe:
          'Folder for what people say of decisions, a file of labelled queries for each collection [default: it is not kept]',
      })
      .option('recent', {
        type: 'number',
        default: 1000,
        requiresArg: true,
        coerce: wholeNumber('recent', 0, 100_000),
        describe:
          'Latest decisions of a collection that are shown to whoever runs the server, with their queries; in memory only',
      })
      .option('monitor', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe:
          'Folder in which is kept what watches calibrations for drift [default: it begins anew with every start]',
      })
      .options({
        redis: {
          ...QUEUE_OPTIONS.redis,
          describe: 'URL of a Redis: workers decide by way of its queue, not this process',
        },
        queue: QUEUE_OPTIONS.queue,
        'queue-key': QUEUE_KEY_OPTION,
        'max-waiting': MAX_WAITING_OPTION,
        'allow-volatile': ALLOW_VOLATILE_OPTION,
      })
      .option('max-body', {
        type: 'number',
        default: 8192,
        requiresArg: true,
        coerce: wholeNumber('max-body', 1, 262_144),
        describe: 'KiB of a body, and of a line of a stream, at most',
      })
      .option('drain-timeout', {
        type: 'number',
        default: 25,
        requiresArg: true,
        coerce: wholeNumber('drain-timeout', 0, 86_400),
        describe: 'Seconds after SIGTERM in which requests are finished; the rest is given up',
      })
      .usage('Usage: $0 serve --index DIR [--index NAME=DIR…]')
      .example([
        ['$0 serve --index my-index', 'For this machine, on port 8470'],
        [
          `curl -s localhost:8470/v1/decisions -H 'content-type: application/json' -d '{"query":"Who wrote it?"}'`,
          'One decision of it',
        ],
        [
          '$0 serve --index hr=hr.index --index it=it.index --keys keys.json --host 0.0.0.0 --tls-cert c.pem --tls-key k.pem',
          'Two collections, for those who have a key',
        ],
      ])
      .epilogue(
        'Without keys and tokens only this machine is served. SIGTERM or Ctrl-C: takes nothing more, finishes what it\n' +
          'has; a second one stops at once. A new generation of an index is taken up while it serves. The address is\n' +
          'printed on standard output when all is open; paths and contracts are at /openapi.json.',
      ) as never,
  handler: async (args) => {
    const { runServe } = await import('./run-serve.ts');
    process.exitCode = await runServe(args, load);
  },
});
