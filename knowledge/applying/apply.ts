/** From an approved ticket to the index, so that it can be killed anywhere and goes on. */
import { PragauraError } from '../../common/index.ts';
import {
  type CorpusIndex,
  discardStaged,
  generationsOf,
  noteReviewed,
  openIndex,
  promote,
} from '../../corpus/index.ts';
import type { Principal } from '../../governance/index.ts';
import { differencesOf } from '../assessing/differences.ts';
import { type Canary, replay, strayOf } from '../assessing/replay.ts';
import type { TicketRecord } from '../tickets/record.ts';
import { type Ticket, touched } from '../tickets/ticket.ts';
import { asking, isFresh, stage, statesIn, type Workplace } from './staging.ts';
import { notFound, passagesBetween, strayDocuments } from './verification.ts';

/** The lock of `applying` is held by the caller, and whoever it is may apply. Throws as `Knowledge.apply`. */
export async function apply(
  workplace: Workplace,
  record: TicketRecord,
  principal: Principal,
  approved: Ticket,
  canaries: readonly Canary[],
): Promise<Ticket> {
  const { index } = workplace;
  const take = (ticket: Ticket, step: Parameters<TicketRecord['step']>[2], change = {}) =>
    record.step(principal, ticket, step, change);
  const failed = async (ticket: Ticket, problems: readonly string[]): Promise<never> => {
    const trouble = problems.join('; ');
    await take(ticket, 'fail', { trouble, approvals: [], staged: null });
    discardStaged(index);
    throw new PragauraError('CONFLICT', `Ticket ${ticket.id} was not applied: ${trouble}.`, {
      hint: 'The index is as it was. "pragaura knowledge triage" measures anew; then it has to be approved again.',
    });
  };
  const conflict = async (ticket: Ticket): Promise<never> => {
    await take(ticket, 'conflict', { staged: null });
    throw movedOn(ticket);
  };

  let ticket = approved;
  let now = await openIndex(index);
  let then: CorpusIndex | undefined;
  if (ticket.state === 'VERIFYING') {
    const { hash, base } = ticket.staged!;
    // Killed after the index had become that one, and before that was noted.
    if (wasIndex(index, hash)) return implemented(workplace, record, principal, ticket);
    const there = now.manifest.hash === base && (await opens(index, ticket));
    if (!there) ticket = await take(ticket, 'restage');
  } else if (!isFresh(now, ticket)) {
    return conflict(ticket);
  } else if (ticket.state !== 'APPLYING') {
    ticket = await take(ticket, 'apply');
  }
  if (ticket.state === 'APPLYING') {
    const { problems, ...staged } = await stage(workplace, ticket);
    if (problems.length > 0) return failed(ticket, problems);
    // What was staged was staged on the index as it was then.
    if (generationsOf(index)[0]!.hash !== now.manifest.hash) now = await openIndex(index);
    if (!isFresh(now, ticket)) return conflict(ticket);
    then = await openIndex(index, staged.generation);
    const passages = passagesBetween(now, then);
    ticket = await take(ticket, 'stage', { staged: { ...staged, base: now.manifest.hash, ...passages } });
  }
  const { generation, base } = ticket.staged!;
  then ??= await openIndex(index, generation);
  const problems = await verify(workplace, ticket, canaries, now, then);
  if (problems.length > 0) return failed(ticket, problems);
  noteReviewed(index, ticket.id, statesIn(then, touched(ticket)));
  promote(index, generation, base, record.now());
  return implemented(workplace, record, principal, ticket, then);
}

export function movedOn({ id }: Ticket): PragauraError {
  return new PragauraError(
    'CONFLICT',
    `Somebody else changed the documents of ticket ${id} since it was proposed.`,
    {
      hint: `Its proposer can give it a text for what stands there now: pragaura knowledge propose FILE --ticket ${id}`,
    },
  );
}

async function implemented(
  { index }: Workplace,
  record: TicketRecord,
  principal: Principal,
  ticket: Ticket,
  opened?: Pick<CorpusIndex, 'documents'>,
): Promise<Ticket> {
  const { generation, hash, base, come, gone } = ticket.staged!;
  const documents = statesIn(opened ?? (await openIndex(index, generation)), touched(ticket));
  return record.step(principal, ticket, 'implement', {
    implemented: { at: record.now().toISOString(), index: hash, base, documents, come, gone, ended: null },
    staged: null,
    trouble: null,
  });
}

/** Whether a generation of this hash is the index, or was and is kept. One that is staged is neither. */
function wasIndex(index: string, hash: string): boolean {
  return generationsOf(index).some((each) => each.hash === hash);
}

/** Whether the generation that was staged is still there, whole. */
async function opens(index: string, { staged }: Ticket): Promise<boolean> {
  try {
    return (await openIndex(index, staged!.generation)).manifest.hash === staged!.hash;
  } catch (error) {
    if (PragauraError.isInstance(error)) return false;
    throw error;
  }
}

/** What speaks against making the staged generation the index. */
async function verify(
  workplace: Workplace,
  ticket: Ticket,
  canaries: readonly Canary[],
  now: CorpusIndex,
  then: CorpusIndex,
): Promise<string[]> {
  const stray = strayDocuments(ticket, now, then);
  if (stray.length > 0) return stray;
  const differences = await differencesOf(workplace.store, ticket, now);
  const approved = ticket.assessment?.changed ?? [];
  return asking(workplace, ticket.staged!.generation, canaries.length > 0, async (after, before) => [
    ...(await notFound(differences, after)),
    ...(before === null ? [] : strayOf(await replay(canaries, before, after), approved)),
  ]);
}

/** Takes out what a ticket put, where it still stands so, as a generation of its own. Throws as `apply`. */
export async function end(
  workplace: Workplace,
  record: TicketRecord,
  principal: Principal,
  ticket: Ticket,
): Promise<Ticket> {
  const { index } = workplace;
  const put = ticket.implemented!.documents.filter(({ hash }) => hash !== null);
  const now = await openIndex(index);
  const there = statesIn(
    now,
    put.map(({ id }) => id),
  );
  // What was changed since has another validity.
  const ending = put.filter(({ hash }, i) => there[i]!.hash === hash).map(({ id }) => id);
  const from = now.manifest.hash;
  await record.note('ticket.ending', principal, String(ticket.id), { documents: ending, index: from });
  if (ending.length > 0) {
    const { generation, hash } = await stage(workplace, { put: [], remove: ending });
    noteReviewed(
      index,
      ticket.id,
      ending.map((id) => ({ id, hash: null })),
    );
    promote(index, generation, from, record.now());
    await record.note('generation.current', principal, generation, { from, to: hash });
  }
  const ended = record.now().toISOString();
  return record.step(principal, ticket, 'end', { implemented: { ...ticket.implemented!, ended } });
}
