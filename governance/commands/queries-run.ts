import { plainLine, toLine } from '../../common/index.ts';
import { QueryLog } from '../queries/index.ts';
import { type PrincipalArguments, principalFrom } from './principal-options.ts';

export type QueriesVerb = 'consent' | 'list' | 'erase';

export interface QueriesArguments extends PrincipalArguments {
  queryLog: string;
  queryLogDays: number | undefined;
  json: boolean;
}

/** Throws as `QueryLog` and `principalFrom` do. */
export async function runQueries(verb: QueriesVerb, args: QueriesArguments, now: number): Promise<string> {
  const { queryLog: file, queryLogDays: days, json } = args;
  const who = await principalFrom(args, null);
  const log = await QueryLog.open({ file, create: verb === 'consent', ...(days !== undefined && { days }) });
  try {
    if (verb === 'consent') {
      log.consent(who, now);
      return `What ${plainLine(who.id)} asks about is kept from now on. "queries erase" takes that back.\n`;
    }
    if (verb === 'erase') return `${log.erase(who)} questions erased, and nothing is kept any more.\n`;
    const kept = log.of(who, now);
    if (json) return kept.map((one) => toLine({ schema: 'pragaura.logged-query/1', ...one })).join('');
    const agreed = log.agreedAt(who);
    const since = agreed === null ? 'Not agreed to' : `Agreed to since ${new Date(agreed).toISOString()}`;
    const lines = kept.map(
      ({ at, things }) => `${new Date(at).toISOString()}  ${plainLine(things.join(', '))}`,
    );
    return `${[`${since}, ${kept.length} kept.`, ...lines].join('\n')}\n`;
  } finally {
    log.close();
  }
}
