import { columns, PragauraError, toLine } from '../../common/index.ts';
import { type GenerationState, generationsOf, keepGenerations } from '../../corpus/index.ts';
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

/** Throws as `Knowledge.rollBack`, USAGE, and as `withKnowledge`. */
export async function runRollback(args: RollbackArguments): Promise<string> {
  const { generation, ticket } = args;
  if (generation !== undefined && ticket !== undefined) {
    throw new PragauraError('USAGE', 'Name a generation or a ticket, not both.');
  }
  return withKnowledge(args, async ({ knowledge, principal }) => {
    const began = performance.now();
    const done = await knowledge.rollBack(principal, ticket === undefined ? { generation } : { ticket });
    const ms = Math.round(performance.now() - began);
    const tickets = done.tickets.map(({ id, state }) => ({ id, state }));
    if (args.json) return toLine({ schema: 'pragaura.rollback/1', ...done, tickets, ms });
    const hash = done.to.hash.slice(0, 12);
    return [
      `${done.to.generation} (${hash}) is the index now, ${done.from.generation} is kept; ${ms} ms.`,
      ...tickets.map(({ id, state }) => `Ticket ${id} is ${state}.`),
      '',
    ].join('\n');
  });
}
