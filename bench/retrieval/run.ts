import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeHash, concurrently } from '../../calibration/index.ts';
import { sample, seededRandom } from '../../common/index.ts';
import { embeddedBackend, openIndex } from '../../corpus/index.ts';
import { loadProfiles } from '../../profiles/index.ts';
import { loadActClassifier } from '../../router/acts/index.ts';
import { openRetrieval } from '../../router/retrieval/index.ts';
import { type ModelChoice, openScorers, type Scorers } from '../../scorers/index.ts';
import { loadHotpotReferences } from '../datasets/hotpot.ts';
import { type DatasetName, loadDataset } from '../datasets/index.ts';
import { indexOf } from '../datasets/index-of.ts';
import { machineLine } from '../measure/machine.ts';
import { Progress } from '../measure/progress.ts';
import { ResultsFile } from '../measure/results-file.ts';
import { render, reportOn, type SetReport } from './report.ts';
import { type QueryResult, runStages, type StageParts } from './stages.ts';

export interface RetrievalOptions {
  sets: readonly DatasetName[];
  data: string;
  out: string;
  cache: string;
  titles: boolean;
  /** Queries of each set, a seeded sample; all when undefined. */
  limit: number | undefined;
  /** How many of them go through the cross-encoder as well. */
  rerankLimit: number;
  profiles: string | undefined;
  models: ModelChoice;
}

/** Enough queries in flight that no inference thread waits for the next one. */
const IN_FLIGHT = 8;

/** Retrieval figures of every set asked for, as text; the same as JSON and the results of each query in `out`. */
export async function benchRetrieval(
  options: RetrievalOptions,
  say: (line: string) => void,
): Promise<string> {
  const scorers = await openScorers({ ...options.models, jobs: ['embed', 'rerank'], announce: say });
  try {
    const parts: string[] = [];
    for (const set of options.sets) parts.push(render(await runSet(set, options, scorers, say)));
    return [...parts, '95 % intervals: percentile bootstrap by group, 1,000 resamples.', machineLine()].join(
      '\n\n',
    );
  } finally {
    await scorers.close();
  }
}

async function runSet(
  set: DatasetName,
  options: RetrievalOptions,
  scorers: Scorers,
  say: (line: string) => void,
): Promise<SetReport> {
  const dataset = await loadDataset(set, options.data, { titles: options.titles });
  const index = embeddedBackend(await openIndex(await indexOf(dataset, options.cache, scorers, say)));
  const parts: StageParts = {
    index,
    scorers,
    retrieval: openRetrieval(index),
    acts: await loadActClassifier(),
    profiles: loadProfiles(options.profiles),
  };
  const versions = {
    index: index.manifest.hash,
    models: scorers.info.models,
    profiles: parts.profiles.hash,
    code: await codeHash(),
  };
  const queries = sample(dataset.queries, options.limit ?? dataset.queries.length, seededRandom(1));
  const rerank = new Set(sample(queries, options.rerankLimit, seededRandom(2)).map(({ id }) => id));
  const file = await ResultsFile.open<QueryResult>(options.out, `retrieval-${set}`, versions);
  const progress = new Progress(set, queries.length, say);
  try {
    await concurrently(queries, IN_FLIGHT, async (query) => {
      const before = file.get(query.id);
      const enough =
        before !== undefined && (!rerank.has(query.id) || before.rankings['reranked, act'] !== undefined);
      if (!enough) await file.add(await runStages(parts, query, rerank.has(query.id)));
      progress.step(enough);
    });
  } finally {
    await file.close();
  }
  const results = queries.map(({ id }) => file.get(id)!);
  const report = reportOn(dataset, results, set === 'hotpot' ? await loadHotpotReferences(options.data) : []);
  await mkdir(options.out, { recursive: true });
  const where = path.join(options.out, `retrieval-${set}.json`);
  const record = {
    schema: 'pragaura.bench-retrieval/1',
    machine: machineLine(),
    versions,
    titles: options.titles,
  };
  await writeFile(where, `${JSON.stringify({ ...record, ...report })}\n`);
  say(`written: ${where}`);
  return report;
}
