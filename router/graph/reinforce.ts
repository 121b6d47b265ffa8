import type { Action } from '../contracts.ts';
import { mentionsIn } from '../history/index.ts';
import { keyOf } from './extract.ts';
import { KnowledgeGraph, REQUIRES, variableName } from './knowledge-graph.ts';
import type { Edge, GraphData } from './types.ts';
import { reinforced } from './weights.ts';

/** Weight of an edge to a variable (section 6.3): sem and act that give it. */
const REQUIRED = 0.9;
/** Variables at most; later ones are not added. */
const MAX_VARIABLES = 10_000;

/** A query whose right action is known; `passages`: ordinals of passages that it is about, where that is known. */
export interface LabelledQuery {
  query: string;
  action: Action;
  passages?: readonly number[];
}

/**
 * The graph after labelled queries (000, section 6.3): the edges of the passages that a query is about, or of its best
 * path, are reinforced by its action; what an ASK query names and the graph lacks becomes a "?var" node that the
 * nodes which it does name require. The data given are left as they are.
 */
export function reinforce(data: GraphData, queries: readonly LabelledQuery[]): GraphData {
  const edges = data.edges.map((edge): Edge => ({ ...edge }));
  const nodes = [...data.nodes];
  const graph = new KnowledgeGraph(data, '');
  const byPassage = new Map<number, number[]>();
  for (const [i, { passages }] of data.edges.entries())
    for (const ordinal of passages) byPassage.set(ordinal, [...(byPassage.get(ordinal) ?? []), i]);
  const variables = new Map<string, number>();
  const required = new Set<string>();
  for (const { query, action, passages } of queries) {
    const touched =
      passages === undefined ? graph.pathOf(query) : passages.flatMap((p) => byPassage.get(p) ?? []);
    for (const i of new Set(touched)) edges[i]!.act = reinforced(edges[i]!.act, action);
    const anchors = action === 'ASK' ? graph.named(query) : [];
    if (anchors.length === 0) continue;
    const known = new Set(anchors.map((place) => keyOf(data.nodes[place]!)));
    for (const { name, weak } of mentionsIn(query)) {
      if (weak || known.has(keyOf(name)) || graph.named(name).length > 0) continue;
      const variable = variableName(name);
      let place = variables.get(variable);
      if (place === undefined) {
        if (variables.size >= MAX_VARIABLES) continue;
        place = nodes.push(variable) - 1;
        variables.set(variable, place);
      }
      const [anchor] = anchors;
      const key = `${anchor} ${place}`;
      if (required.has(key)) continue;
      required.add(key);
      edges.push({
        subject: anchor!,
        relation: REQUIRES,
        object: place,
        count: 1,
        passages: [],
        sem: REQUIRED,
        act: REQUIRED,
      });
    }
  }
  return { nodes, edges };
}
