import { once } from 'node:events';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { kill } from '../../workers/faults/index.ts';
import { connectRedis, disconnectRedis } from '../../workers/queue/index.ts';
import { residentMiB } from '../measure/machine.ts';
import { askProbe } from './fleet.ts';
import { queriesOf, read, startLight, submitted } from './light-jobs.ts';

export interface SoakSample {
  jobs: number;
  /** MiB: the heap of the worker after a collection, its resident memory, this process's, and what Redis uses. */
  heap: number;
  resident: number;
  client: number;
  redis: number;
}

export interface Soak {
  jobs: number;
  seconds: number;
  samples: SoakSample[];
  exact: boolean;
  /** Whether the last third is larger than the first by no more than a tenth, once as much is kept as may be. */
  flat: boolean;
}

const SAMPLES = 20;
/** Kept results: far fewer than jobs, so that what is kept is bounded by them. */
const KEPT = 2_000;

/** Jobs submitted, worked on, read and forgotten at the same time, with memory looked at twenty times. */
export async function soak(redis: string, jobs: number, say: (line: string) => void): Promise<Soak> {
  const queue = 'soak';
  const client = await connectRedis(redis, 'worker');
  const worker = await startLight(redis, queue, 16, { results: KEPT, ms: 3_600_000 });
  const stop = new AbortController();
  const seen = new IdCounter();
  const start = performance.now();
  const reading = read(redis, queue, seen, true, stop.signal);
  reading.catch(() => {});
  const samples: SoakSample[] = [];
  try {
    const feeding = submitted(redis, queue, queriesOf(jobs, 'soak'), 500);
    feeding.catch(() => {});
    while (seen.count < jobs) {
      const target = Math.ceil((jobs * (samples.length + 1)) / SAMPLES);
      while (seen.count < target) await Promise.race([once(seen, 'line'), sleep(1_000)]);
      const { heapMiB, residentMiB: resident } = await askProbe(worker);
      const memory = /used_memory:(\d+)/.exec(await client.info('memory'));
      const sample = {
        jobs: seen.count,
        heap: heapMiB,
        resident,
        client: residentMiB(),
        redis: Number(memory?.[1]) / 2 ** 20,
      };
      samples.push(sample);
      say(`soak: ${seen.count} of ${jobs} jobs, heap of the worker ${heapMiB.toFixed(1)} MiB`);
    }
    await feeding;
    const exact = seen.count === jobs && seen.distinct === jobs;
    return { jobs, seconds: (performance.now() - start) / 1_000, samples, exact, flat: isFlat(samples) };
  } finally {
    stop.abort();
    await reading.catch(() => {});
    await kill(worker);
    await disconnectRedis(client);
  }
}

const GROWTH = 1.1;

/** Of the worker's heap and of Redis; false when too few samples are left to say. */
export function isFlat(samples: readonly SoakSample[]): boolean {
  const settled = samples.filter(({ jobs }) => jobs >= 2 * KEPT);
  const third = Math.floor(settled.length / 3);
  if (third === 0) return false;
  const mean = (some: readonly SoakSample[], of: 'heap' | 'redis') =>
    some.reduce((sum, sample) => sum + sample[of], 0) / some.length;
  return (['heap', 'redis'] as const).every(
    (of) => mean(settled.slice(-third), of) <= GROWTH * mean(settled.slice(0, third), of),
  );
}

/** Counts lines and different ids; emits "line" as they come. */
class IdCounter extends Writable {
  count = 0;
  readonly #ids = new Set<string>();
  #rest = '';

  get distinct(): number {
    return this.#ids.size;
  }

  override _write(chunk: Buffer | string, _: BufferEncoding, done: () => void): void {
    const lines = (this.#rest + chunk.toString()).split('\n');
    this.#rest = lines.pop()!;
    for (const line of lines) this.#ids.add((JSON.parse(line) as { id: string }).id);
    this.count += lines.length;
    this.emit('line');
    done();
  }
}
