import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { canonicalHash, writeWholeFile } from '../../common/index.ts';
import { openIndex } from '../../corpus/index.ts';
import { buildGraph, type GraphReport, openGraph } from '../../router/graph/index.ts';
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

/** What became of the triples that were read off the passages. */
export type GraphFigures = Pick<
  GraphReport,
  'passages' | 'nodes' | 'variables' | 'edges' | 'ungrounded' | 'dropped'
> & {
  /**
   * Shares: of the triples, those whose sentence their passage bears out, null once labelled queries have added some; of the
   * nodes, those that stand for what is missing.
   */
  grounded: number | null;
  unknown: number | null;
};

const Receipt = z.object({
  made: z.string(),
  graph: z.string(),
  figures: z.record(z.string(), z.number().nullable()),
});

/**
 * Builds the graph of an index in its folder, unless that is there already, and says what is in it. Throws what `buildGraph`
 * throws.
 */
export async function makeGraph(
  dir: string,
  shaping: readonly DecisionQuery[],
  { scorers, say, signal }: { scorers: Scorers; say: (line: string) => void; signal: AbortSignal },
): Promise<GraphFigures> {
  const index = await openIndex(dir);
  const labelled = shaping.map(({ query, action }) => ({ query, action }));
  const made = canonicalHash({ LIMITS, labelled });
  const receipt = path.join(path.dirname(dir), RECEIPT);
  const there = await openGraph(index);
  const kept = receiptIn(await readFile(receipt, 'utf8').catch(() => ''));
  if (there !== null && kept?.made === made && kept.graph === there.hash) return kept.figures as GraphFigures;
  const embed = (texts: readonly string[], options: { signal?: AbortSignal | undefined }) =>
    scorers.embed(texts, options);
  const report = await buildGraph(index, { ...LIMITS, embed, labelled, signal });
  const { hash } = (await openGraph(index))!;
  const figures = figuresOf(report);
  await writeWholeFile(
    receipt,
    `${JSON.stringify({ made, graph: hash, figures })}\n`,
    'Name another folder with --cache.',
  );
  say(`graph: ${report.nodes} things, ${report.edges} edges, ${report.variables} variables`);
  return figures;
}

function figuresOf({ passages, nodes, variables, edges, ungrounded, dropped }: GraphReport): GraphFigures {
  return {
    ...{ passages, nodes, variables, edges, ungrounded, dropped },
    // Labelled queries add edges afterwards, which nothing has to bear out.
    grounded: variables > 0 || edges + ungrounded === 0 ? null : edges / (edges + ungrounded),
    unknown: nodes + variables === 0 ? null : variables / (nodes + variables),
  };
}

/** Null for none, for one that was cut off, and for that of an earlier program. */
function receiptIn(text: string): z.infer<typeof Receipt> | null {
  try {
    return Receipt.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
