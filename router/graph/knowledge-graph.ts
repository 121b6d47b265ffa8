import { type Requirement, tokensOf } from '../../conversation/index.ts';
import type { IndexBackend } from '../../corpus/index.ts';
import { keyOf } from './extract.ts';
import { readGraph } from './file.ts';
import type { Edge, GraphData, PathScore } from './types.ts';
import { weightOf } from './weights.ts';

/** Longest path that is looked for. */
const MAX_HOPS = 3;
/** Nodes that a query is taken to name, and nodes that one search may visit. */
const MAX_SEEDS = 16;
const MAX_VISITED = 2_000;
/** Labelled queries that one query is held against: the time stays bounded beside a node that all of them name. */
const MAX_ASKED = 1_000;
/** Words of a name at most. */
const MAX_NAME_WORDS = 12;
const VARIABLE = '?var:';
/** Words of a relation that are no sign of what it says. */
const EMPTY =
  /^(?:.|is|are|was|were|be|been|being|has|have|had|do|does|did|of|in|on|at|to|by|for|with|from|as|and|the|an)$/;
export const REQUIRES = 'requires';

/** The best path of a query: edges as places in the graph's list. */
interface Best {
  score: number;
  edges: number[];
}

/** A graph as it is read at query time. Immutable; calls may overlap. */
export class KnowledgeGraph {
  readonly data: GraphData;
  /** Of its content, sha256 in hex. */
  readonly hash: string;
  readonly #places = new Map<string, number>();
  readonly #edgesOf: number[][];

  constructor(data: GraphData, hash: string) {
    this.data = data;
    this.hash = hash;
    this.#edgesOf = data.nodes.map(() => []);
    for (const [place, name] of data.nodes.entries()) this.#places.set(nodeKey(name), place);
    for (const [i, { subject, object }] of data.edges.entries()) {
      this.#edgesOf[subject]!.push(i);
      this.#edgesOf[object]!.push(i);
    }
  }

  /** Places of the nodes that a text names in so many words, longest names first, none inside another. */
  named(text: string): number[] {
    const words = tokensOf(text.slice(0, 4_000)).map(({ lower }) => lower.replace(/'s$/, ''));
    const found: number[] = [];
    let at = 0;
    while (at < words.length && found.length < MAX_SEEDS) {
      let used = 1;
      for (let size = Math.min(MAX_NAME_WORDS, words.length - at); size > 0; size--) {
        const place = this.#places.get(words.slice(at, at + size).join(' '));
        if (place === undefined) continue;
        if (!found.includes(place)) found.push(place);
        used = size;
        break;
      }
      at += used;
    }
    return found;
  }

  /**
   * PathScore(q) = max over paths between nodes that the query names of the product of the edges' weights (000,
   * equation 18). Of a query that names one node: the weight of its best edge whose relation or other end shares a
   * word with the query. Paths of up to three edges; 2,000 nodes are visited at most.
   */
  pathScore(query: string): PathScore {
    const { data } = this;
    const seeds = this.named(query);
    const known = seeds.map((place) => data.nodes[place]!);
    if (seeds.length === 0) return { kind: 'absent', score: 0, path: [], known, variables: [] };
    const { score, edges } = this.#best(seeds, query);
    const path = edges.map((i) => {
      const { subject, relation, object } = data.edges[i]!;
      return { subject: data.nodes[subject]!, relation, object: data.nodes[object]! };
    });
    const kind = edges.length > 0 ? 'strong' : 'broken';
    return { kind, score, path, known, variables: this.#variablesOf(seeds) };
  }

  /** The edges of the best path of a query, as places in the graph's list. */
  pathOf(query: string): number[] {
    const seeds = this.named(query);
    return seeds.length === 0 ? [] : this.#best(seeds, query).edges;
  }

  #best(seeds: readonly number[], query: string): Best {
    return seeds.length > 1 ? this.#between(seeds) : this.#asked(seeds[0]!, query);
  }

  /** The variables that labels named of the nodes that a query names, each with its labelled queries. */
  requirementsOf(query: string): Requirement[] {
    const found: Requirement[] = [];
    let held = 0;
    for (const seed of this.named(query)) {
      for (const i of this.#edgesOf[seed]!) {
        const { asked, object } = this.data.edges[i]!;
        if (asked === undefined || held >= MAX_ASKED) continue;
        held += asked.length;
        const variable = this.data.nodes[object]!.slice(VARIABLE.length);
        found.push({ variable, of: this.data.nodes[seed]!, asked });
      }
    }
    return found;
  }

  /** The other end of an edge. */
  other(edge: Edge, place: number): number {
    return edge.subject === place ? edge.object : edge.subject;
  }

  #variablesOf(seeds: readonly number[]): string[] {
    const names = new Set<string>();
    for (const seed of seeds) {
      for (const i of this.#edgesOf[seed]!) {
        const name = this.data.nodes[this.other(this.data.edges[i]!, seed)]!;
        if (name.startsWith(VARIABLE)) names.add(name.slice(VARIABLE.length));
      }
    }
    return [...names];
  }

  #asked(seed: number, query: string): Best {
    const words = new Set(tokensOf(query.slice(0, 4_000)).map(({ lower }) => stemOf(lower)));
    const own = new Set(tokensOf(this.data.nodes[seed]!).map(({ lower }) => stemOf(lower)));
    let best: Best = { score: 0, edges: [] };
    for (const i of this.#edgesOf[seed]!) {
      const edge = this.data.edges[i]!;
      const said = `${edge.relation} ${this.data.nodes[this.other(edge, seed)]!}`;
      const shared = tokensOf(said).some(({ lower }) => {
        const stem = stemOf(lower);
        return !EMPTY.test(lower) && words.has(stem) && !own.has(stem);
      });
      const score = weightOf(edge);
      if (shared && edge.relation !== REQUIRES && score > best.score) best = { score, edges: [i] };
    }
    return best;
  }

  /** Best product between any two seeds: widest-path search from each, a layer a hop. */
  #between(seeds: readonly number[]): Best {
    let best: Best = { score: 0, edges: [] };
    for (const seed of seeds) {
      const goals = new Set(seeds.filter((other) => other !== seed));
      const reached = new Map<number, Best>([[seed, { score: 1, edges: [] }]]);
      let layer = [seed];
      for (let hop = 0; hop < MAX_HOPS && reached.size < MAX_VISITED; hop++) {
        const next = new Set<number>();
        const from = layer.map((place) => [place, reached.get(place)!] as const);
        for (const [place, way] of from) {
          for (const i of this.#edgesOf[place]!) {
            const edge = this.data.edges[i]!;
            if (edge.relation === REQUIRES || reached.size >= MAX_VISITED) continue;
            const to = this.other(edge, place);
            const score = way.score * weightOf(edge);
            if (score <= (reached.get(to)?.score ?? 0) || score <= best.score) continue;
            const edges = [...way.edges, i];
            reached.set(to, { score, edges });
            if (goals.has(to)) best = { score, edges };
            else next.add(to);
          }
        }
        layer = [...next];
      }
    }
    return best;
  }
}

export function variableName(name: string): string {
  return `${VARIABLE}${name}`;
}

function nodeKey(name: string): string {
  return name.startsWith(VARIABLE)
    ? name
    : tokensOf(keyOf(name))
        .map(({ lower }) => lower)
        .join(' ');
}

/** "founded" and "founder" share "found": enough to see that a question is about an edge. */
function stemOf(word: string): string {
  return word.length > 4 ? word.replace(/(?:ing|ers?|ed|es|s)$/, '') : word;
}

/**
 * The graph of an index for queries; null where none was built. Throws INDEX_UNUSABLE for a damaged one, which no ordinary
 * work leaves behind.
 */
export async function openGraph({
  folder,
  manifest,
}: Pick<IndexBackend, 'folder' | 'manifest'>): Promise<KnowledgeGraph | null> {
  if (folder === null) return null;
  const read = await readGraph(folder, manifest.hash, manifest.counts.passages);
  return read === null ? null : new KnowledgeGraph(read.data, read.hash);
}
