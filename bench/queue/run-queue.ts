import path from 'node:path';
import { checkFolder, writeParts } from '../../calibration/index.ts';
import { sample, seededRandom } from '../../common/index.ts';
import type { Query } from '../../router/index.ts';
import { openScorers } from '../../scorers/index.ts';
import { startRedis } from '../../workers/testing/redis.ts';
import { loadDataset } from '../datasets/index.ts';
import { indexOf } from '../datasets/index-of.ts';
import { machineLine } from '../measure/machine.ts';
import type { SampleOptions } from '../measure/sample-options.ts';
import { drainOurs } from './drain-ours.ts';
import { drainPlain } from './plain-bullmq.ts';
import { type QueueReport, renderQueue } from './render.ts';
import { soak } from './soak.ts';
import { measureOverhead, measureThroughput } from './with-models.ts';

type Part = 'drain' | 'throughput' | 'overhead' | 'soak';

export interface QueueOptions extends SampleOptions {
  parts: readonly Part[];
  /** Empty jobs of a drain. */
  jobs: number;
  /** Jobs of the soak. */
  soak: number;
}

/** BullMQ's own benchmark has 100. */
const CONCURRENCIES = [1, 8, 100];
const SEED = 1;

/** The queue measured on a Redis of its own with an append-only file; as text, and as `queue.json` in `out`. */
export async function benchQueue(
  options: QueueOptions,
  say: (line: string) => void,
): Promise<{ text: string; exact: boolean }> {
  await checkFolder(options.out);
  const wants = (part: Part) => options.parts.includes(part);
  const dataset = await loadDataset(options.set, options.data, { titles: options.titles });
  const queries: Query[] = sample(dataset.queries, options.n, seededRandom(SEED)).map(({ id, query }) => ({
    id,
    query,
  }));
  const redis = await startRedis({ aof: true });
  try {
    const report: QueueReport = {
      schema: 'pragaura.bench-queue/1',
      machine: machineLine(),
      set: options.set,
      about: `${dataset.about}; ${dataset.documents.length} documents`,
      drain: null,
      throughput: null,
      overhead: null,
      soak: null,
      exact: true,
    };
    if (wants('drain')) {
      report.drain = [];
      for (const concurrency of CONCURRENCIES) {
        say(`${options.jobs} empty jobs, concurrency ${concurrency} …`);
        const plain = await drainPlain(redis.port, options.jobs, concurrency);
        report.drain.push({ plain, ours: await drainOurs(redis.url, options.jobs, concurrency) });
      }
    }
    if (wants('throughput') || wants('overhead')) {
      const scorers = await openScorers({ jobs: ['embed'], announce: say });
      const index = await indexOf(dataset, options.cache, scorers, say).finally(() => scorers.close());
      const setting = { index, redis: redis.url, queries, say };
      if (wants('throughput')) report.throughput = await measureThroughput(setting);
      if (wants('overhead')) report.overhead = await measureOverhead(setting);
    }
    if (wants('soak')) report.soak = await soak(redis.url, options.soak, say);
    report.exact = [
      ...(report.drain ?? []).map(({ ours }) => ours.exact),
      ...(report.throughput?.runs ?? []).map(({ exact }) => exact),
      report.overhead?.exact ?? true,
      report.soak?.exact ?? true,
    ].every((exact) => exact);
    await writeParts(options.out, [{ name: 'queue.json', text: `${JSON.stringify(report)}\n` }]);
    const text = `${renderQueue(report)}\nwritten: ${path.join(options.out, 'queue.json')}`;
    return { text, exact: report.exact };
  } finally {
    await redis.close();
  }
}
