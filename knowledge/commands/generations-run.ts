import { columns, PragauraError, toLine } from '../../common/index.ts';
import {
  type GenerationState,
  generationAsOf,
  generationsOf,
  keepGenerations,
  openIndex,
  rollBack,
} from '../../corpus/index.ts';
import { type Access, fileOf, type Principal } from '../../governance/index.ts';
import { changedBetween } from '../applying/verification.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { type GovernedArguments, withKnowledge } from './opening.ts';

export interface GenerationsArguments {
  index: string;
  json: boolean;
}

export interface KeepArguments extends GenerationsArguments {
  count: number;
}

export interface RollbackArguments extends GovernedArguments {
  generation: string | undefined;
  ticket: number | undefined;
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

/** Throws as `rollBack`, NOT_PERMITTED, USAGE, CONFLICT for a ticket that is not the last update, and as `withKnowledge`. */
export async function runRollback(args: RollbackArguments): Promise<string> {
  const { index, json } = args;
  return withKnowledge(args, async ({ knowledge, principal, access, log }) => {
    const { clearance: _, ...by } = principal;
    const asked =
      args.ticket === undefined ? args.generation : before(knowledge.ticket(principal, args.ticket), args);
    const target = targetOf(index, asked);
    const about = target.generation;
    const detail = { to: target.hash, policy: access?.policy.version ?? null };
    try {
      if (access !== null) await mustBeAllowed(access, principal, index, about);
    } catch (error) {
      await log.append({ kind: 'generation.refused', by, about, detail });
      throw error;
    }
    await log.append({ kind: 'generation.rollback', by, about, detail });
    const began = performance.now();
    const done = rollBack(index, about);
    const ms = Math.round(performance.now() - began);
    await log.append({ kind: 'generation.current', by, about, detail: { ...detail, from: done.from.hash } });
    const tickets = (await knowledge.settle(principal)).map(({ id, state }) => ({ id, state }));
    if (json) return toLine({ schema: 'pragaura.rollback/1', ...done, tickets, ms });
    const hash = done.to.hash.slice(0, 12);
    return [
      `${done.to.generation} (${hash}) is the index now, ${done.from.generation} is kept; ${ms} ms.`,
      ...tickets.map(({ id, state }) => `Ticket ${id} is ${state}.`),
      '',
    ].join('\n');
  });
}

/** The index before what a ticket brought. */
function before({ id, state, implemented }: Ticket, { index, generation }: RollbackArguments): string {
  if (generation !== undefined) throw new PragauraError('USAGE', 'Name a generation or a ticket, not both.');
  if (state !== 'IMPLEMENTED' || generationsOf(index)[0]!.hash !== implemented!.index) {
    throw new PragauraError('CONFLICT', `Ticket ${id} is ${state}, and not the last update of the index.`, {
      hint: 'Propose the text that stood there before, or go back to a generation by its name.',
    });
  }
  return implemented!.base;
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
  const [now, then] = [await openIndex(index), await openIndex(index, to)];
  const sources = new Map([...now.documents, ...then.documents].map(({ docId, source }) => [docId, source]));
  const changed = changedBetween(now, then);
  const at = new Date();
  const denied = changed.filter((docId) => {
    const document = labels(docId, fileOf({ source: sources.get(docId)! }));
    return !policy.allows(principal, 'rollback', { document }, at).allowed;
  });
  if (denied.length === 0) return;
  throw new PragauraError(
    'NOT_PERMITTED',
    `The policy does not let ${principal.id} take back ${denied.length} of ${changed.length} changed documents.`,
    { hint: 'It would have to permit the action "rollback".' },
  );
}
