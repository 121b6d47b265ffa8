import { oneLine } from '../../common/index.ts';
import { mentionsIn } from '../../conversation/index.ts';
import { keyOf } from './extract.ts';
import { KnowledgeGraph, REQUIRES, variableName } from './knowledge-graph.ts';
import type { LabelledQuery } from './source.ts';
import type { Edge, GraphData } from './types.ts';
import { reinforced } from './weights.ts';

/** Weight of an edge to a variable (section 6.3): sem and act that give it. */
const REQUIRED = 0.9;
/** Variables at most; later ones are not added. */
const MAX_VARIABLES = 10_000;
/** Labelled queries kept with one variable of one node; as many others ask the same. */
const MAX_ASKED = 32;

/** A graph after reinforcement; `unanchored`: queries with `missing` that name nothing of the graph. */
export interface Reinforced extends GraphData {
  unanchored: number;
}

/**
 * The graph after labelled queries (000, section 6.3): the edges of the passages that a query is about, or of its best
 * path, are reinforced by its action. What an ASK query lacks becomes a "?var" node that the first node which it names
 * requires: what its label says, and users are asked for that; else, as in the paper, what it names and the graph lacks,
 * which is only counted, since whoever names something need not be asked for it. `ordinalsOf`: of an id that labels name; an
 * id of what is there no longer has none. The data given are left as they are.
 */
export function reinforce(
  data: GraphData,
  queries: readonly LabelledQuery[],
  ordinalsOf: (id: string) => readonly number[],
): Reinforced {
  const edges = data.edges.map((edge): Edge => ({ ...edge }));
  const nodes = [...data.nodes];
  const graph = new KnowledgeGraph(data, '');
  const byPassage = new Map<number, number[]>();
  for (const [i, { passages }] of data.edges.entries())
    for (const ordinal of passages) byPassage.set(ordinal, [...(byPassage.get(ordinal) ?? []), i]);
  const variables = new Map<string, number>();
  const required = new Map<string, Edge>();
  let unanchored = 0;
  for (const { query, action, passages, missing } of queries) {
    const touched =
      passages === undefined
        ? graph.pathOf(query)
        : passages.flatMap(ordinalsOf).flatMap((p) => byPassage.get(p) ?? []);
    for (const i of new Set(touched)) edges[i]!.act = reinforced(edges[i]!.act, action);
    const anchors = action === 'ASK' ? graph.named(query) : [];
    const [anchor] = anchors;
    if (anchor === undefined) {
      if (missing !== undefined) unanchored += 1;
      continue;
    }
    for (const name of missing ?? unknownNames(query, graph, anchors)) {
      let place = variables.get(keyOf(name));
      if (place === undefined) {
        if (variables.size >= MAX_VARIABLES) continue;
        // Users read what a label says, so it stays as it is written.
        place = nodes.push(variableName(missing === undefined ? keyOf(name) : name)) - 1;
        variables.set(keyOf(name), place);
      }
      const key = `${anchor} ${place}`;
      const edge = required.get(key) ?? requiring(anchor, place);
      if (!required.has(key)) edges.push(edge);
      required.set(key, edge);
      if (missing === undefined) continue;
      const asked = edge.asked ?? [];
      const text = oneLine(query);
      if (asked.length < MAX_ASKED && !asked.includes(text)) edge.asked = [...asked, text];
    }
  }
  return { nodes, edges, unanchored };
}

/** What a query names and the graph does not know. */
function unknownNames(query: string, graph: KnowledgeGraph, anchors: readonly number[]): string[] {
  const known = new Set(anchors.map((place) => keyOf(graph.data.nodes[place]!)));
  return mentionsIn(query)
    .filter(({ name, weak }) => !weak && !known.has(keyOf(name)) && graph.named(name).length === 0)
    .map(({ name }) => name);
}

function requiring(subject: number, object: number): Edge {
  return { subject, relation: REQUIRES, object, count: 1, passages: [], sem: REQUIRED, act: REQUIRED };
}
