/** A server process from its start to its end. */
import { once } from 'node:events';
import { modelsOf, scorersOptionsFrom } from '../../cli/index.ts';
import { abortOf, EXIT, installSignals, PragauraError } from '../../common/index.ts';
import { type GeneratorArguments, generatorFrom } from '../../generation/commands/generator-options.ts';
import { loadPrices } from '../../generation/index.ts';
import { type AccessArguments, accessFrom } from '../../governance/commands/policy-files.ts';
import { type Access, ensureSigningKey, JOBS } from '../../governance/index.ts';
import type { LoadThresholds } from '../../router/commands/options.ts';
import { openScorers } from '../../scorers/index.ts';
import { type Log, openLog } from '../../workers/health/log.ts';
import type { QueueOptions } from '../queue.ts';
import { openServer } from '../server.ts';
import type { ServiceOptions } from '../service.ts';
import type { WriterOptions } from '../writer.ts';
import { type ServiceArguments, saying, serviceFrom } from './service-from.ts';

export interface ServeArguments extends ServiceArguments, GeneratorArguments, AccessArguments {
  host: string;
  port: number;
  keys: string | undefined;
  corsOrigin: string[] | undefined;
  principals: string | undefined;
  memory: string | undefined;
  memoryKey: string | undefined;
  tlsCert: string | undefined;
  tlsKey: string | undefined;
  waiting: number;
  perMinute: number | undefined;
  maxBody: number;
  writable: boolean;
  labels: string | undefined;
  recent: number;
  monitor: string | undefined;
  redis: string | undefined;
  queue: string;
  queueKey: string | undefined;
  maxWaiting: number;
  allowVolatile: boolean;
  drainTimeout: number;
}

/** Serves until a signal ends it, and gives the exit code. Throws as `openServer`, and USAGE. */
export async function runServe(args: ServeArguments, load: LoadThresholds): Promise<number> {
  const log = openLog({ level: args.logLevel, write: (line) => process.stderr.write(line) });
  const signals = installSignals((detail) => log.info('server.signal', { detail }));
  try {
    return await serve(args, load, log, signals.signal);
  } finally {
    signals.dispose();
  }
}

async function serve(
  args: ServeArguments,
  load: LoadThresholds,
  log: Log,
  stop: AbortSignal,
): Promise<number> {
  const tls = tlsOf(args);
  if (args.writable && args.backend !== undefined) {
    throw new PragauraError(
      'USAGE',
      'What is put over HTTP goes into the folder of an index, not into an engine.',
      {
        hint: 'Leave out --writable, and put a new generation there with "pragaura index … --backend".',
      },
    );
  }
  const access = accessFrom(args) ?? undefined;
  const queue = queueOf(args, access);
  const scorers = await openScorers(scorersOptionsFrom(args, saying(log)));
  let writer: WriterOptions | undefined;
  try {
    writer = await writerOf(args, log);
    const server = await openServer({
      host: args.host,
      port: args.port,
      keys: args.keys,
      corsOrigins: args.corsOrigin,
      principals: args.principals,
      ...(await serviceFrom(args, load, scorers, log)),
      waiting: args.waiting,
      perMinute: args.perMinute ?? null,
      maxBodyBytes: args.maxBody * 1024,
      labels: args.labels,
      recent: args.recent,
      monitor: args.monitor,
      queue,
      access,
      memory: memoryOf(args),
      ...(args.writable && { writable: modelsOf(args) }),
      ...(tls && { tls }),
      writer,
    });
    log.info('server.ready', { url: server.url });
    process.stdout.write(`${server.url}\n`);
    if (!stop.aborted) await once(stop, 'abort');
    const began = performance.now();
    await server.close(args.drainTimeout * 1000, abortOf(stop));
    log.info('server.stopped', { ms: Math.round(performance.now() - began) });
    return abortOf(stop)?.aborted ? EXIT.INTERRUPTED : EXIT.OK;
  } finally {
    await writer?.generator.close();
    await scorers.close();
  }
}

function memoryOf({ memory: dir, memoryKey: key }: ServeArguments): ServiceOptions['memory'] {
  if (dir !== undefined) return { dir, key };
  if (key === undefined) return undefined;
  throw new PragauraError('USAGE', 'There is a key and nothing that is remembered: say --memory DIR.');
}

/** Throws USAGE where workers would not learn who asks or what was asked, or nobody would go by it; what reading and making a key throws. */
function queueOf(
  { redis, queue, queueKey, maxWaiting, allowVolatile, queryLog }: ServeArguments,
  access: Access | undefined,
): QueueOptions | undefined {
  if (redis !== undefined && queryLog !== undefined) {
    throw new PragauraError(
      'USAGE',
      'Workers decide and propose from no query log: say --redis or --query-log.',
    );
  }
  const governed = redis !== undefined && access !== undefined;
  if (governed && queueKey === undefined) {
    throw new PragauraError(
      'USAGE',
      'Workers go by the policy only where they are told who asks: say --queue-key FILE.',
      {
        hint: '"pragaura queue key --queue-key FILE" prints the public key, which workers take as --submitter-key.',
      },
    );
  }
  if (!governed && queueKey !== undefined) {
    throw new PragauraError('USAGE', '--queue-key is for --redis and --policy-file together.');
  }
  if (redis === undefined) return undefined;
  const key = queueKey === undefined ? undefined : ensureSigningKey(queueKey, JOBS);
  return { redis, queue, mostWaiting: maxWaiting, allowVolatile, key };
}

/** Throws as `generatorFrom` and `loadPrices`, and USAGE for a model without a generator. */
async function writerOf(args: ServeArguments, log: Log): Promise<WriterOptions | undefined> {
  const { generator: where, model, promptTokens, generatedTokens, prices, lowBand } = args;
  if (where === undefined) {
    if (model === undefined) return undefined;
    throw new PragauraError('USAGE', 'A language model needs --generator beside --model.');
  }
  return {
    // What an endpoint says could hold what it was sent.
    generator: await generatorFrom({ ...args, generator: where }, () => log.warn('generator.retried')),
    budget: { promptTokens, generatedTokens },
    lowBand,
    prices: prices === undefined ? undefined : await loadPrices(prices),
  };
}

function tlsOf({ tlsCert, tlsKey }: ServeArguments): { cert: string; key: string } | null {
  if (tlsCert !== undefined && tlsKey !== undefined) return { cert: tlsCert, key: tlsKey };
  if (tlsCert === undefined && tlsKey === undefined) return null;
  throw new PragauraError('USAGE', 'TLS needs both --tls-cert and --tls-key.');
}
