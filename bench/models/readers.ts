import path from 'node:path';
import { PragauraError } from '../../common/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';

/** A reader by its name in the lock file of a folder of models. */
export interface Reader {
  /** As the user wrote it. */
  label: string;
  name: string;
  /** Undefined: the package's own. */
  modelsDir: string | undefined;
}

/** Everything that a reader does; embedding is left to the default model, so that one index serves all. */
const JOBS = ['rerank', 'read', 'nli'] as const;

const HINT = '--reader NAME for a model of the package, --reader NAME@DIR for one of a folder of models';

/** The reader of `NAME` or `NAME@DIR`; all behind the first @ is the folder. Throws USAGE where either part is empty. */
export function readerNamed(text: string): Reader {
  const at = text.indexOf('@');
  const name = at < 0 ? text : text.slice(0, at);
  const modelsDir = at < 0 ? undefined : text.slice(at + 1);
  if (name !== '' && modelsDir !== '') return { label: text, name, modelsDir };
  throw new PragauraError('USAGE', `--reader "${text}" names no reader.`, { hint: HINT });
}

/** The readers of a comparison, the first one first. Throws USAGE for fewer than two, and for one that is named twice. */
export function readersNamed(texts: readonly string[]): Reader[] {
  const readers = texts.map(readerNamed);
  if (readers.length < 2) {
    throw new PragauraError('USAGE', 'There is nothing to compare with fewer than two readers.', {
      hint: `Say it at least twice: ${HINT}`,
    });
  }
  const seen = new Set<string>();
  for (const { label, name, modelsDir } of readers) {
    const key = JSON.stringify([name, modelsDir === undefined ? null : path.resolve(modelsDir)]);
    if (seen.has(key)) {
      throw new PragauraError('USAGE', `--reader "${label}" is the same reader as one before it.`, {
        hint: 'Each reader once: the first is what the others are compared with.',
      });
    }
    seen.add(key);
  }
  return readers;
}

export interface OpenReader {
  reader: Reader;
  /** The reader's, with the common embedder. */
  scorers: Scorers;
}

export interface OpenReaders {
  /** The default one, which all share; what it counts as tokens is what every reader's budget is counted in. */
  embedder: Scorers;
  readers: OpenReader[];
  close(): Promise<void>;
}

/**
 * Opens one pool of threads for the embedder and one for each reader, all at once in memory; with one query at a time no
 * two of them work together. Throws what `openScorers` throws: CONFIGURATION for a reader that its lock file does not
 * know or that cannot do every job.
 */
export async function openReaders(
  readers: readonly Reader[],
  threads: number | undefined,
  say: (line: string) => void,
): Promise<OpenReaders> {
  const common = { announce: say, ...(threads === undefined ? {} : { threads }) };
  const pools: Scorers[] = [];
  const close = async () => {
    await Promise.all(pools.map((pool) => pool.close()));
  };
  try {
    const embedder = await openScorers({ ...common, jobs: ['embed'] });
    pools.push(embedder);
    const open: OpenReader[] = [];
    for (const reader of readers) {
      const { name, modelsDir } = reader;
      const pool = await openScorers({
        ...common,
        jobs: JOBS,
        models: { rerank: name, read: name, nli: name },
        ...(modelsDir === undefined ? {} : { modelsDir }),
      });
      pools.push(pool);
      open.push({ reader, scorers: withEmbedder(pool, embedder) });
    }
    return { embedder, readers: open, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** As if both had been opened as one, where the embedder comes first and counts tokens. */
function withEmbedder(pool: Scorers, embedder: Scorers): Scorers {
  return {
    ...pool,
    info: { ...pool.info, models: { ...embedder.info.models, ...pool.info.models } },
    embed: (texts, options) => embedder.embed(texts, options),
    countTokens: (text) => embedder.countTokens(text),
  };
}
