/** Which generation of an index somebody wants back. */
import { PragauraError } from '../../common/index.ts';
import { type GenerationState, generationAsOf, generationsOf } from '../../corpus/index.ts';
import type { Ticket } from '../tickets/ticket.ts';

/** What was the index, what is it now, and the tickets that are in it no more, or again. */
export interface RolledBack {
  from: GenerationState;
  to: GenerationState;
  tickets: Ticket[];
}

/** Hash of the index before what a ticket brought. Throws CONFLICT where it is not the last update. */
export function hashBefore(index: string, { id, state, implemented }: Ticket): string {
  if (state !== 'IMPLEMENTED' || generationsOf(index)[0]!.hash !== implemented!.index) {
    throw new PragauraError('CONFLICT', `Ticket ${id} is ${state}, and not the last update of the index.`, {
      hint: 'Propose the text that stood there before, or go back to a generation by its name.',
    });
  }
  return implemented!.base;
}

/** What `rollBack` would go to; that it can is said by `rollBack` itself. */
export function targetOf(
  index: string,
  asked: string | undefined,
): Pick<GenerationState, 'generation' | 'hash'> {
  const there = generationsOf(index);
  if (asked === undefined && there[1] !== undefined) return there[1];
  const name = asked === undefined ? undefined : generationAsOf(index, asked);
  return (
    there.find(({ generation }) => generation === name) ?? { generation: asked ?? 'the one before', hash: '' }
  );
}
