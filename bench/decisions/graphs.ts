import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { canonicalHash, writeWholeFile } from '../../common/index.ts';
import { openIndex } from '../../corpus/index.ts';
import { buildGraph, openGraph } from '../../router/graph/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import { halfOfQuery } from './sample.ts';
import type { DecisionQuery } from './types.ts';

/** `plain`: what the documents say; `shaped`: the same, weighted by labelled queries as in section 6.3 of paper 000. */
export type GraphKind = 'plain' | 'shaped';

/** As `pragaura graph` has them. */
const LIMITS = { maxEdges: 200_000, minSem: 0.5 };
/** Says how the graph beside it was made, so that it is made once. */
const RECEIPT = 'graph-made.json';

/**
 * Whether a shaped graph is shaped by a query: half of the tuning half, by the hash of its group. Such queries are not
 * measured then: a planner would learn from them how well the graph knows its own labels.
 */
export function shapesGraph(query: DecisionQuery): boolean {
  if (!query.fits || halfOfQuery(query) !== 'tune') return false;
  return createHash('sha256').update(query.group).digest()[4]! % 2 === 0;
}

/** Builds the graph of an index in its folder, unless that is there already. Throws what `buildGraph` throws. */
export async function makeGraph(
  dir: string,
  shaping: readonly DecisionQuery[],
  { scorers, say, signal }: { scorers: Scorers; say: (line: string) => void; signal: AbortSignal },
): Promise<void> {
  const index = await openIndex(dir);
  const labelled = shaping.map(({ query, action }) => ({ query, action }));
  const made = canonicalHash({ LIMITS, labelled });
  const receipt = path.join(path.dirname(dir), RECEIPT);
  const there = await openGraph(index);
  if (there !== null && (await readFile(receipt, 'utf8').catch(() => '')) === textOf(made, there.hash))
    return;
  const embed = (texts: readonly string[], options: { signal?: AbortSignal | undefined }) =>
    scorers.embed(texts, options);
  const report = await buildGraph(index, { ...LIMITS, embed, labelled, signal });
  const { hash } = (await openGraph(index))!;
  await writeWholeFile(receipt, textOf(made, hash), 'Name another folder with --cache.');
  say(`graph: ${report.nodes} things, ${report.edges} edges, ${report.variables} variables`);
}

function textOf(made: string, graph: string): string {
  return `${JSON.stringify({ made, graph })}\n`;
}
