import type { Passage } from '../../corpus/index.ts';
import { keyOf } from './extract.ts';
import type { Edge, GraphData, Triple } from './types.ts';

const PASSAGES_KEPT = 8;

export interface Limits {
  /** Edges at most; those said by the fewest passages go first. */
  edges: number;
}

/** A graph before its edges were looked at: `sem` and `act` are at their starting values. */
export interface Collected extends GraphData {
  /** Edges beyond the limit, not kept. */
  dropped: number;
}

/**
 * The triples of all passages as a graph. Memory is bounded by twice the limit of edges: whenever that many are held,
 * the rarest are let go. The same passages give the same graph.
 */
export function collect(
  passages: readonly Pick<Passage, 'text' | 'title'>[],
  limits: Limits,
  triplesOf: (passage: Pick<Passage, 'text' | 'title'>) => readonly Triple[],
): Collected {
  const names = new Map<string, string>();
  let edges = new Map<
    string,
    { triple: [string, string, string]; count: number; confidence: number; passages: number[] }
  >();
  let dropped = 0;
  const prune = () => {
    if (edges.size <= limits.edges) return;
    // Sorting keeps the order of first occurrence among equals.
    const kept = [...edges].sort(([, a], [, b]) => b.count - a.count).slice(0, limits.edges);
    dropped += edges.size - kept.length;
    edges = new Map(kept);
  };
  for (const [ordinal, passage] of passages.entries()) {
    const seen = new Set<string>();
    for (const { subject, relation, object, confidence } of triplesOf(passage)) {
      const triple: [string, string, string] = [keyOf(subject), relation, keyOf(object)];
      const key = JSON.stringify(triple);
      if (seen.has(key)) continue;
      seen.add(key);
      if (!names.has(triple[0])) names.set(triple[0], subject);
      if (!names.has(triple[2])) names.set(triple[2], object);
      const edge = edges.get(key);
      if (edge === undefined) edges.set(key, { triple, count: 1, confidence, passages: [ordinal] });
      else {
        edge.count += 1;
        edge.confidence = Math.max(edge.confidence, confidence);
        if (edge.passages.length < PASSAGES_KEPT) edge.passages.push(ordinal);
      }
    }
    if (edges.size >= 2 * limits.edges) prune();
  }
  prune();
  const places = new Map<string, number>();
  const nodes: string[] = [];
  const place = (key: string) => {
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, nodes.length);
    nodes.push(names.get(key)!);
    return nodes.length - 1;
  };
  const list = [...edges.values()].map(
    ({ triple, count, confidence, passages: ordinals }): Edge => ({
      subject: place(triple[0]),
      relation: triple[1],
      object: place(triple[2]),
      count,
      passages: ordinals,
      sem: 0,
      act: confidence,
    }),
  );
  return { nodes, edges: list, dropped };
}
