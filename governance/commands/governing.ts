/** Who asks, what they may read, and the log of what they are told. */
import { AuditLog, audited, ensureSigningKey } from '../audit/index.ts';
import { readableBy } from '../policy/index.ts';
import { keyFile } from './audit-run.ts';
import { labelsOf, openPolicy } from './policy-files.ts';
import { type PrincipalArguments, principalFrom } from './principal-options.ts';

interface GoverningArguments extends PrincipalArguments {
  audit: string | undefined;
  auditKey: string | undefined;
  policyFile: string | undefined;
  documentLabels: string | undefined;
  everybody: boolean;
}

/**
 * Opens the log for decisions of whoever asks, with a key beside it where none is named; begins it where there is none. With a
 * policy only what it lets them read is to be seen. Throws as `AuditLog.open`, `openPolicy` and `principalFrom`.
 */
export async function openGovernance({ audit, policyFile, ...args }: GoverningArguments) {
  const policy = policyFile === undefined ? null : openPolicy({ ...args, policyFile });
  const labels = labelsOf(args.documentLabels);
  const log =
    audit === undefined
      ? null
      : await AuditLog.open({ file: audit, key: ensureSigningKey(keyFile({ ...args, audit })) });
  try {
    const principal = await principalFrom(args, log);
    const { clearance: _, ...by } = principal;
    return {
      ...(policy !== null && { readable: readableBy({ policy, labels }, principal) }),
      audited: (router: Parameters<typeof audited>[0]) =>
        log === null ? router : audited(router, log, by, policy),
      close: async () => log?.close(),
    };
  } catch (error) {
    await log?.close();
    throw error;
  }
}
