/** What the options of `serviceOptions` come to. */
import { existsSync } from 'node:fs';
import { loadFactuality } from '../../calibration/index.ts';
import { type QueryLogArguments, queryLogOf } from '../../cli/index.ts';
import { PragauraError } from '../../common/index.ts';
import {
  type LoadThresholds,
  type RouterArguments,
  routerOptionsFrom,
} from '../../router/commands/options.ts';
import type { Scorers } from '../../scorers/index.ts';
import type { Log, LogLevel } from '../../workers/health/log.ts';
import { type CollectionOptions, namedIndexes } from '../collections.ts';
import type { ServiceOptions } from '../service.ts';

export interface ServiceArguments extends Omit<RouterArguments, 'index'>, QueryLogArguments {
  index: string[];
  calibration: string[] | undefined;
  factuality: string | undefined;
  audit: string | undefined;
  auditKey: string | undefined;
  concurrency: number;
  timeout: number;
  /** Calibrations may be put later. */
  writable?: boolean;
  logLevel: LogLevel;
}

/** Puts what routers and models have to say on the log. */
export function saying(log: Log): (detail: string) => void {
  return (detail) => log.warn('router.says', { detail });
}

/** Throws USAGE, and what reading calibrations throws. */
export async function serviceFrom(
  args: ServiceArguments,
  load: LoadThresholds,
  scorers: Scorers,
  log: Log,
): Promise<Omit<ServiceOptions, 'waiting' | 'perMinute' | 'decided' | 'operations'>> {
  const { audit, auditKey, concurrency, timeout } = args;
  const queryLog = queryLogOf(args);
  return {
    collections: await collectionsFrom(args, load, scorers, saying(log)),
    scorers,
    factuality: args.factuality === undefined ? undefined : await loadFactuality(args.factuality),
    concurrency,
    timeoutMs: timeout * 1000,
    queryLog,
    ...(audit !== undefined && { audit: { file: audit, key: auditKey ?? `${audit}.key` } }),
    log,
  };
}

/** What is opened for `--index` and `--calibration`. Throws USAGE, and what reading calibrations throws. */
async function collectionsFrom(
  args: ServiceArguments,
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
      const isThere = file !== undefined && (args.writable !== true || existsSync(file));
      const thresholds = isThere ? { thresholds: await load(file) } : {};
      return { name, ...options, scorers, announce, calibrationFile: file, ...thresholds };
    }),
  );
}
