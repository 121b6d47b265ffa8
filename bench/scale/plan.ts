/** What many more passages and queries would take, by how the figures of several sizes grow. */
import { constants } from 'node:buffer';
import { byLastTwo, type Fit, line, type Point, powerLaw, valueAt } from './fit.ts';
import type { Found, Measured } from './types.ts';

/** What is assumed, and was not measured. */
export const ASSUMED = {
  passages: 1e8,
  queriesPerSecond: 1_000,
  /** Of a node. */
  cores: 16,
  memoryGiB: 64,
  /** Share of processors that may be busy, and of memory that may be taken. */
  busy: 0.6,
  filled: 0.75,
  /** Copies of each shard, the first one counted. */
  copies: 2,
  /** Passages of one shard. */
  shard: 1e7,
  /** Cores that one process which decides keeps busy: its threads. */
  processCores: 4,
  /** Neighbours of a vector in the lowest layer of its graph, and bytes of each: M is 16 in either engine. */
  neighbours: 32,
  neighbourBytes: 4,
} as const;

/** Entries of a Map and bytes of an array, beyond which V8 has none. */
const MOST_ENTRIES = 2 ** 24;
const MOST_BYTES = constants.MAX_LENGTH;
/** Postings of a field are counted in 32 bits. */
const MOST_POSTINGS = 2 ** 32;

export interface Growth {
  backend: string;
  figure: keyof typeof FIGURES;
  points: Point[];
  fit: Fit;
  /** By a power law, whatever is extrapolated by: 1 is in step with the passages. */
  exponent: number;
  /** At so many passages as are assumed, by all sizes and by the two largest alone; null where nothing grew that could be told from noise. */
  far: { all: number; lastTwo: number } | null;
}

type Read = (measured: Measured, passages: number) => number | null | undefined;

/** Figures that grow; lines have a part that does not grow, power laws have none. `each`: a passage counts alike, which is a line by construction. */
export const FIGURES = {
  disk: { name: 'disk', unit: 'GiB', each: true, read: ({ asked }) => asked?.bytes && asked.bytes / 2 ** 30 },
  memory: {
    name: 'memory of a process that has it open',
    unit: 'GiB',
    each: true,
    read: ({ asked }) => asked && asked.memory.after / 2 ** 10,
  },
  engineMemory: {
    name: 'memory of the engine',
    unit: 'GiB',
    each: true,
    read: ({ asked }) => asked?.engine && asked.engine.memoryMiB / 2 ** 10,
  },
  open: { name: 'opening', unit: 's', each: true, read: ({ asked }) => asked && asked.openMs / 1_000 },
  publish: {
    name: 'putting it there',
    unit: 'h',
    each: false,
    read: ({ publishMs }) => publishMs && publishMs / 3_600_000,
  },
  lexical: {
    name: 'lexical, p50',
    unit: 'ms',
    each: false,
    read: ({ asked }) => asked?.ways.lexical.latency.p50,
  },
  dense: { name: 'dense, p50', unit: 'ms', each: false, read: ({ asked }) => asked?.ways.dense.latency.p50 },
  fused: { name: 'fused, p50', unit: 'ms', each: false, read: ({ asked }) => asked?.ways.fused.latency.p50 },
  own: {
    name: 'processor time of a retrieval, in the process that asks',
    unit: 'ms',
    each: false,
    read: ({ asked }) => asked?.cpuMs.own,
  },
  engine: {
    name: 'processor time of a retrieval, in the engine',
    unit: 'ms',
    each: false,
    read: ({ asked }) => asked?.cpuMs.engine,
  },
} as const satisfies Record<string, { name: string; unit: string; each: boolean; read: Read }>;

/** Exponent below which growth cannot be told from noise. */
const LEAST_GROWTH = 0.01;

/** What the index in this process does with every passage at every query. */
const SCANNED: readonly string[] = ['lexical', 'dense', 'fused', 'own'];

export interface Plan {
  growth: Growth[];
  /** Peak memory and hours of the one process that builds a folder, and hours of a core for embedding. */
  build: { memoryGiB: number; hours: number; embeddingHours: number };
  /** Passages at which a folder ends, whatever the machine has, the least first. */
  ends: { passages: number; why: string }[];
  /** Passages up to which the index in this process keeps below a bar. */
  bars: { figure: Growth['figure']; most: number; passages: number }[];
  decisions: { cores: number; nodes: number };
  backends: BackendPlan[];
}

export interface BackendPlan {
  backend: string;
  /** Cores that hold the index and search it, and those of the processes that ask, their decisions not counted. */
  searchCores: number | null;
  ownCores: number | null;
  /** GiB of a process that has it open, models not counted, and of all processes of a node that decides. */
  processGiB: number | null;
  decidingNodeGiB: number | null;
  /** Of nodes together, all copies: vectors and their graph in memory; disk. */
  memoryGiB: number;
  diskGiB: number | null;
  shards: number;
  /** Nodes that hold the index, by what there is least of. */
  nodes: { memory: number; cores: number | null };
}

/** What the index in this process is wanted to stay below. */
const BARS = [
  { figure: 'memory', most: 4 },
  { figure: 'lexical', most: 5 },
] as const;

/** Null where there are figures of fewer than two sizes. */
export function planOf({ sizes, sample }: Found): Plan | null {
  const built = sizes.flatMap(({ built: one }) => (one === null ? [] : [one]));
  if (built.length < 2) return null;
  const growth = growthOf(sizes);
  const far = (read: (one: (typeof built)[number]) => number) =>
    valueAt(line(built.map((one) => ({ x: one.passages, y: read(one) }))), ASSUMED.passages);
  const last = built.at(-1)!;
  const each = (kind: string) => (last.bytes[kind] ?? 0) / last.passages;
  const dimension = Math.round(each('vectors') / Float32Array.BYTES_PER_ELEMENT - 8);
  const embeddingHours = (sample.embedding.cpuMs / sample.passages / 3_600_000) * ASSUMED.passages;
  const decisionCores = coresFor(sample.decision.cpuMs);
  const vectorGiB =
    (ASSUMED.passages * (dimension * 4 + ASSUMED.neighbours * ASSUMED.neighbourBytes)) / 2 ** 30;
  const names = [...new Set(growth.map(({ backend }) => backend))];
  return {
    growth,
    build: {
      memoryGiB: far(({ peakMiB }) => peakMiB / 2 ** 10),
      hours: far(({ ms }) => (ms.read + ms.write) / 3_600_000),
      embeddingHours,
    },
    ends: [
      {
        passages: Math.floor(MOST_BYTES / (dimension * 4)),
        why: `vectors are one array of bytes, and this Node has none of more than ${MOST_BYTES / 2 ** 30} GiB`,
      },
      {
        passages: MOST_ENTRIES * (last.passages / last.documents),
        why: `documents are looked up in a Map, of ${MOST_ENTRIES} entries at most`,
      },
      {
        passages: Math.floor(MOST_POSTINGS / (each('postings') / POSTING_BYTES)),
        why: 'postings of a field are counted in 32 bits',
      },
    ].sort((a, b) => a.passages - b.passages),
    bars: BARS.flatMap(({ figure, most }) => {
      const one = growth.find(({ backend, figure: own }) => backend === 'embedded' && own === figure);
      if (one === undefined || !(one.fit.factor > 0)) return [];
      return [{ figure, most, passages: Math.round((most - one.fit.constant) / one.fit.factor) }];
    }),
    decisions: { cores: decisionCores, nodes: Math.ceil(decisionCores / ASSUMED.cores) },
    backends: names.map((backend) => backendPlan(backend, growth, vectorGiB)),
  };
}

/** An ordinal and a term frequency; lengths and other fields are counted as postings of the text, so that it ends rather too early. */
const POSTING_BYTES = 6;

function coresFor(cpuMs: number): number {
  return (ASSUMED.queriesPerSecond * cpuMs) / 1_000 / ASSUMED.busy;
}

function growthOf(sizes: Found['sizes']): Growth[] {
  const names = [...new Set(sizes.flatMap(({ backends }) => backends.map(({ backend }) => backend)))];
  return names.flatMap((backend) =>
    (Object.keys(FIGURES) as (keyof typeof FIGURES)[]).flatMap((figure) => {
      const { each, read } = FIGURES[figure] as { each: boolean; read: Read };
      const points = sizes.flatMap(({ built, backends }) => {
        const measured = backends.find((one) => one.backend === backend);
        if (built === null || measured === undefined) return [];
        const y = read(measured, built.passages);
        return typeof y === 'number' && y > 0 ? [{ x: built.passages, y }] : [];
      });
      if (new Set(points.map(({ x }) => x)).size < 2) return [];
      const kind = each || (backend === 'embedded' && SCANNED.includes(figure)) ? 'line' : 'power';
      const power = powerLaw(points);
      const fit = kind === 'line' ? line(points) : power;
      const far =
        power.exponent > LEAST_GROWTH
          ? { all: valueAt(fit, ASSUMED.passages), lastTwo: byLastTwo(kind, points, ASSUMED.passages) }
          : null;
      return [{ backend, figure, points, fit, exponent: power.exponent, far }];
    }),
  );
}

function backendPlan(backend: string, growth: readonly Growth[], vectorGiB: number): BackendPlan {
  const of = (figure: Growth['figure']) =>
    growth.find((one) => one.backend === backend && one.figure === figure);
  const at = (figure: Growth['figure'], passages: number) => {
    const one = of(figure);
    if (one === undefined) return null;
    return one.far === null ? Math.max(...one.points.map(({ y }) => y)) : valueAt(one.fit, passages);
  };
  const { passages, shard, copies, cores, memoryGiB: node, filled } = ASSUMED;
  const isEmbedded = backend === 'embedded';
  const shards = isEmbedded ? 1 : Math.ceil(passages / shard);
  const perShard = at(isEmbedded ? 'own' : 'engine', passages / shards);
  const searchCores = perShard === null ? null : coresFor(shards * perShard);
  const own = isEmbedded ? null : at('own', passages);
  const disk = at('disk', passages);
  const process = at('memory', passages);
  // The index in this process is all of it in each process; an engine needs vectors and graph at hand, and what it was seen to take at least.
  const memoryGiB = isEmbedded
    ? (process ?? 0)
    : copies * Math.max(vectorGiB, at('engineMemory', passages) ?? 0);
  return {
    backend,
    searchCores,
    ownCores: own === null ? null : coresFor(own),
    processGiB: process,
    decidingNodeGiB: process === null ? null : process * (cores / ASSUMED.processCores),
    memoryGiB,
    diskGiB: disk === null ? null : disk * (isEmbedded ? 1 : copies),
    shards,
    nodes: {
      memory: Math.ceil(memoryGiB / (node * filled)),
      cores: searchCores === null ? null : Math.ceil(searchCores / cores),
    },
  };
}
