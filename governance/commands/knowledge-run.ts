import { columns, PragauraError, toLine } from '../../common/index.ts';
import {
  type GenerationState,
  generationAsOf,
  generationsOf,
  keepGenerations,
  openIndex,
  rollBack,
} from '../../corpus/index.ts';
import type { Access } from '../policy/index.ts';
import type { Principal } from '../principals/index.ts';
import { logFrom } from './audit-run.ts';
import { type AccessArguments, accessFrom } from './policy-files.ts';
import { type PrincipalArguments, principalFrom } from './principal-options.ts';

export interface GenerationsArguments {
  index: string;
  json: boolean;
}

export interface KeepArguments extends GenerationsArguments {
  count: number;
}

export interface RollbackArguments extends GenerationsArguments, PrincipalArguments, AccessArguments {
  generation: string | undefined;
  audit: string | undefined;
  auditKey: string | undefined;
}

/** Throws INDEX_UNUSABLE. */
export function runGenerations({ index, json }: GenerationsArguments): string {
  return listed(generationsOf(index), json);
}

/** Throws INDEX_UNUSABLE, INDEX_LOCKED and WRITE_FAILED. */
export function runKeep({ index, count, json }: KeepArguments): string {
  keepGenerations(index, count);
  return listed(generationsOf(index), json);
}

function listed(there: readonly GenerationState[], json: boolean): string {
  if (json) return there.map((state) => toLine({ schema: 'pragaura.generation-state/1', ...state })).join('');
  const rows = there.map(({ generation, hash, documents, passages, from, current }) => [
    generation,
    hash.slice(0, 12),
    `since ${from}`,
    `${documents} documents, ${passages} passages`,
    current ? 'current' : '',
  ]);
  return `${columns(rows, () => true)
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
}

/** Throws as `rollBack`, NOT_PERMITTED, and as log, policy and principals do. */
export async function runRollback(args: RollbackArguments): Promise<string> {
  const { index, generation, json } = args;
  const access = accessFrom(args);
  const log = await logFrom(args);
  try {
    const principal = await principalFrom(args, log);
    const { clearance: _, ...by } = principal;
    const target = targetOf(index, generation);
    const about = target.generation;
    const detail = { to: target.hash, policy: access?.policy.version ?? null };
    try {
      if (access !== null) await mustBeAllowed(access, principal, index, about);
    } catch (error) {
      await log?.append({ kind: 'generation.refused', by, about, detail });
      throw error;
    }
    await log?.append({ kind: 'generation.rollback', by, about, detail });
    const began = performance.now();
    const done = rollBack(index, about);
    const ms = Math.round(performance.now() - began);
    await log?.append({ kind: 'generation.current', by, about, detail: { ...detail, from: done.from.hash } });
    if (json) return toLine({ schema: 'pragaura.rollback/1', ...done, ms });
    const hash = done.to.hash.slice(0, 12);
    return `${done.to.generation} (${hash}) is the index now, ${done.from.generation} is kept; ${ms} ms.\n`;
  } finally {
    await log?.close();
  }
}

/** What `rollBack` would go to; that it can is said by `rollBack` itself. */
function targetOf(index: string, asked: string | undefined): Pick<GenerationState, 'generation' | 'hash'> {
  const there = generationsOf(index);
  if (asked === undefined && there[1] !== undefined) return there[1];
  const name = asked === undefined ? undefined : generationAsOf(index, asked);
  return (
    there.find(({ generation }) => generation === name) ?? { generation: asked ?? 'the one before', hash: '' }
  );
}

/** Every document that is not the same in both. Throws NOT_PERMITTED, which names none of them. */
async function mustBeAllowed(
  { policy, labels }: Access,
  principal: Principal,
  index: string,
  to: string,
): Promise<void> {
  const hashes = async (asOf?: string) =>
    new Map(
      (await openIndex(index, asOf)).documents.map(({ docId, hash, source }) => [docId, { hash, source }]),
    );
  const [now, then] = [await hashes(), await hashes(to)];
  const changed = [...new Map([...now, ...then])].filter(
    ([docId]) => now.get(docId)?.hash !== then.get(docId)?.hash,
  );
  const at = new Date();
  const denied = changed.filter(([docId, { source }]) => {
    const document = labels(docId, source.split('#')[0]);
    return !policy.allows(principal, 'rollback', { document }, at).allowed;
  });
  if (denied.length === 0) return;
  throw new PragauraError(
    'NOT_PERMITTED',
    `The policy does not let ${principal.id} take back ${denied.length} of ${changed.length} changed documents.`,
    { hint: 'It would have to permit the action "rollback".' },
  );
}
