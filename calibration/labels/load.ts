import { PragauraError } from '../../common/index.ts';
import type { Example } from '../types.ts';
import { beirExamples } from './beir.ts';
import type { Look } from './examples.ts';
import { kindOf } from './files.ts';
import { ndjsonExamples } from './ndjson.ts';
import { squadExamples } from './squad.ts';

/**
 * The labelled queries of a file or folder, in its order: NDJSON (`Labelled`, one a line; .ndjson, .jsonl), SQuAD JSON
 * 1.1 or 2.0 (.json), a BEIR folder (queries.jsonl and qrels/) or one of its qrels files (.tsv); files may be gzipped.
 * `look` is told of each. Throws NOT_FOUND, EMPTY_INPUT, USAGE (nothing of these), UNREADABLE_DOCUMENT, INVALID_INPUT (file and line).
 */
export async function loadLabelled(path: string, look?: Look): Promise<Example[]> {
  const examples = await readerFor(path)(path, look);
  if (examples.length > 0) return examples;
  throw new PragauraError('EMPTY_INPUT', `${path} holds no labelled query.`, {
    hint: 'Calibrating and evaluating need questions that were answered by hand.',
  });
}

function readerFor(path: string): (path: string, look?: Look) => Promise<Example[]> {
  if (kindOf(path) === 'folder' || /\.tsv(\.gz)?$/i.test(path)) return beirExamples;
  if (/\.(ndjson|jsonl)(\.gz)?$/i.test(path)) return ndjsonExamples;
  if (/\.json(\.gz)?$/i.test(path)) return squadExamples;
  throw new PragauraError('USAGE', `${path} is no file of labelled queries that is known by its name.`, {
    hint: 'It is .ndjson or .jsonl (one object a line), .json (SQuAD), a BEIR folder or its qrels/NAME.tsv.',
  });
}
