import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { ScorerArguments } from '../../cli/index.ts';
import { isSystemError, PragauraError, say, systemReason, toLine } from '../../common/index.ts';
import type { Principal } from '../../governance/index.ts';
import { Decision } from '../../router/index.ts';
import { type Canary, parseCanary } from '../assessing/replay.ts';
import type { Knowledge } from '../knowledge.ts';
import { PROPOSAL_BOUNDS } from '../tickets/proposal.ts';
import { STATES, type TicketState } from '../tickets/states.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { type GovernedArguments, withKnowledge } from './opening.ts';
import { differenceText, listText, passagesText, ticketText } from './tickets-text.ts';

type Arguments = GovernedArguments & ScorerArguments;

export interface ProposeArguments extends GovernedArguments {
  files: string[];
  as: string | undefined;
  remove: string[] | undefined;
  claim: string | undefined;
  decision: string | undefined;
  about: string[] | undefined;
  proof: string[] | undefined;
  validFrom: string | undefined;
  validTo: string | undefined;
  ticket: number | undefined;
  draft: boolean;
}

export interface TicketArguments extends Arguments {
  id: number;
}

export interface PassagesArguments extends GovernedArguments {
  document: string;
}

export interface ReviewArguments extends TicketArguments {
  approve: boolean;
  reject: boolean;
  because: string | undefined;
}

export interface ListArguments extends GovernedArguments {
  state: string[] | undefined;
}

export interface TriageArguments extends TicketArguments {
  questions: string | undefined;
}

export interface ScheduleArguments extends TicketArguments {
  at: string;
}

export interface ApplyArguments extends Arguments {
  id: number | undefined;
  due: boolean;
}

export interface CanariesArguments extends GovernedArguments {
  file: string | undefined;
}

export interface ApprovalsArguments extends GovernedArguments {
  count: number | undefined;
}

const shown = ({ json }: GovernedArguments, knowledge: Knowledge, ticket: Ticket) =>
  json ? toLine(ticket) : ticketText(ticket, knowledge.approvals);

/** What comes next, for whoever did the last step. On standard error, on a terminal too. */
const NEXT: Partial<Record<TicketState, string>> = {
  DRAFT: 'It is a draft: "pragaura knowledge submit" asks others to look at it.',
  SUBMITTED: 'Somebody who may review it measures what it would do: "pragaura knowledge triage".',
  TRIAGED: 'Others than the proposer approve or reject it: "pragaura knowledge review".',
  APPROVED: 'It can be applied: "pragaura knowledge apply".',
};

function told(args: GovernedArguments, knowledge: Knowledge, ticket: Ticket): string {
  const next = NEXT[ticket.state];
  if (next !== undefined && !args.json) say(`Ticket ${ticket.id} is ${ticket.state}. ${next}`);
  return shown(args, knowledge, ticket);
}

/** Throws as `Knowledge.propose`, NOT_FOUND for files that cannot be read, USAGE for names and moments that are none. */
export async function runPropose(args: ProposeArguments): Promise<string> {
  const { files, as, remove = [], proof = [], ticket: id, draft } = args;
  const heard = args.decision === undefined ? null : claimIn(await decisionText(args.decision));
  const about = args.about ?? heard?.about ?? [];
  if (as !== undefined && files.length !== 1) {
    throw new PragauraError('USAGE', '--as is the name of one file that is proposed.');
  }
  const put = files.map((file) => ({ id: as ?? nameOf(file), bytes: bytesOf(file) }));
  const proofs = proof.map((file) => ({ name: path.basename(file), bytes: bytesOf(file) }));
  return withKnowledge(args, async ({ knowledge, principal }) => {
    const said = args.claim ?? heard?.claim;
    const claim = said ?? (id === undefined ? undefined : knowledge.ticket(principal, id).claim);
    if (claim === undefined) {
      throw new PragauraError('USAGE', 'What is so? Say it in a sentence: --claim "…".');
    }
    const proposal = {
      ...{ claim, put, remove, proof: proofs, about },
      ...(heard !== null && { from: 'conversation' as const }),
      validFrom: momentOf('valid-from', args.validFrom),
      validTo: momentOf('valid-to', args.validTo),
    };
    const ticket =
      id === undefined
        ? await knowledge.propose(principal, proposal)
        : await knowledge.amend(principal, id, proposal);
    const ready = !draft && put.length + remove.length > 0;
    return told(args, knowledge, ready ? await knowledge.submit(principal, ticket.id) : ticket);
  });
}

async function decisionText(file: string): Promise<string> {
  // To yargs "-" is the empty text.
  if (file !== '' && file !== '-') return Buffer.from(bytesOf(file)).toString('utf8');
  const { text } = await import('node:stream/consumers');
  return text(process.stdin);
}

/** What a decision says was claimed, and the documents that it quotes or shows. Throws INVALID_INPUT. */
function claimIn(text: string): { claim: string; about: string[] } {
  let decision: Decision | null = null;
  try {
    decision = Decision.parse(JSON.parse(text));
  } catch {}
  if (decision?.claim === undefined) {
    const what = decision === null ? 'That is no decision' : 'The decision is on no claim';
    throw new PragauraError('INVALID_INPUT', `${what}.`, {
      hint: 'Give what "pragaura ask --json" prints for a statement, for example "The deadline has moved to May 3."',
    });
  }
  const { claim, answer, evidence } = decision;
  const shown = answer === undefined ? evidence.slice(0, 1) : answer.quotes;
  return { claim, about: [...new Set(shown.map(({ docId }) => docId))] };
}

/** The id that `pragaura index` would give it, where the path says so. */
function nameOf(file: string): string {
  if (!path.isAbsolute(file) && !file.startsWith('..')) return file.split(path.sep).join('/');
  throw new PragauraError('USAGE', `What is ${file} called in the index? Say --as ID.`, {
    hint: 'For example --as docs/deadline.md; "pragaura retrieve" shows ids.',
  });
}

function bytesOf(file: string): Uint8Array {
  try {
    const { size } = statSync(file);
    // Looked at before it is read: what is too long is not read at all.
    if (size <= PROPOSAL_BOUNDS.bytes) return readFileSync(file);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new PragauraError('NOT_FOUND', `${file} cannot be read: ${systemReason(error)}.`, { cause: error });
  }
  const most = PROPOSAL_BOUNDS.bytes / 1024 / 1024;
  throw new PragauraError('INVALID_INPUT', `${file} has more than ${most} MiB.`, {
    hint: 'Large collections are indexed, not proposed: "pragaura index".',
  });
}

function momentOf(option: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const moment = new Date(text);
  if (!Number.isNaN(moment.getTime())) return moment;
  throw new PragauraError('USAGE', `--${option} takes a day or a moment, not "${text}".`, {
    hint: 'For example 2027-01-31 or 2027-01-31T18:00:00Z.',
  });
}

export async function runSubmit(args: TicketArguments): Promise<string> {
  return step(args, (knowledge, principal) => knowledge.submit(principal, args.id));
}

export async function runWithdraw(args: TicketArguments): Promise<string> {
  return step(args, (knowledge, principal) => knowledge.withdraw(principal, args.id));
}

export async function runShow(args: TicketArguments): Promise<string> {
  return withKnowledge(args, async ({ knowledge, principal }) =>
    shown(args, knowledge, knowledge.ticket(principal, args.id)),
  );
}

export async function runList(args: ListArguments): Promise<string> {
  const states = args.state?.map((name) => {
    const state = STATES.find((each) => each === name.toUpperCase());
    if (state !== undefined) return state;
    throw new PragauraError('USAGE', `There is no state "${name}".`, {
      hint: `There are ${STATES.join(', ')}.`,
    });
  });
  return withKnowledge(args, async ({ knowledge, principal }) => {
    const tickets = knowledge.tickets(principal, states);
    return args.json ? tickets.map(toLine).join('') : listText(tickets);
  });
}

export async function runDiff(args: TicketArguments): Promise<string> {
  return withKnowledge(args, async ({ knowledge, principal }) => {
    const differences = await knowledge.differences(principal, args.id);
    if (!args.json) return differenceText(differences);
    return differences.map((each) => toLine({ schema: 'pragaura.difference/1', ...each })).join('');
  });
}

/** Throws as `Knowledge.passages`. */
export async function runPassages(args: PassagesArguments): Promise<string> {
  return withKnowledge(args, async ({ knowledge, principal }) => {
    const passages = await knowledge.passages(principal, args.document);
    if (!args.json) return passagesText(passages);
    const own = { schema: 'pragaura.passage-provenance/1', docId: args.document };
    return passages.map((each) => toLine({ ...own, ...each })).join('');
  });
}

export async function runTriage(args: TriageArguments): Promise<string> {
  const questions = args.questions === undefined ? [] : canariesOf(args.questions);
  return step(args, (knowledge, principal) => knowledge.triage(principal, args.id, questions));
}

export async function runReview(args: ReviewArguments): Promise<string> {
  const { approve, reject, id, because = '' } = args;
  if (approve === reject) throw new PragauraError('USAGE', 'Say --approve or --reject.');
  if (reject && because.trim() === '') throw new PragauraError('USAGE', 'Why? Say --because "…".');
  return step(args, (knowledge, principal) =>
    approve ? knowledge.approve(principal, id, because) : knowledge.reject(principal, id, because),
  );
}

export async function runSchedule(args: ScheduleArguments): Promise<string> {
  const at = momentOf('at', args.at)!;
  return step(args, (knowledge, principal) => knowledge.schedule(principal, args.id, at));
}

/** Throws as `Knowledge.apply` for one that is named. Of those that are due the first problem is thrown once all were tried. */
export async function runApply(args: ApplyArguments): Promise<string> {
  const { id, due } = args;
  if ((id === undefined) !== due) throw new PragauraError('USAGE', 'Name one ticket, or say --due.');
  if (id !== undefined) return step(args, (knowledge, principal) => knowledge.apply(principal, id));
  return withKnowledge(args, async ({ knowledge, principal }) => {
    const done = await knowledge.applyDue(principal);
    const failed = done.find(({ error }) => error !== null);
    const text = args.json
      ? done.map(({ ticket }) => toLine(ticket)).join('')
      : listText(done.map(({ ticket }) => ticket));
    if (failed === undefined) return text;
    process.stdout.write(text);
    throw failed.error;
  });
}

async function step(
  args: Arguments,
  work: (knowledge: Knowledge, principal: Principal) => Promise<Ticket>,
): Promise<string> {
  return withKnowledge(args, async ({ knowledge, principal }) =>
    told(args, knowledge, await work(knowledge, principal)),
  );
}

/** Throws NOT_FOUND, and INVALID_INPUT with the line that does not fit. */
function canariesOf(file: string): Canary[] {
  const lines = Buffer.from(bytesOf(file)).toString('utf8').split('\n');
  return lines.flatMap((line, i) => {
    if (line.trim() === '') return [];
    try {
      return [parseCanary(JSON.parse(line), i + 1)];
    } catch (error) {
      const why = PragauraError.isInstance(error) ? error.message : 'is no JSON';
      throw new PragauraError('INVALID_INPUT', `${file}, line ${i + 1}: ${why}`, {
        hint: 'A line is {"id": "deadline", "query": "When is the deadline?", "expect": {"docId": "docs/deadline.md"}}',
        cause: error,
      });
    }
  });
}

export async function runCanaries(args: CanariesArguments): Promise<string> {
  const given = args.file === undefined ? null : canariesOf(args.file);
  return withKnowledge(args, async ({ knowledge, principal }) => {
    if (given !== null) await knowledge.watch(principal, given);
    return (await knowledge.canaries(principal)).map(toLine).join('');
  });
}

export async function runApprovals(args: ApprovalsArguments): Promise<string> {
  return withKnowledge(args, async ({ knowledge, principal }) => {
    if (args.count !== undefined) await knowledge.requireApprovals(principal, args.count);
    return `${knowledge.approvals}\n`;
  });
}
