import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { type Line, messageOf, PragauraError, parseAs, readLines } from '../../common/index.ts';
import { contentStems } from '../../conversation/index.ts';
import { type CorpusIndex, openIndex } from '../../corpus/index.ts';
import { openScorers, type ScorersOptions } from '../../scorers/index.ts';
import { ACTIONS } from '../contracts.ts';
import {
  buildGraph,
  type GraphOptions,
  type GraphReport,
  type LabelledQuery,
  ordinalsIn,
} from '../graph/index.ts';
import { checkEmbedder } from '../retrieval/index.ts';

interface MakeGraphOptions extends Pick<GraphOptions, 'maxEdges' | 'minSem' | 'onProgress' | 'signal'> {
  index: string;
  labelled: string | undefined;
  models: Omit<ScorersOptions, 'jobs'>;
}

const MAX_PIECES = 8;
/** What users are asked for, as it stands in the question: a few words that name something. */
const Piece = z
  .string()
  .trim()
  .max(80)
  .regex(/^[^"“”?\p{Cc}]+$/u, 'a piece has no quotation marks, question marks or line breaks')
  .refine((text) => contentStems(text).size > 0, { message: 'a piece names what to ask for' });

const Labelled = z
  .object({
    query: z.string(),
    action: z.enum(ACTIONS).optional(),
    answerable: z.boolean().optional(),
    passages: z.array(z.string()).optional(),
    missing: z.array(Piece).min(1).max(MAX_PIECES).optional(),
  })
  .refine(({ action, answerable }) => action !== undefined || answerable !== undefined, {
    message: 'neither "action" nor "answerable" is said',
  })
  .refine(({ action, missing }) => missing === undefined || action === 'ASK', {
    message: '"missing" is said of a query whose action is not ASK',
  });

const MAX_LINE_BYTES = 8 * 1024 * 1024;
const LABELLED_HINT =
  'A labelled query is {"query", "action": "ANSWER"|"ASK"|"ABSTAIN" or "answerable": true|false, "passages"?, ' +
  '"missing"?: ["destination country"] with ASK}.';

/**
 * Opens an index and its embedder and builds the graph. Throws USAGE, NOT_FOUND or INVALID_INPUT (labelled queries),
 * INDEX_UNUSABLE, MODEL_UNUSABLE and what `buildGraph` throws.
 */
export async function makeGraph({
  index: dir,
  labelled,
  models,
  ...options
}: MakeGraphOptions): Promise<GraphReport> {
  if (!(options.minSem >= 0 && options.minSem <= 1)) {
    throw new PragauraError('USAGE', '--min-sem takes a number from 0 to 1.');
  }
  const index = await openIndex(dir);
  const queries = labelled === undefined ? [] : await labelledQueries(labelled, index);
  const scorers = await openScorers({ ...models, jobs: ['embed'] });
  try {
    checkEmbedder(dir, index.manifest.embedder, scorers.info);
    return await buildGraph(index, {
      ...options,
      labelled: queries,
      embed: (texts, call) => scorers.embed(texts, call),
    });
  } finally {
    await scorers.close();
  }
}

/** Passages are named by their ids or by those of their documents; one that the index lacks is an error. */
async function labelledQueries(file: string, { passages }: CorpusIndex): Promise<LabelledQuery[]> {
  const ordinalsOf = ordinalsIn(passages);
  const parse = parseAs(Labelled, LABELLED_HINT);
  const queries: LabelledQuery[] = [];
  for await (const { number, text, problem } of linesOf(file)) {
    try {
      if (text === null) throw new PragauraError('INVALID_INPUT', problem!.message);
      const { query, action, answerable, passages: ids, missing } = parse(JSON.parse(text));
      const unknown = ids?.find((id) => ordinalsOf(id).length === 0);
      if (unknown !== undefined)
        throw new PragauraError('INVALID_INPUT', `the index has no passage ${unknown}.`);
      queries.push({
        query,
        action: action ?? (answerable ? 'ANSWER' : 'ABSTAIN'),
        ...(ids && { passages: ids }),
        ...(missing && { missing }),
      });
    } catch (error) {
      throw new PragauraError('INVALID_INPUT', `${file}, line ${number}: ${messageOf(error)}`, {
        hint: problem?.hint ?? LABELLED_HINT,
        cause: error,
      });
    }
  }
  return queries;
}

async function* linesOf(file: string): AsyncGenerator<Line> {
  try {
    yield* readLines(createReadStream(file), MAX_LINE_BYTES);
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `${file} cannot be read: ${messageOf(error)}`, {
      hint: 'Name a file of labelled queries with --labelled.',
      cause: error,
    });
  }
}
