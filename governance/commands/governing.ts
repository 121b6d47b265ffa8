/** Who asks, what they may read, and the log of what they are told. */
import { type QueryLogArguments, queryLogOf } from '../../cli/index.ts';
import { say } from '../../common/index.ts';
import { audited } from '../audit/index.ts';
import { Memory, preferencesOf, remembering } from '../memory/index.ts';
import { readableBy } from '../policy/index.ts';
import { logging, QueryLog } from '../queries/index.ts';
import { logFrom } from './audit-run.ts';
import { type AccessArguments, accessFrom } from './policy-files.ts';
import { type PrincipalArguments, principalFrom } from './principal-options.ts';

interface GoverningArguments extends PrincipalArguments, AccessArguments, QueryLogArguments {
  audit: string | undefined;
  auditKey: string | undefined;
  memory: string | undefined;
  memoryKey: string | undefined;
  tenant?: string | undefined;
}

/**
 * Opens the log for decisions of whoever asks, with a key beside it where none is named; begins it where there is none. With a
 * policy only what it lets them read is to be seen; with a memory "my …" is what they said it is. Throws as `AuditLog.open`, `accessFrom` and `principalFrom`.
 */
export async function openGovernance({ memory: dir, ...args }: GoverningArguments) {
  const access = accessFrom(args);
  const log = await logFrom(args);
  try {
    const principal = await principalFrom(args, log);
    const { clearance: _, ...by } = principal;
    const memory = dir === undefined ? null : Memory.open(dir, args.memoryKey);
    const known = memory?.of(principal) ?? null;
    const kept = queryLogOf(args);
    const queries = kept === undefined ? null : await QueryLog.open(kept);
    return {
      short: preferencesOf(known).length === 'short',
      ...(access !== null && { readable: readableBy(access, principal) }),
      audited: (router: Parameters<typeof audited>[0]) => {
        // Read anew for each query: what is forgotten meanwhile is not used any more.
        const mine = memory === null ? router : remembering(router, () => memory.of(principal));
        const own =
          queries === null ? mine : logging(mine, queries, principal, args.tenant ?? 'default', say);
        return log === null ? own : audited(own, log, by, access?.policy);
      },
      close: async () => {
        queries?.close();
        await log?.close();
      },
    };
  } catch (error) {
    await log?.close();
    throw error;
  }
}
