/** A process that one client of the Model Context Protocol started, from its start to its end. */
import { scorersOptionsFrom } from '../../cli/index.ts';
import { abortOf, EXIT, installSignals } from '../../common/index.ts';
import { type AccessArguments, accessFrom } from '../../governance/commands/policy-files.ts';
import { type PrincipalArguments, principalFrom } from '../../governance/commands/principal-options.ts';
import type { LoadThresholds } from '../../router/commands/options.ts';
import { openScorers } from '../../scorers/index.ts';
import { openLog } from '../../workers/health/log.ts';
import { localCaller, startedBy } from '../callers.ts';
import { serveStdio } from '../mcp/stdio.ts';
import { Service } from '../service.ts';
import { type ServiceArguments, saying, serviceFrom } from './service-from.ts';

export interface McpArguments extends ServiceArguments, AccessArguments, PrincipalArguments {}

/** One client asks no more at a time than it can wait for. */
const WAITING = 1000;

/** Serves standard input until it ends or a signal comes, and gives the exit code. Throws as `Service.open`, and USAGE. */
export async function runMcp(args: McpArguments, load: LoadThresholds): Promise<number> {
  const log = openLog({ level: args.logLevel, write: (line) => process.stderr.write(line) });
  const { signal: stop, dispose } = installSignals((detail) => log.info('mcp.signal', { detail }));
  try {
    const access = accessFrom(args) ?? undefined;
    const nobodyAsks = access === undefined && args.principalToken === undefined && !args.trustLocal;
    const caller = nobodyAsks ? localCaller() : startedBy(await principalFrom(args, null));
    const scorers = await openScorers(scorersOptionsFrom(args, saying(log)));
    try {
      const options = await serviceFrom(args, load, scorers, log);
      const service = await Service.open({ ...options, access, waiting: WAITING, perMinute: null });
      try {
        log.info('mcp.ready');
        await serveStdio(service, {
          caller,
          input: process.stdin,
          output: process.stdout,
          stop,
          now: abortOf(stop),
        });
        return abortOf(stop)?.aborted ? EXIT.INTERRUPTED : EXIT.OK;
      } finally {
        service.stop();
        await service.close();
      }
    } finally {
      await scorers.close();
    }
  } finally {
    dispose();
  }
}
