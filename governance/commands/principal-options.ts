/** Who asks, from what the command line says of it. */
import { PragauraError } from '../../common/index.ts';
import type { AuditLog } from '../audit/index.ts';
import { localPrincipal, openTokens, type Principal, PUBLIC } from '../principals/index.ts';

export interface PrincipalArguments {
  principalToken: string | undefined;
  principals: string | undefined;
  trustLocal: boolean;
}

/**
 * Nobody in particular without a token. Throws USAGE, what `openTokens` throws, and TOKEN_REFUSED, which is on the log,
 * where there is one, before it is said.
 */
export async function principalFrom(args: PrincipalArguments, log: AuditLog | null): Promise<Principal> {
  const { principalToken: token, principals, trustLocal } = args;
  if (trustLocal && token !== undefined) {
    throw new PragauraError(
      'USAGE',
      'One is who the token says or who sits here: --principal-token or --trust-local.',
    );
  }
  if (trustLocal) return localPrincipal();
  if (token === undefined) return PUBLIC;
  if (principals === undefined) {
    throw new PragauraError('USAGE', 'Whose tokens are believed? Say --principals FILE.', {
      hint: 'The file names issuer, audience and keys.',
    });
  }
  try {
    return await openTokens(principals).verify(token);
  } catch (error) {
    if (PragauraError.isInstance(error) && error.code === 'TOKEN_REFUSED') {
      const { clearance: _, ...by } = PUBLIC;
      await log?.append({ kind: 'principal.refused', by, about: '', detail: { why: error.message } });
    }
    throw error;
  }
}
