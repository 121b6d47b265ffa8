import { recordParser } from '../../common/index.ts';
import { type Example, Labelled } from '../types.ts';
import { contradictionOf, ExampleList, type Look } from './examples.ts';
import { badRecord, recordsIn } from './files.ts';

const HINT =
  'One labelled query a line: {"id", "query", "history"?, "filters"?, "conditions"?, "answers"?, "patterns"?, "steps"?, "verdict"?, "passages"?, "grades"?, "answerable"?, "action"?, "group"?}.';

const parse = recordParser(Labelled, HINT);

/**
 * Labelled queries, one JSON object a line; an id that is a number becomes a string, a line without one is called
 * "line-N". Throws INVALID_INPUT naming file and line for a line that does not fit, contradicts itself or repeats an id.
 */
export async function ndjsonExamples(path: string, look?: Look): Promise<Example[]> {
  const list = new ExampleList((line) => `${path}, line ${line}`, look);
  for await (const { record: labelled, number } of recordsIn(path, parse, HINT)) {
    const problem = contradictionOf(labelled);
    if (problem !== null) throw badRecord(path, number, problem, HINT);
    list.add(labelled, number);
  }
  return list.examples;
}
