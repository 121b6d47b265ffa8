import path from 'node:path';
import { writeWholeFile } from '../../common/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import { indexOf } from '../datasets/index-of.ts';
import { type GraphKind, makeGraph, shapesGraph } from './graphs.ts';
import { measureFacts } from './observation/measure.ts';
import type { MeasuredSet } from './planners.ts';
import { sampled } from './sample.ts';
import { type SetName, setNamed } from './sets/index.ts';

export interface MeasuredSetOptions {
  data: string;
  /** Folder in which facts are kept. */
  out: string;
  /** Folder of indexes. */
  cache: string;
  /** Queries; undefined: as many as the set says. */
  limit: number | undefined;
  graph: GraphKind;
}

/** A set, its index and graph made, and the facts of its queries. Throws what these throw; ABORTED when the signal fired. */
export async function measuredSet(
  name: SetName,
  options: MeasuredSetOptions,
  scorers: Scorers,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<{ set: MeasuredSet; index: string }> {
  const { load, size } = setNamed(name);
  const { about, documents, queries: all, vocabulary, layers } = await load(options.data);
  const shaping = options.graph === 'shaped' ? all.filter(shapesGraph) : [];
  const others = all.filter((query) => !shaping.includes(query));
  const queries = sampled(others, options.limit ?? size ?? others.length);
  // Asked openly or not, it is the same index.
  const corpus = `decisions-${name.replace(/-(?:open|unchecked)$/, '')}`;
  const index = await indexOf({ name: corpus, documents }, options.cache, scorers, say);
  const graph = await makeGraph(index, shaping, { scorers, say, signal });
  const facts = await measureFacts(queries, {
    name,
    index,
    vocabulary: await vocabularyFile(index, vocabulary),
    layers,
    scorers,
    out: options.out,
    say,
    signal,
  });
  return { set: { name, about, queries, facts, graph }, index };
}

/** Beside the index. */
async function vocabularyFile(index: string, text: string | undefined): Promise<string | undefined> {
  if (text === undefined) return undefined;
  const file = path.join(path.dirname(index), 'vocabulary.csv');
  await writeWholeFile(file, text, 'Name another folder with --cache.');
  return file;
}
