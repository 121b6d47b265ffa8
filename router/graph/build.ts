import { basename, join } from 'node:path';
import { failureReason, PragauraError } from '../../common/index.ts';
import {
  type CorpusIndex,
  currentName,
  GRAPH_PROGRESS,
  type KeepGraph,
  lock,
  type Passage,
  type Written,
  writing as writable,
} from '../../corpus/index.ts';
import { collect } from './collect.ts';
import { writeGraph } from './file.ts';
import { ProgressFile } from './progress-file.ts';
import { reinforce } from './reinforce.ts';
import { type GraphSettings, GraphSource, readSource } from './source.ts';
import type { Edge, GraphData } from './types.ts';
import { grounding } from './weights.ts';

const BATCH = 256;

interface Call {
  /** Unit vectors of texts, by the embedder of the index. */
  embed: (texts: readonly string[], options: { signal?: AbortSignal }) => Promise<readonly Float32Array[]>;
  /** Of the edges that are embedded. */
  onProgress?: (done: number, total: number) => void;
  signal?: AbortSignal | undefined;
}

/** Of passages that labels name, those that the index does not have are passed over. */
export interface GraphOptions extends GraphSettings, Call {}

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
  /** Edges whose grounding was embedded for the graph before, and for this one. */
  known: number;
  embedded: number;
}

/**
 * Builds the graph of an index and stores it in the folder of its generation: triples, their semantic validation, and
 * reinforcement by labelled queries. Interrupted, it goes on where it stopped; a graph that was there before stays
 * until the new one is whole. Throws INDEX_UNUSABLE while the index has no vectors and where it was brought up to date since it
 * was opened, INDEX_LOCKED, WRITE_FAILED, and ABORTED when the signal fires.
 */
export async function buildGraph(index: CorpusIndex, options: GraphOptions): Promise<GraphReport> {
  const { maxEdges, minSem, labelled, ...call } = options;
  const { dir, folder, manifest, passages, vectors } = index;
  if (manifest.pending !== undefined) {
    throw new PragauraError('INDEX_UNUSABLE', `Vectors of the index ${dir} are still being made.`, {
      hint: `Wait until "pragaura index" is done; where it was stopped: pragaura index PATH… --out ${dir}`,
    });
  }
  const release = writable(dir, () => lock(dir));
  try {
    if (folder === null || currentName(dir) !== basename(folder)) {
      throw new PragauraError('INDEX_UNUSABLE', `The index ${dir} was brought up to date meanwhile.`, {
        hint: 'Run the same command again.',
      });
    }
    const settings = { maxEdges, minSem, labelled };
    // A damaged one is made anew.
    const before = await readSource(folder, manifest.embedder.sha256).catch(() => null);
    const source = before?.with(settings) ?? new GraphSource(settings);
    return await makeGraph({ dir, folder, manifest, passages, vectors }, source, call);
  } finally {
    release();
  }
}

/**
 * The graph of a new generation, by the settings and labels of the one before: the same as `buildGraph` would make of it, without
 * looking again at passages that are the same. Throws WRITE_FAILED and ABORTED.
 */
export const keepGraph: KeepGraph = async (generation, { embed, onProgress, signal }) => {
  const { before, folder, manifest, passages } = generation;
  const embedder = manifest.embedder.sha256;
  let source: GraphSource | null;
  try {
    source = await readSource(before, embedder);
  } catch (error) {
    if (!PragauraError.isInstance(error)) throw error;
    return { problem: error.message };
  }
  if (source === null) return { problem: 'What it was made of is not beside it.' };
  if (manifest.pending !== undefined) {
    source.carry(passages);
    await source.write(folder, embedder);
    return null;
  }
  const { edges, embedded } = await makeGraph(generation, source, {
    embed,
    onProgress: (done, total) => onProgress?.({ stage: 'graph', done, total, detail: '' }),
    signal,
  });
  return { edges, embedded };
};

type Generation = Omit<Written, 'before'>;

async function makeGraph(generation: Generation, source: GraphSource, call: Call): Promise<GraphReport> {
  const { folder, manifest, passages } = generation;
  const { maxEdges, minSem, labelled } = source.settings;
  const collected = collect(passages, { edges: maxEdges }, (passage) => source.triplesOf(passage));
  const { cosines, resumed, embedded } = await withCosines(generation, collected, source, call);
  const grounded = pruned(collected, cosines, minSem);
  const { unanchored, ...data } = reinforce(grounded, labelled, ordinalsIn(passages));
  // First: what is killed between the two is made again as it was wanted last.
  await source.write(folder, manifest.embedder.sha256);
  await writeGraph(folder, manifest.hash, data);
  const edges = collected.edges.length;
  return {
    schema: 'pragaura.graph-report/1',
    index: manifest.hash,
    passages: passages.length,
    nodes: grounded.nodes.length,
    variables: data.nodes.length - grounded.nodes.length,
    edges: data.edges.length,
    dropped: collected.dropped,
    ungrounded: edges - grounded.edges.length,
    unanchored,
    resumed,
    known: edges - resumed - embedded,
    embedded,
  };
}

/** Ordinals of a passage by its id, or of all of a document by its. */
export function ordinalsIn(
  passages: readonly Pick<Passage, 'passageId' | 'docId'>[],
): (id: string) => readonly number[] {
  let ordinals: Map<string, number[]> | undefined;
  return (id) => {
    if (ordinals === undefined) {
      ordinals = new Map();
      for (const [ordinal, { passageId, docId }] of passages.entries()) {
        for (const each of new Set([passageId, docId])) {
          const known = ordinals.get(each);
          if (known === undefined) ordinals.set(each, [ordinal]);
          else known.push(ordinal);
        }
      }
    }
    return ordinals.get(id) ?? [];
  };
}

/** Cosine of each triple's sentence to the first passage that says it, in the order of the edges. */
async function withCosines(
  { dir, manifest, passages, vectors }: Generation,
  { nodes, edges }: GraphData,
  source: GraphSource,
  { embed, onProgress, signal }: Call,
): Promise<{ cosines: number[]; resumed: number; embedded: number }> {
  const looked = edges.map((edge) => {
    const ordinal = edge.passages[0]!;
    const sentence = sentenceOf(nodes, edge);
    return { sentence, ordinal, cosine: source.cosineOf(sentence, passages[ordinal]!) };
  });
  const missing = looked.filter(({ cosine }) => cosine === undefined);
  const tell = (each: (typeof looked)[number], cosine: number) => {
    each.cosine = cosine;
    source.tell(each.sentence, passages[each.ordinal]!, cosine);
  };
  const file = join(dir, GRAPH_PROGRESS);
  const identity = [manifest.hash, missing.map(({ sentence, ordinal }) => [sentence, ordinal])];
  const progress = await writing(file, () => ProgressFile.open(file, identity));
  const resumed = Math.min(progress.done.length, missing.length);
  for (const [i, each] of missing.slice(0, resumed).entries()) tell(each, progress.done[i]!);
  try {
    for (let done = resumed; done < missing.length; ) {
      if (signal?.aborted) throw new PragauraError('ABORTED', 'The building of the graph was cancelled.');
      const batch = missing.slice(done, done + BATCH);
      const embedded = await embed(
        batch.map(({ sentence }) => sentence),
        { ...(signal && { signal }) },
      );
      const found = batch.map(({ ordinal }, i) => dot(vectors, ordinal, embedded[i]!));
      await writing(file, () => progress.add(found));
      for (const [i, each] of batch.entries()) tell(each, found[i]!);
      done += batch.length;
      onProgress?.(done, missing.length);
    }
  } catch (error) {
    await progress.close();
    throw error;
  }
  await writing(file, () => progress.finish());
  return { cosines: looked.map(({ cosine }) => cosine!), resumed, embedded: missing.length - resumed };
}

function sentenceOf(nodes: readonly string[], { subject, relation, object }: Edge): string {
  return `${nodes[subject]} ${relation} ${nodes[object]}.`;
}

function dot(vectors: Float32Array, ordinal: number, vector: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += vectors[ordinal * vector.length + i]! * vector[i]!;
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
