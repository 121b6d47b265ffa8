import { once } from 'node:events';
import { builtFile } from '../../common/index.ts';
import { kill, startProcess, type WorkerProcess } from '../../workers/faults/index.ts';
import type { ProbeReport } from './worker-probe.ts';

export interface ModelWorkers {
  index: string;
  redis: string;
  queue: string;
  workers: number;
  /** Inference threads of each. */
  threads: number;
  concurrency: number;
}

/** `pragaura worker` as users run it, so many times, with the probe in each. Resolves when all take jobs up. */
export async function startWorkers(settings: ModelWorkers): Promise<WorkerProcess[]> {
  const { index, redis, queue, workers, threads, concurrency } = settings;
  const args = ['--index', index, '--redis', redis, '--queue', queue];
  args.push('--threads', `${threads}`, '--concurrency', `${concurrency}`);
  const isReady = (line: string) => line.includes('"event":"worker.ready"');
  return Promise.all(
    Array.from({ length: workers }, () => startProbed([process.argv[1]!, 'worker', ...args], isReady)),
  );
}

/** Starts a program of Node with the probe in it. */
export function startProbed(
  args: readonly string[],
  isReady: (line: string) => boolean,
): Promise<WorkerProcess> {
  const probe = builtFile('bench/queue/worker-probe.js');
  return startProcess(['--expose-gc', '--import', probe, ...args], isReady);
}

/** What the probe saw since it was last asked. */
export async function askProbe({ child }: WorkerProcess): Promise<ProbeReport> {
  const answer = once(child, 'message');
  child.send('report');
  return ((await answer) as [ProbeReport])[0];
}

export async function endAll(workers: readonly WorkerProcess[]): Promise<void> {
  await Promise.all(workers.map(kill));
}

/** Milliseconds from SIGTERM to the end of the process, and how it ended. */
export async function terminated(worker: WorkerProcess): Promise<{ ms: number; how: string }> {
  const start = performance.now();
  worker.child.kill('SIGTERM');
  const how = await worker.exited;
  return { ms: performance.now() - start, how: String(how) };
}
