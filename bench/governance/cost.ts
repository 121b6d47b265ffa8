/** What it costs a question that a policy hides documents, that memory is looked at, and that the decision is on a log. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Scorers } from '../../scorers/index.ts';
import { Latencies, type LatencySummary } from '../measure/latencies.ts';
import { House } from './house.ts';
import type { Scenario } from './scenario.ts';

export interface CostReport {
  questions: number;
  /** Milliseconds a question: over all documents and nothing else; with policy, memory and log. */
  without: LatencySummary;
  governed: LatencySummary;
}

const ROUNDS = 6;

/** Every question of a house that has an answer, both ways, turn by turn, each first as often as the other. */
export async function costOf(
  folder: string,
  scenarios: readonly Scenario[],
  scorers: Scorers,
): Promise<CostReport> {
  const questions = scenarios
    .flatMap(({ turns }) => turns)
    .flatMap((turn) => (turn.type === 'said' && turn.expected.kind === 'quote' ? [turn.text] : []));
  const own = await mkdtemp(path.join(tmpdir(), 'pragaura-cost-'));
  const house = await House.open(folder, own, 'this system', scorers);
  const [without, governed] = [new Latencies(), new Latencies()];
  const timed = async (latencies: Latencies, work: () => Promise<unknown>) => {
    const began = performance.now();
    await work();
    latencies.record(performance.now() - began);
  };
  try {
    await house.take('ann', 'consent', '');
    // Opening is none of a question's time, nor is the first run of code.
    for (const text of questions.slice(0, 5)) {
      await house.askPlainly(text);
      await house.ask('ann', text);
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [i, text] of questions.entries()) {
        house.begin();
        const ways = [
          () => timed(without, () => house.askPlainly(text)),
          () => timed(governed, () => house.ask('ann', text)),
        ];
        for (const way of (round + i) % 2 === 0 ? ways : ways.reverse()) await way();
      }
    }
  } finally {
    await house.close();
    await rm(own, { recursive: true, force: true });
  }
  return { questions: questions.length, without: without.summary(), governed: governed.summary() };
}
