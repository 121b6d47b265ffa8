import path from 'node:path';
import { checkFolder, codeHash, writeParts } from '../../calibration/index.ts';
import { seededRandom } from '../../common/index.ts';
import { openRouter, type Router } from '../../router/index.ts';
import { loadDataset } from '../datasets/index.ts';
import { indexOf } from '../datasets/index-of.ts';
import type { DataQuery } from '../datasets/types.ts';
import { inTurn } from '../measure/in-turn.ts';
import { machineLine } from '../measure/machine.ts';
import { Progress } from '../measure/progress.ts';
import { ResultsFile } from '../measure/results-file.ts';
import type { SampleOptions } from '../measure/sample-options.ts';
import { type Asked, ask } from './ask.ts';
import { differenceOf, figuresOf, type Row } from './figures.ts';
import { openReaders, type Reader } from './readers.ts';
import { type ModelsReport, renderModels } from './render.ts';

export interface ModelsOptions extends SampleOptions {
  /** At least two; the first is what the others are compared with. */
  readers: readonly Reader[];
  /** Inference threads of each reader; default: one a core. */
  threads: number | undefined;
}

/** One query under every reader, in their order. */
interface Kept {
  id: string;
  query: string;
  asked: Asked[];
}

interface Side {
  reader: Reader;
  router: Router;
  keep: number | null;
}

const SEED = 1;
/** Queries that every reader is asked first and that are not counted. */
const WARM_UP = 10;

/**
 * The same queries with every reader, one at a time and in turns, under the default profiles and budget and the
 * provisional thresholds; text and report, which is also in `out` as JSON. Throws what opening readers, data and index
 * throws, before anything is measured.
 */
export async function benchModels(
  options: ModelsOptions,
  say: (line: string) => void,
): Promise<{ text: string; report: ModelsReport }> {
  const { set, out } = options;
  await checkFolder(out);
  const open = await openReaders(options.readers, options.threads, say);
  try {
    const dataset = await loadDataset(set, options.data, { titles: options.titles });
    const index = await indexOf(dataset, options.cache, open.embedder, say);
    const queries = inTurn(dataset.queries, seededRandom(SEED)).slice(0, options.n);
    const sides: Side[] = [];
    for (const { reader, scorers } of open.readers) {
      const router = await openRouter({ index, scorers, announce: say, rule: 'provisional' });
      sides.push({ reader, router, keep: scorers.info.keep });
    }
    const { threads } = open.embedder.info;
    const rows = await measured(sides, queries, threads, options, say);
    const report: ModelsReport = {
      schema: 'pragaura.bench-models/1',
      machine: machineLine(),
      set,
      about: `${dataset.about}; ${dataset.documents.length} documents`,
      titles: options.titles,
      questions: rows.length,
      groups: new Set(queries.map(({ group }) => group)).size,
      threads,
      readers: sides.map(({ reader: { label }, keep, router: { versions } }, place) => ({
        label,
        keep,
        versions,
        figures: figuresOf(rows, place),
      })),
      differences: sides.slice(1).map(({ reader: { label } }, i) => ({
        reader: label,
        first: sides[0]!.reader.label,
        ...differenceOf(rows, i + 1),
      })),
    };
    const name = `models-${set}.json`;
    await writeParts(out, [{ name, text: `${JSON.stringify(report)}\n` }]);
    return { text: `${renderModels(report)}\nwritten: ${path.join(out, name)}`, report };
  } finally {
    await open.close();
  }
}

/**
 * What all readers made of each query. A query is asked of all of them or of none in one go, each time beginning with
 * another one, so that what else the machine does falls on all alike.
 */
async function measured(
  sides: readonly Side[],
  queries: readonly DataQuery[],
  threads: number,
  { set, out }: ModelsOptions,
  say: (line: string) => void,
): Promise<Row[]> {
  const versions = {
    readers: sides.map(({ router, keep }) => ({ ...router.versions, keep })),
    // Times are kept as well.
    threads,
    machine: machineLine(),
    code: await codeHash(),
  };
  const file = await ResultsFile.open<Kept>(out, `models-${set}`, versions);
  const known = ({ id, query }: DataQuery) => {
    const kept = file.get(id);
    return kept?.query === query ? kept : undefined;
  };
  try {
    if (queries.some((query) => known(query) === undefined)) {
      say(`warming up with ${Math.min(WARM_UP, queries.length)} queries`);
      for (const query of queries.slice(0, WARM_UP)) await inTurns(sides, query, 0);
    }
    const progress = new Progress(`${set}, ${sides.length} readers`, queries.length, say);
    for (const [place, query] of queries.entries()) {
      const before = known(query);
      if (before === undefined) {
        await file.add({ id: query.id, query: query.query, asked: await inTurns(sides, query, place) });
      }
      progress.step(before !== undefined);
    }
    // Labels are those of today's data, not of the run that measured.
    return queries.map((question) => ({ question, asked: known(question)!.asked }));
  } finally {
    await file.close();
  }
}

/** The answers in the order of the readers, whichever is asked first. */
async function inTurns(sides: readonly Side[], query: DataQuery, place: number): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (let turn = 0; turn < sides.length; turn++) {
    const at = (place + turn) % sides.length;
    asked[at] = await ask(sides[at]!.router, query);
  }
  return asked;
}
