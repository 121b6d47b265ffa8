/** The tickets of an index, for whoever runs a command. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { type ScorerArguments, scorersOptionsFrom } from '../../cli/index.ts';
import { isSystemError, PragauraError, say, systemReason } from '../../common/index.ts';
import { generationsOf, KNOWLEDGE } from '../../corpus/index.ts';
import { logFrom } from '../../governance/commands/audit-run.ts';
import { type AccessArguments, accessFrom } from '../../governance/commands/policy-files.ts';
import { type PrincipalArguments, principalFrom } from '../../governance/commands/principal-options.ts';
import type { Access, AuditLog, Principal } from '../../governance/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import { Knowledge } from '../knowledge.ts';

export interface GovernedArguments extends PrincipalArguments, AccessArguments {
  index: string;
  json: boolean;
  audit: string | undefined;
  auditKey: string | undefined;
}

export interface Opened {
  knowledge: Knowledge;
  principal: Principal;
  access: Access | null;
  log: AuditLog;
}

/**
 * Opens the tickets, with a log in the folder of the index where none is named; models are loaded where something is measured.
 * Throws INDEX_UNUSABLE, and what log, policy, principals and tickets throw.
 */
export async function withKnowledge<T>(
  args: GovernedArguments & Partial<ScorerArguments>,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const { index } = args;
  generationsOf(index);
  const access = accessFrom(args);
  const log = await logFrom({ audit: args.audit ?? ownLog(index), auditKey: args.auditKey });
  if (log === null) throw new PragauraError('INTERNAL', 'There is a log.');
  let scorers: Promise<Scorers> | null = null;
  try {
    const principal = await principalFrom(args, log);
    const open = async () => {
      const { openScorers } = await import('../../scorers/index.ts');
      return openScorers(scorersOptionsFrom(args as ScorerArguments, say));
    };
    const knowledge = await Knowledge.open({ index, access, log, scorers: () => (scorers ??= open()) });
    try {
      return await work({ knowledge, principal, access, log });
    } finally {
      knowledge.close();
    }
  } finally {
    await (scorers as Promise<Scorers> | null)?.then((each) => each.close()).catch(() => {});
    await log.close();
  }
}

function ownLog(index: string): string {
  const dir = path.join(index, KNOWLEDGE);
  try {
    mkdirSync(dir, { recursive: true });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new PragauraError('WRITE_FAILED', `${dir} cannot be made: ${systemReason(error)}.`, {
      hint: 'May the folder of the index be written into? --audit names a log elsewhere.',
      cause: error,
    });
  }
  return path.join(dir, 'audit.log');
}
