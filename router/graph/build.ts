import { join } from 'node:path';
import { failureReason, PragauraError } from '../../common/index.ts';
import { type CorpusIndex, GRAPH_PROGRESS, lock, writing as writable } from '../../corpus/index.ts';
import { type Collected, collect } from './collect.ts';
import { writeGraph } from './file.ts';
import { ProgressFile } from './progress-file.ts';
import { type LabelledQuery, reinforce } from './reinforce.ts';
import type { Edge, GraphData } from './types.ts';
import { grounding } from './weights.ts';

const BATCH = 256;
/** Whatever changes the triples of a passage gets another number. */
const EXTRACTION = 2;

export interface GraphOptions {
  /** Unit vectors of texts, by the embedder of the index. */
  embed: (
    texts: readonly string[],
    options: { signal?: AbortSignal | undefined },
  ) => Promise<readonly Float32Array[]>;
  /** Edges at most. */
  maxEdges: number;
  /** Edges with a lower semantic grounding are left out; the paper has 0.5. */
  minSem: number;
  labelled: readonly LabelledQuery[];
  onProgress?: (done: number, total: number) => void;
  signal?: AbortSignal | undefined;
}

export interface GraphReport {
  schema: 'pragaura.graph-report/1';
  index: string;
  passages: number;
  nodes: number;
  variables: number;
  edges: number;
  /** Edges beyond `maxEdges`, and edges that their source does not bear out. */
  dropped: number;
  ungrounded: number;
  /** Labelled queries that say what is missing but name nothing of the graph: nobody will be asked for it. */
  unanchored: number;
  /** Edges whose grounding an interrupted build had worked out. */
  resumed: number;
}

/**
 * Builds the graph of an index and stores it in the index's folder: triples, their semantic validation, and
 * reinforcement by labelled queries. Interrupted, it goes on where it stopped; a graph that was there before stays
 * until the new one is whole. Throws INDEX_UNUSABLE while the index has no vectors, INDEX_LOCKED, WRITE_FAILED, and ABORTED when the signal fires.
 */
export async function buildGraph(index: CorpusIndex, options: GraphOptions): Promise<GraphReport> {
  if (index.manifest.pending !== undefined) {
    throw new PragauraError('INDEX_UNUSABLE', `Vectors of the index ${index.dir} are still being made.`, {
      hint: `Wait until "pragaura index" is done; where it was stopped: pragaura index PATH… --out ${index.dir}`,
    });
  }
  const release = writable(index.dir, () => lock(index.dir));
  try {
    const collected = collect(index.passages, { edges: options.maxEdges });
    const { cosines, resumed } = await withCosines(index, collected, options);
    const grounded = pruned(collected, cosines, options.minSem);
    const { unanchored, ...data } = reinforce(grounded, options.labelled);
    await writeGraph(index.dir, index.manifest.hash, data);
    return {
      schema: 'pragaura.graph-report/1',
      index: index.manifest.hash,
      passages: index.passages.length,
      nodes: grounded.nodes.length,
      variables: data.nodes.length - grounded.nodes.length,
      edges: data.edges.length,
      dropped: collected.dropped,
      ungrounded: collected.edges.length - grounded.edges.length,
      unanchored,
      resumed,
    };
  } finally {
    release();
  }
}

/** Cosine of each triple's sentence to the first passage that says it, in the order of the edges. */
async function withCosines(
  index: CorpusIndex,
  { nodes, edges }: Collected,
  { embed, maxEdges, onProgress, signal }: GraphOptions,
): Promise<{ cosines: number[]; resumed: number }> {
  const file = join(index.dir, GRAPH_PROGRESS);
  const identity = [EXTRACTION, index.manifest.hash, maxEdges, edges.length];
  const progress = await writing(file, () => ProgressFile.open(file, identity));
  const cosines = progress.done.slice(0, edges.length);
  const resumed = cosines.length;
  try {
    while (cosines.length < edges.length) {
      if (signal?.aborted) throw new PragauraError('ABORTED', 'The building of the graph was cancelled.');
      const batch = edges.slice(cosines.length, cosines.length + BATCH);
      const vectors = await embed(
        batch.map((edge) => sentenceOf(nodes, edge)),
        { signal },
      );
      const found = batch.map((edge, i) => dot(index, edge.passages[0]!, vectors[i]!));
      await writing(file, () => progress.add(found));
      cosines.push(...found);
      onProgress?.(cosines.length, edges.length);
    }
  } catch (error) {
    await progress.close();
    throw error;
  }
  await writing(file, () => progress.finish());
  return { cosines, resumed };
}

function sentenceOf(nodes: readonly string[], { subject, relation, object }: Edge): string {
  return `${nodes[subject]} ${relation} ${nodes[object]}.`;
}

function dot({ vectors, dimension }: CorpusIndex, ordinal: number, vector: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < dimension; i++) sum += vectors[ordinal * dimension + i]! * vector[i]!;
  return sum;
}

/** Edges with enough grounding, and the nodes that they still need. */
function pruned({ nodes, edges }: GraphData, cosines: readonly number[], minSem: number): GraphData {
  const kept = edges
    .map((edge, i) => ({ ...edge, sem: grounding(cosines[i]!, edge.count) }))
    .filter(({ sem }) => sem >= minSem);
  const places = new Map<number, number>();
  for (const { subject, object } of kept)
    for (const place of [subject, object]) if (!places.has(place)) places.set(place, places.size);
  return {
    nodes: [...places.keys()].map((place) => nodes[place]!),
    edges: kept.map((edge) => ({
      ...edge,
      subject: places.get(edge.subject)!,
      object: places.get(edge.object)!,
    })),
  };
}

async function writing<T>(file: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const why = failureReason(error);
    throw new PragauraError('WRITE_FAILED', `${file} cannot be written: ${why}.`, {
      hint: 'Make room, or give yourself the right to write to the index folder.',
      cause: error,
    });
  }
}
