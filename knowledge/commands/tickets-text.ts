/** Tickets for people. */
import { columns, plainLine as line, list, plain } from '../../common/index.ts';
import type { Difference } from '../assessing/difference.ts';
import type { PassageProvenance } from '../assessing/provenance.ts';
import { type Assessment, type Outcome, type Ticket, touched } from '../tickets/ticket.ts';

export function listText(tickets: readonly Ticket[]): string {
  if (tickets.length === 0) return 'There is no ticket.\n';
  const rows = tickets.map((ticket) => [
    String(ticket.id),
    ticket.state,
    `by ${line(ticket.proposer.id)}`,
    line(ticket.claim).slice(0, 100),
  ]);
  return `${columns(rows, (column) => column > 0)
    .map((row) => row.trimEnd())
    .join('\n')}\n`;
}

export function ticketText(ticket: Ticket, approvals: number): string {
  const { id, state, claim, proposer, put, remove, proof, validFrom, validTo, rejected, assessment } = ticket;
  const rows = [
    ['claim', line(claim)],
    [
      'proposed by',
      `${line(proposer.id)}, ${ticket.created}${ticket.from === 'conversation' ? ', out of a conversation' : ''}`,
    ],
    ...put.map(({ name, bytes }) => ['puts', `${line(name)} (${bytes} bytes)`]),
    ...remove.map((docId) => ['takes out', line(docId)]),
    ...(put.length + remove.length === 0 ? touched(ticket).map((docId) => ['is about', line(docId)]) : []),
    ...proof.map(({ name, sha256 }) => ['proof', `${line(name)}, ${sha256.slice(0, 12)}`]),
    ...(validFrom === null ? [] : [['valid from', validFrom]]),
    ...(validTo === null ? [] : [['valid to', validTo]]),
    ...(ticket.approvals.length === 0
      ? []
      : [
          [
            'approved by',
            `${ticket.approvals.map(({ by }) => line(by.id)).join(', ')} (of ${approvals} needed)`,
          ],
        ]),
    ...(rejected === null ? [] : [['rejected by', `${line(rejected.by.id)}: ${line(rejected.because)}`]]),
    ...(ticket.implemented === null
      ? []
      : [['in the index', `${ticket.implemented.index.slice(0, 12)} since ${ticket.implemented.at}`]]),
    ...(ticket.trouble === null ? [] : [['trouble', line(ticket.trouble)]]),
  ] as string[][];
  const history = ticket.history.map(({ step, at, by }) => `  ${at} ${step} by ${line(by.id)}`);
  return [
    `Ticket ${id}: ${state}`,
    ...columns(rows, () => true).map((row) => `  ${row.trimEnd()}`),
    ...(assessment === null ? [] : assessmentLines(assessment)),
    'History',
    ...history,
    '',
  ].join('\n');
}

const figure = (share: number | null) => (share === null ? '-' : share.toFixed(2));

function assessmentLines(assessment: Assessment): string[] {
  const { trust, contradictions, chunks, changed, replayed, problems } = assessment;
  const total = (what: 'pairs' | 'scored') =>
    contradictions.compared.reduce((sum, each) => sum + each[what], 0);
  return [
    `Measured ${assessment.at} by ${line(assessment.by)}`,
    `  trust ${figure(trust.score)} = ${figure(trust.entailment)} (the proof bears the claim out) x ${figure(trust.acceptance)} (of the proposer's are accepted) x ${figure(trust.provenance)} (who that is)`,
    ...trust.unread.map((each) => `  not read: ${line(each)}`),
    `  passages: ${chunks.gone} go, ${chunks.come} come`,
    `  contradictions: ${contradictions.found.length} in ${total('scored')} pairs of a sentence and a passage, of ${total('pairs')} with a cosine of ${contradictions.bound} and more`,
    ...(contradictions.sentencesLeftOut > 0
      ? [`    ${contradictions.sentencesLeftOut} new sentences were not looked at`]
      : []),
    ...contradictions.found
      .slice(0, 10)
      .flatMap(({ sentence, docId, text, contradiction }) => [
        `    ${figure(contradiction)} ${line(docId)}: ${line(text).slice(0, 160)}`,
        `         against: ${line(sentence).slice(0, 160)}`,
      ]),
    `  decisions: ${changed.length} of ${replayed} come out otherwise`,
    ...changed
      .slice(0, 20)
      .flatMap(({ query, before, after }) => [
        `    ${line(query)}`,
        `      now:  ${outcomeText(before)}`,
        `      then: ${outcomeText(after)}`,
      ]),
    ...problems.map((problem) => `  PROBLEM: ${line(problem)}`),
  ];
}

function outcomeText({ action, quotes }: Outcome): string {
  const said = quotes.map(({ docId, text }) => `"${line(text).slice(0, 120)}" (${line(docId)})`);
  return said.length === 0 ? action : `${action} ${said.slice(0, 3).join(', ')}`;
}

const MARKS = { gone: '-', come: '+', context: ' ' } as const;

export function differenceText(differences: readonly Difference[]): string {
  const parts = differences.map(({ docId, lines }) => {
    const shown = lines.map(({ kind, text }) => `${MARKS[kind]} ${plain(text)}`);
    return [`${line(docId)}`, ...(shown.length === 0 ? ['  nothing that a reader sees'] : shown)].join('\n');
  });
  return `${parts.join('\n\n')}\n`;
}

/** A passage a line, with what is known of it below. */
export function passagesText(passages: readonly PassageProvenance[]): string {
  const parts = passages.map((each) => {
    const { hash, status, text, source, ticket, proposer, approvedBy, validFrom, validTo, generations } =
      each;
    const by = approvedBy.length === 0 ? '' : `, approved by ${list(approvedBy.map(line), 'and')}`;
    const where = [
      hash.slice(0, 12),
      ...(source === null ? [] : [line(source)]),
      ticket === null ? 'indexed without a ticket' : `ticket ${ticket} of ${line(proposer!)}${by}`,
      ...(validFrom === null ? [] : [`from ${validFrom}`]),
      ...(validTo === null ? [] : [`until ${validTo}`]),
      ...(generations.length === 0 ? [] : [`in ${generations.join(', ')}`]),
    ];
    return `${status.toUpperCase()}  ${text === null ? '(its words are kept nowhere)' : line(text)}\n  ${where.join('; ')}`;
  });
  return `${parts.join('\n')}\n`;
}
