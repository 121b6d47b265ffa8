import { createHash } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { plainLine, progress, recordParser, runRecords } from '../../common/index.ts';
import { type Decision, Query } from '../contracts.ts';
import type { Router } from '../types.ts';

export interface RouteStreamOptions {
  input: Readable;
  output: Writable & { isTTY?: boolean };
  say: (message: string) => void;
  window: number;
  ordered: boolean;
  explain: boolean;
  signal: AbortSignal;
}

/** A query from a parsed line. */
export const parseQuery = recordParser(
  Query,
  'One query a line, for example {"id": "q1", "query": "Who wrote it?"}.',
);

/** Decides a stream of queries and gives the exit code. */
export async function runRoute(
  router: Pick<Router, 'route' | 'explain'>,
  options: RouteStreamOptions,
): Promise<number> {
  const { say, explain } = options;
  const tally: Record<Decision['action'], number> = { ANSWER: 0, ASK: 0, ABSTAIN: 0 };
  const duplicates = new DuplicateIds();
  const started = performance.now();
  const bar = options.output.isTTY ? null : progress('decided');
  let decided = 0;

  const count = (decision: Decision) => {
    tally[decision.action] += 1;
    decided += 1;
    bar?.update(decided);
  };

  const summary = await runRecords({
    input: options.input,
    output: options.output,
    window: options.window,
    ordered: options.ordered,
    signal: options.signal,
    errors: (message) => say(`pragaura: ${message}`),
    parse: (value, line) => {
      const query = parseQuery(value, line);
      duplicates.add(query.id);
      return query;
    },
    process: async (query, signal) => {
      if (!explain) {
        const decision = await router.route(query, { signal });
        count(decision);
        return decision;
      }
      const { decision, input: _, ...explanation } = await router.explain(query, { signal });
      count(decision);
      return { ...decision, explanation };
    },
  }).finally(() => bar?.end());

  if (duplicates.count > 0) {
    const first = plainLine(duplicates.first ?? '').slice(0, 80);
    say(`pragaura: ${duplicates.count} queries repeat an id (the first: "${first}"); all were decided.`);
  }
  if (process.stderr.isTTY) {
    const seconds = (performance.now() - started) / 1000;
    say(
      `${summary.written} of ${summary.read} lines in ${seconds.toFixed(1)} s: ${tally.ANSWER} answered, ` +
        `${tally.ASK} asked back, ${tally.ABSTAIN} abstained, ${summary.failed} failed.`,
    );
  }
  return summary.exitCode;
}

const SLOTS = 1 << 18;

/**
 * Counts ids that were seen before, in two megabytes however long the stream is: each id's hash has one place in a
 * table and the newest hash stays there. A repeat is missed only when another id took its place in between.
 */
export class DuplicateIds {
  readonly #seen = new BigUint64Array(SLOTS);
  count = 0;
  first: string | null = null;

  add(id: string): void {
    const hash = createHash('sha256').update(id).digest();
    const slot = hash.readUInt32LE(8) % SLOTS;
    const mark = hash.readBigUInt64LE(0);
    if (this.#seen[slot] === mark) {
      this.count += 1;
      this.first ??= id;
    }
    this.#seen[slot] = mark;
  }
}
