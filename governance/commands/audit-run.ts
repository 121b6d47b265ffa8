import type { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { columns, EXIT, messageOf, PragauraError, plainLine } from '../../common/index.ts';
import { openIndex } from '../../corpus/index.ts';
import type { Decision } from '../../router/index.ts';
import {
  AuditLog,
  type AuditReport,
  decisionHash,
  Entry,
  type IndexChange,
  indexChange,
  problemOf,
  type ReplayReport,
  rawLines,
  readCheckpoint,
  recoverLog,
  replayChanges,
  verifyLog,
} from '../audit/index.ts';
import { ensureSigningKey, pemOf, readPublicKey, readSigningKey } from '../keys.ts';
import { localActor } from '../principals/index.ts';

export interface AuditArguments {
  audit: string;
  auditKey: string | undefined;
}

/** Beside the log where none is named. */
export const keyFile = ({ audit, auditKey }: AuditArguments) => auditKey ?? `${audit}.key`;

/** The log of `--audit`, begun where there is none; null where nobody named one. Throws as `AuditLog.open`. */
export async function logFrom({
  audit,
  auditKey,
}: {
  audit: string | undefined;
  auditKey: string | undefined;
}): Promise<AuditLog | null> {
  if (audit === undefined) return null;
  return AuditLog.open({ file: audit, key: ensureSigningKey(keyFile({ audit, auditKey })) });
}

export async function runVerify(
  args: AuditArguments & { publicKey: string | undefined; checkpoint: string[] | undefined; json: boolean },
): Promise<{ text: string; exitCode: number }> {
  const report = await verifyLog(args.audit, {
    ...(args.publicKey !== undefined && { key: readPublicKey(args.publicKey) }),
    checkpoints: await Promise.all((args.checkpoint ?? []).map(readCheckpoint)),
  });
  const text = args.json ? `${JSON.stringify(report)}\n` : asText(report);
  return { text, exitCode: report.verdict === 'whole' ? EXIT.OK : EXIT.FAILED };
}

const VERDICTS = {
  whole: 'Whole: every event is there, unchanged and in order',
  cut: 'Cut, as by a crash ("pragaura audit recover" mends that)',
  tampered: 'TAMPERED WITH',
};

function asText(report: AuditReport): string {
  const rows = [
    ['log', report.log ?? '-'],
    ['events', String(report.events)],
    ['signed up to', report.seal === null ? 'nothing' : `line ${report.seal.seq + 1}, ${report.seal.at}`],
    ['key', `${report.key ?? '-'} (${report.keyFrom === 'given' ? 'given' : "the log's own word"})`],
    [
      'checkpoints',
      report.checkpoints === 0 ? 'none: that it was shortened would not be seen' : String(report.checkpoints),
    ],
    ...(report.clockBackwards > 0 ? [['clock', `went back ${report.clockBackwards} times`]] : []),
  ];
  const problem = report.problem === null ? '' : `: ${problemOf(report)}`;
  return `${VERDICTS[report.verdict]}${plainLine(problem)}.\n${columns(rows, () => true).join('\n')}\n`;
}

/** Opens a log, once `each` was given its lines. Throws AUDIT_UNUSABLE for one that is not whole, and NOT_FOUND. */
export async function mustBeWhole(args: AuditArguments, each?: (line: Buffer) => void): Promise<AuditLog> {
  const key = readSigningKey(keyFile(args));
  const report = await verifyLog(args.audit, { key, ...(each && { each }) });
  if (report.verdict !== 'whole') {
    throw new PragauraError('AUDIT_UNUSABLE', `${args.audit} is not whole: ${problemOf(report)}.`, {
      hint: '"pragaura audit verify" says more.',
    });
  }
  return AuditLog.open({ file: args.audit, key });
}

/** The events of a log, as lines. What was changed since it was verified is not looked for again. */
async function* eventsOf(file: string): AsyncGenerator<{ line: string; entry: Entry & { type: 'event' } }> {
  for await (const { bytes } of rawLines(file)) {
    const line = bytes.toString('utf8');
    const entry = Entry.parse(JSON.parse(line));
    if (entry.type === 'event') yield { line: `${line}\n`, entry };
  }
}

/** Throws as `mustBeWhole` does, AUDIT_FAILED, and USAGE for a moment that is none. */
export async function* exported(
  args: AuditArguments & { kind: string | undefined; since: string | undefined },
): AsyncGenerator<string> {
  const since = args.since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(args.since);
  if (Number.isNaN(since)) throw new PragauraError('USAGE', `--since takes a moment, not "${args.since}".`);
  const log = await mustBeWhole(args);
  const detail = { kind: args.kind ?? null, since: args.since ?? null };
  const last = await log.append({ kind: 'log.exported', by: localActor(), about: '', detail });
  for await (const { line, entry } of eventsOf(args.audit)) {
    if (entry.seq > last) return;
    if ((args.kind ?? entry.event.kind) === entry.event.kind && Date.parse(entry.at) >= since) yield line;
  }
}

/**
 * Events about a decision, by its id or, of one that was given out, by its hash; then those of the tickets that brought what it
 * quotes. Throws as `exported`, and INVALID_INPUT.
 */
export async function traced(
  args: AuditArguments & { decision: string | undefined },
  stdin: Readable,
): Promise<string[]> {
  // To yargs "-" is the empty text.
  const given = (args.decision ?? '') === '' ? decisionFrom(await textOf(stdin)) : null;
  const about = given?.id ?? args.decision!;
  const hash = given === null ? null : decisionHash(given);
  const log = await mustBeWhole(args);
  const found: string[] = [];
  const brought = new Map<string, string>();
  const tickets = new Set<string>();
  for await (const { line, entry } of eventsOf(args.audit)) {
    const { event } = entry;
    for (const { id } of indexChange(entry)?.documents ?? []) brought.set(id, event.about);
    if (
      event.about === about &&
      event.kind.startsWith('decision.') &&
      (hash === null || event.detail.decision === hash)
    ) {
      found.push(line);
      for (const docId of quotedIn(event.detail)) {
        const ticket = brought.get(docId);
        if (ticket !== undefined) tickets.add(ticket);
      }
    }
  }
  const decisions = found.length;
  for await (const { line, entry } of eventsOf(args.audit)) {
    const { kind, about: ticket } = entry.event;
    if (tickets.size > 0 && kind.startsWith('ticket.') && tickets.has(ticket)) found.push(line);
  }
  await log.append({ kind: 'log.traced', by: localActor(), about, detail: { found: decisions } });
  return found;
}

/** Ids of the documents that a decision quotes, as the log has it. */
function quotedIn({ quotes }: { quotes?: unknown }): string[] {
  return Array.isArray(quotes) ? quotes.map(({ docId }: { docId: string }) => docId) : [];
}

/** Whether an index is what the log says became of it. Throws as `mustBeWhole`, and INDEX_UNUSABLE. */
export async function runReplay(
  args: AuditArguments & { index: string; json: boolean },
): Promise<{ text: string; exitCode: number }> {
  const log = await mustBeWhole(args);
  await log.close();
  const changes: IndexChange[] = [];
  for await (const { entry } of eventsOf(args.audit)) {
    const change = indexChange(entry);
    if (change !== null) changes.push(change);
  }
  const { manifest, documents } = await openIndex(args.index);
  const report = replayChanges(changes, { hash: manifest.hash, documents });
  const text = args.json ? `${JSON.stringify(report)}\n` : replayText(report);
  return { text, exitCode: report.verdict === 'as logged' ? EXIT.OK : EXIT.FAILED };
}

function replayText({ verdict, changes, logged, found, gaps, documents }: ReplayReport): string {
  const said = {
    'as logged': 'The index is what the log says',
    otherwise: 'THE INDEX IS NOT WHAT THE LOG SAYS',
    'nothing logged': 'The log says nothing of changes of an index',
  };
  const rows = [
    ['changes', String(changes)],
    ['by the log', logged ?? '-'],
    ['it is', found],
    ...(gaps.length === 0
      ? []
      : [['changed outside the log', `before ${gaps.map((seq) => `line ${seq + 1}`).join(', ')}`]]),
    ...documents.map(({ id, ticket }) => ['otherwise than ticket', `${ticket} left it: ${plainLine(id)}`]),
  ];
  return `${said[verdict]}.\n${columns(rows, () => true).join('\n')}\n`;
}

function decisionFrom(text: string): Decision {
  try {
    const decision = JSON.parse(text) as Decision;
    if (typeof decision.id === 'string' && decision.schema.startsWith('pragaura.decision/')) return decision;
  } catch (error) {
    throw new PragauraError('INVALID_INPUT', `Standard input holds no decision: ${messageOf(error)}`, {
      hint: 'It is one line of "pragaura route" or of "pragaura ask --json".',
      cause: error,
    });
  }
  throw new PragauraError('INVALID_INPUT', 'Standard input holds no decision.', {
    hint: 'It is one line of "pragaura route" or of "pragaura ask --json".',
  });
}

export async function runCheckpoint(args: AuditArguments): Promise<string> {
  // A whole log ends with a seal.
  let last = '';
  const report = await verifyLog(args.audit, {
    each: (line) => {
      last = `${line.toString('utf8')}\n`;
    },
  });
  if (report.verdict === 'whole') return last;
  throw new PragauraError('AUDIT_UNUSABLE', `${args.audit} is not whole: ${problemOf(report)}.`, {
    hint: 'A checkpoint of it would vouch for what is wrong.',
  });
}

export function runKeys(args: AuditArguments, stderr: { write(text: string): unknown }): string {
  const key = ensureSigningKey(keyFile(args));
  stderr.write(`pragaura: fingerprint ${key.fingerprint}\n`);
  return pemOf(key);
}

export async function runRecover(args: AuditArguments): Promise<string> {
  const { bytes, kept } = await recoverLog(args.audit, readSigningKey(keyFile(args)), localActor());
  if (bytes === 0) return 'Nothing to mend.\n';
  return `${bytes} bytes without a seal were taken off${kept === null ? '' : ` and lie in ${kept}`}.\n`;
}
