/** What the passages say about named things, as a graph that labelled queries shape; stored beside the index. */
export { buildGraph, type GraphOptions, type GraphReport, keepGraph, ordinalsIn } from './build.ts';
export type { KnowledgeGraph } from './knowledge-graph.ts';
export { openGraph } from './knowledge-graph.ts';
export type { LabelledQuery } from './source.ts';
