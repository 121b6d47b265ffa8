import type { Readable, Writable } from 'node:stream';
import { type ScorerArguments, scorersOptionsFrom } from '../../cli/index.ts';
import { interruptible, runRecords } from '../../common/index.ts';
import type { ActDistribution } from '../../profiles/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { loadActClassifier } from '../acts/index.ts';
import { parseQuery } from './route-stream.ts';

export interface ClassifyStreamOptions extends ScorerArguments {
  input: Readable;
  output: Writable;
  say: (message: string) => void;
  window: number;
  /** False: words only; no model is loaded. */
  embedding: boolean;
}

/** What `pragaura classify` writes for each line. */
interface ActRecord extends ActDistribution {
  schema: 'pragaura.act/1';
  id: string;
  query: string;
}

/** Classifies a stream of queries in input order and gives the exit code. */
export async function runClassify(options: ClassifyStreamOptions): Promise<number> {
  const { say } = options;
  const classifier = await loadActClassifier();
  const scorers = options.embedding ? await openEmbedder(options, say) : null;
  const known = scorers?.info.models.embed?.sha256 === classifier.embedder.sha256;
  if (scorers && !known) {
    say(`The classifier was not trained on this embedder but on ${classifier.embedder.name}: words only.`);
  }
  try {
    const work = (stop: AbortSignal) =>
      runRecords({
        input: options.input,
        output: options.output,
        window: options.window,
        signal: stop,
        errors: (message) => say(`pragaura: ${message}`),
        parse: parseQuery,
        process: async ({ id, query }, signal): Promise<ActRecord> => {
          const vector = scorers && known ? (await scorers.embed([query], { signal }))[0]! : null;
          return { schema: 'pragaura.act/1', id, query, ...classifier.classify(query, vector) };
        },
      });
    return (await interruptible(work, say)).exitCode;
  } finally {
    await scorers?.close();
  }
}

/** The embedder of the dense branch, without the other models. */
export function openEmbedder(args: ScorerArguments, say: (message: string) => void): Promise<Scorers> {
  return openScorers({ ...scorersOptionsFrom(args, say), jobs: ['embed'] });
}
