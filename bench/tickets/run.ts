/** `pragaura bench tickets`: whether an index changes by anything but what was approved. */
import { progress } from '../../common/index.ts';
import { STATES } from '../../knowledge/index.ts';
import { openScorers } from '../../scorers/index.ts';
import { type Layout, table, upperShare } from '../measure/table.ts';
import { runTicketHistories, type TicketHistories } from './histories.ts';
import { type KillsReport, runKills } from './kills.ts';
import { type TimingReport, timeTicket } from './timing.ts';

export interface TicketsReport {
  schema: 'pragaura.bench-tickets/1';
  histories: TicketHistories;
  kills: KillsReport;
  /** Null where no passages are asked for. */
  timing: TimingReport | null;
}

/** Throws what tickets, indexing and models throw, and ABORTED. */
export async function benchTickets(
  { histories, kills, passages, seed }: { histories: number; kills: number; passages: number; seed: number },
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<TicketsReport> {
  const scorers = await openScorers({ announce: say });
  const bar = progress('histories', histories);
  const done = { kills: 0, histories: 0 };
  const watching = (what: keyof typeof done) => ({
    signal,
    told: (count: number) => {
      done[what] = count;
      bar.update(done.histories, `${done.kills} of ${kills} kills`);
    },
  });
  try {
    const timing = passages === 0 ? null : await timeTicket(passages, scorers);
    // What is killed is another process, which has a core of its own.
    const [killed, lived] = await Promise.all([
      runKills(kills, seed, scorers, watching('kills')),
      runTicketHistories(histories, seed, scorers, watching('histories')),
    ]);
    return { schema: 'pragaura.bench-tickets/1', histories: lived, kills: killed, timing };
  } finally {
    bar.end();
    await scorers.close();
  }
}

export function isSound({ histories, kills }: TicketsReport): boolean {
  return histories.differences.length + histories.unauthorised.length + kills.torn.length === 0;
}

export function renderTickets({ histories, kills, timing }: TicketsReport, layout: Layout = table): string {
  const { differences, unauthorised, outcomes } = histories;
  const lines: string[] = [];
  if (histories.histories > 0) {
    lines.push(
      `${histories.histories} histories of nine people, ${histories.operations} steps, ${histories.implemented} changes applied: ${differences.length} came out otherwise than by a plain model, ${unauthorised.length} changed the index without leave (at most ${(100 * upperShare(unauthorised.length, histories.histories)).toFixed(3)} % of such histories, 95 %, one-sided)`,
      layout(
        ['what came of a step', 'steps'],
        Object.entries(outcomes)
          .sort(([, a], [, b]) => b - a)
          .map(([outcome, count]) => [outcome, String(count)]),
      ),
    );
  }
  if (kills.kills > 0) {
    lines.push(
      `${kills.kills} processes killed (SIGKILL): ${kills.torn.length} left anything but the old index or the new one, or a ticket that did not go on (at most ${(100 * upperShare(kills.torn.length, kills.kills)).toFixed(3)} %); ${kills.cut} logs were cut and mended`,
      layout(
        ['state of the ticket', 'kills'],
        STATES.flatMap((state) => (kills.states[state] ? [[state, String(kills.states[state])]] : [])),
      ),
    );
  }
  if (timing !== null) lines.push(timingText(timing));
  lines.push(...[...differences, ...unauthorised, ...kills.torn].slice(0, 20));
  return lines.join('\n\n');
}

function timingText({ passages, documents, canaries, ms, graph }: TimingReport): string {
  const seconds = (value: number) => `${(value / 1000).toFixed(1)} s`;
  return (
    `one document of ${documents} (${passages} passages): measured in ${seconds(ms.triage)}, applied and verified in ${seconds(ms.apply)}, ` +
    `with ${canaries} canaries in ${seconds(ms.applyWithCanaries)}` +
    (graph === undefined ? '' : ` (and a graph of ${graph.statements} statements: ${seconds(graph.apply)})`) +
    `, taken back in ${Math.round(ms.rollback)} ms`
  );
}
