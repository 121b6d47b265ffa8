import { join } from 'node:path';

/**
 * What an index folder holds:
 *
 *     CURRENT                "pragaura.index/1 generation-000003\n", replaced by rename
 *     generation-000003/     manifest.json, passages.ndjson, documents.ndjson, one file a segment; graph.ndjson, made by
 *                            "pragaura graph" and with each generation after that, and what it was made of
 *     pragaura-staging/      vectors of a build under way, kept when it is interrupted
 *     pragaura-inbox/        documents that a server has taken and that are not yet in the index
 *     pragaura-knowledge/    tickets, their files, and the log of what became of them
 *     reviewed.json          documents that tickets brought or took out
 *     pragaura.lock          the process that writes
 *     generations.json       which generations were current when, and how many are kept
 *     graph.progress         while a graph is being made
 */
export const CURRENT = 'CURRENT';
export const POINTER = 'pragaura.index/';
export const SCHEMA = 'pragaura.index/1';
export const LOCK = 'pragaura.lock';
export const STAGING = 'pragaura-staging';
export const INBOX = 'pragaura-inbox';
export const KNOWLEDGE = 'pragaura-knowledge';
export const REVIEWED = 'reviewed.json';
export const GRAPH_FILE = 'graph.ndjson';
export const GRAPH_SOURCE = 'graph-source.ndjson';
export const GRAPH_PROGRESS = 'graph.progress';
export const GENERATIONS = 'generations.json';
export const GENERATION = /^generation-(\d{6})$/;

/** Files that an operating system leaves everywhere; they do not make a folder foreign. */
const HARMLESS = ['.DS_Store', 'Thumbs.db', 'desktop.ini', 'lost+found'];

export function generationName(number: number): string {
  return `generation-${String(number).padStart(6, '0')}`;
}

const OURS = [
  // A graph of an earlier version lies here.
  GRAPH_FILE,
  ...[GENERATIONS, CURRENT, REVIEWED].flatMap((name) => [name, `${name}.new`]),
  ...[STAGING, INBOX, KNOWLEDGE],
  ...HARMLESS,
];

/** Whether an entry of a folder is one that this room writes. */
export function isOurs(entry: string): boolean {
  return OURS.includes(entry) || entry.startsWith(LOCK) || entry === GRAPH_PROGRESS || GENERATION.test(entry);
}

/** The text of CURRENT for a generation. */
export function pointerTo(generation: string): string {
  return `${SCHEMA} ${generation}\n`;
}

export function manifestPath(dir: string): string {
  return join(dir, 'manifest.json');
}
