/** A server process from its start to its end. */
import { once } from 'node:events';
import { scorersOptionsFrom } from '../../cli/index.ts';
import { abortOf, EXIT, installSignals, PragauraError } from '../../common/index.ts';
import {
  type LoadThresholds,
  type RouterArguments,
  routerOptionsFrom,
} from '../../router/commands/options.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { type Log, type LogLevel, openLog } from '../../workers/health/log.ts';
import { type CollectionOptions, namedIndexes } from '../collections.ts';
import { openServer } from '../server.ts';

export interface ServeArguments extends Omit<RouterArguments, 'index'> {
  index: string[];
  calibration: string[] | undefined;
  host: string;
  port: number;
  keys: string | undefined;
  principals: string | undefined;
  audit: string | undefined;
  auditKey: string | undefined;
  tlsCert: string | undefined;
  tlsKey: string | undefined;
  concurrency: number;
  waiting: number;
  perMinute: number | undefined;
  timeout: number;
  maxBody: number;
  drainTimeout: number;
  logLevel: LogLevel;
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
  const announce = (detail: string) => log.warn('router.says', { detail });
  const scorers = await openScorers(scorersOptionsFrom(args, announce));
  try {
    const server = await openServer({
      host: args.host,
      port: args.port,
      keys: args.keys,
      principals: args.principals,
      collections: await collectionsFrom(args, load, scorers, announce),
      scorers,
      concurrency: args.concurrency,
      waiting: args.waiting,
      perMinute: args.perMinute ?? null,
      timeoutMs: args.timeout * 1000,
      maxBodyBytes: args.maxBody * 1024,
      ...(args.audit !== undefined && {
        audit: { file: args.audit, key: args.auditKey ?? `${args.audit}.key` },
      }),
      ...(tls && { tls }),
      log,
    });
    log.info('server.ready', { url: server.url });
    process.stdout.write(`${server.url}\n`);
    if (!stop.aborted) await once(stop, 'abort');
    const began = performance.now();
    await server.close(args.drainTimeout * 1000, abortOf(stop));
    log.info('server.stopped', { ms: Math.round(performance.now() - began) });
    return abortOf(stop)?.aborted ? EXIT.INTERRUPTED : EXIT.OK;
  } finally {
    await scorers.close();
  }
}

function tlsOf({ tlsCert, tlsKey }: ServeArguments): { cert: string; key: string } | null {
  if (tlsCert !== undefined && tlsKey !== undefined) return { cert: tlsCert, key: tlsKey };
  if (tlsCert === undefined && tlsKey === undefined) return null;
  throw new PragauraError('USAGE', 'TLS needs both --tls-cert and --tls-key.');
}

/** What is opened for `--index` and `--calibration`. Throws USAGE, and what reading calibrations throws. */
async function collectionsFrom(
  args: ServeArguments,
  load: LoadThresholds,
  scorers: Scorers,
  announce: (detail: string) => void,
): Promise<CollectionOptions[]> {
  const indexes = namedIndexes(args.index);
  const files = new Map<string, string>();
  for (const text of args.calibration ?? []) {
    const name = indexes.find((each) => text.startsWith(`${each.name}=`))?.name;
    const own = name ?? (indexes.length === 1 ? indexes[0]!.name : undefined);
    if (own === undefined || files.has(own)) {
      throw new PragauraError('USAGE', `Which collection is the calibration ${text} for?`, {
        hint: `Say --calibration NAME=FILE, once for each of ${indexes.map((each) => each.name).join(', ')}.`,
      });
    }
    files.set(own, name === undefined ? text : text.slice(name.length + 1));
  }
  return Promise.all(
    indexes.map(async ({ name, dir }) => {
      const {
        threads: _,
        provider: __,
        models: ___,
        modelsDir: ____,
        ...options
      } = routerOptionsFrom({ ...args, index: dir }, announce);
      const file = files.get(name);
      return { name, ...options, scorers, announce, ...(file && { thresholds: await load(file) }) };
    }),
  );
}
