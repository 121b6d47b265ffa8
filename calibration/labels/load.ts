import type { Example } from '../types.ts';

/**
 * The labelled queries of a file or folder: NDJSON (`Labelled`, one a line), SQuAD JSON 1.1 or 2.0, a BEIR folder
 * (queries.jsonl and qrels/*.tsv) or one of its qrels files; each may be gzipped.
 */
export async function loadLabelled(path: string): Promise<Example[]> {
  throw new Error(path);
}
