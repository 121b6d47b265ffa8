/** A process that is killed on the way of a ticket into the index: what is left is the old index or the new one, and goes on. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { builtFile, messageOf, PragauraError, type Random, seededRandom } from '../../common/index.ts';
import { openIndex } from '../../corpus/index.ts';
import { ensureSigningKey, readSigningKey, recoverLog, verifyLog } from '../../governance/index.ts';
import type { Ticket, TicketState } from '../../knowledge/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import { indexOf, openTickets, whenFree, who } from './world.ts';

export interface KillsReport {
  kills: number;
  /** State of the ticket that was under way when its process was killed. */
  states: Partial<Record<TicketState, number>>;
  /** Logs that a kill had cut, and that were mended. */
  cut: number;
  /** Indexes that were neither the old nor the new one, tickets that did not go on, logs that do not hold. */
  torn: string[];
}

/** The document that is changed. */
const DOCUMENT = 'docs/deadline.md';
/** Events of a ticket on its way; the kill comes so long after one of them, in milliseconds, at most. */
const EVENTS = [
  ...['ticket.propose', 'ticket.submit', 'ticket.triage', 'ticket.endorse', 'ticket.approve'],
  ...['ticket.schedule', 'ticket.apply', 'ticket.stage', 'ticket.implement'],
];
const AFTER_MS = 60;
const BOSS = who('boss');

export async function runKills(
  kills: number,
  seed: number,
  scorers: Scorers,
  { signal, told }: { signal: AbortSignal; told: (done: number) => void },
): Promise<KillsReport> {
  const report: KillsReport = { kills, states: {}, cut: 0, torn: [] };
  const folder = await mkdtemp(path.join(tmpdir(), 'pragaura-kills-'));
  try {
    const random = seededRandom(seed);
    const index = await indexOf(folder, scorers);
    const file = path.join(folder, 'audit.log');
    for (let i = 0; i < kills; i += 1) {
      if (signal.aborted) throw new PragauraError('ABORTED', 'Interrupted.');
      const before = await textIn(index);
      if (!(await killOne(index, file, `${seed} ${i}`, random)))
        report.torn.push(`kill ${i}: it ended by itself`);
      const problem = await whatIsLeft(index, file, before, scorers, report).catch(messageOf);
      if (problem !== null) report.torn.push(`kill ${i}: ${problem}`);
      told(i + 1);
    }
    if (kills === 0) return report;
    const { verdict } = await verifyLog(file, { key: readSigningKey(`${file}.key`) });
    if (verdict !== 'whole') report.torn.push(`the log is ${verdict}`);
    return report;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts the process, waits for an event and a while, kills it. False: it was over before. */
async function killOne(index: string, file: string, name: string, random: Random): Promise<boolean> {
  const child = spawn(process.execPath, [builtFile('bench/tickets/killed.js'), index, file, DOCUMENT, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const event = EVENTS[Math.floor(random() * EVENTS.length)]!;
  let rounds = Math.floor(random() * 3);
  for await (const line of createInterface({ input: child.stdout })) {
    if (line !== event) continue;
    rounds -= 1;
    if (rounds < 0) break;
  }
  await pause(random() * AFTER_MS);
  const running = child.exitCode === null;
  child.kill('SIGKILL');
  await closed;
  return running;
}

async function whatIsLeft(
  index: string,
  file: string,
  before: string,
  scorers: Scorers,
  report: KillsReport,
): Promise<string | null> {
  const key = ensureSigningKey(`${file}.key`);
  const { bytes } = await whenFree(() => recoverLog(file, key, { id: 'pragaura', roles: [], via: 'local' }));
  if (bytes > 0) report.cut += 1;
  const { knowledge, close } = await openTickets(index, file, scorers);
  try {
    const tickets = knowledge.tickets(BOSS);
    const implemented = tickets.filter(({ state }) => state === 'IMPLEMENTED').at(-1);
    const last = tickets.at(-1);
    if (last === undefined) return (await textIn(index)) === before ? null : 'it changed without a ticket';
    report.states[last.state] = (report.states[last.state] ?? 0) + 1;
    const old =
      implemented === undefined ? (await textIn(index)) === before : await stands(index, implemented);
    const begun = last.state === 'APPLYING' || last.state === 'VERIFYING';
    if (!old && !(begun && (await stands(index, last)))) {
      return `${last.state}: the index is neither the old one nor the new one`;
    }
    if (!begun) return null;
    const { state } = await whenFree(() => knowledge.apply(BOSS, last.id));
    return state === 'IMPLEMENTED' && (await stands(index, last)) ? null : `it went on to ${state}`;
  } finally {
    await close();
  }
}

async function textIn(index: string): Promise<string> {
  const { documents, passages } = await openIndex(index);
  return passages[documents.find(({ docId }) => docId === DOCUMENT)!.first]!.text;
}

/** Whether the index has what a ticket puts, to the byte. */
async function stands(index: string, { put }: Ticket): Promise<boolean> {
  const text = `# ${DOCUMENT}\n\n${await textIn(index)}\n`;
  return createHash('sha256').update(text).digest('hex') === put[0]!.sha256;
}
