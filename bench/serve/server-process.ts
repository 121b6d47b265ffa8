/** The server as its users start it, and what it says of itself while it is measured. */
import { setTimeout as sleep } from 'node:timers/promises';
import { builtFile } from '../../common/index.ts';
import { kill, startProcess, type WorkerProcess } from '../../workers/faults/index.ts';
import { ask } from './client.ts';

export interface ServeProcess {
  url: string;
  process: WorkerProcess;
}

/** `pragaura serve` over this index on a free port, in a process of its own. Rejects when it does not open. */
export async function startServe(index: string, args: readonly string[] = []): Promise<ServeProcess> {
  const isReady = (line: string) => line.startsWith('http');
  const command = [
    builtFile('main.js'),
    'serve',
    '--index',
    `bench=${index}`,
    '--port',
    '0',
    '--log-level',
    'error',
  ];
  const own = await startProcess([...command, ...args], isReady);
  return { url: own.lines.find(isReady)!, process: own };
}

/** Runs `work` beside a server, and ends that by SIGKILL if it is still there. */
export async function withServe<T>(
  index: string,
  args: readonly string[],
  work: (server: ServeProcess) => Promise<T>,
): Promise<T> {
  const server = await startServe(index, args);
  try {
    return await work(server);
  } finally {
    if (!server.process.ended) await kill(server.process);
  }
}

/** Values of /metrics by the name of their series, labels in it. */
export type Metrics = ReadonlyMap<string, number>;

export async function metricsOf(url: string): Promise<Metrics> {
  const { text } = await ask(`${url}/metrics`);
  const series = text.split('\n').flatMap((line): [string, number][] => {
    if (line === '' || line.startsWith('#')) return [];
    const space = line.lastIndexOf(' ');
    return [[line.slice(0, space), Number(line.slice(space + 1))]];
  });
  return new Map(series);
}

/** Resident memory of the server in MiB, and the most of what was open in it. */
export interface Watched {
  before: number;
  peak: number;
  after: number;
  mostWaiting: number;
  mostStreams: number;
}

const EVERY_MS = 250;
/** For what a part has left to be given back. */
const REST_MS = 3_000;

/** Looks at the server from now on, four times a second, until the function given back is called. */
export async function watchServer(url: string): Promise<() => Promise<Watched>> {
  const resident = (metrics: Metrics) =>
    (metrics.get('process_resident_memory_bytes') ?? Number.NaN) / 2 ** 20;
  const before = resident(await metricsOf(url));
  const seen = { peak: before, mostWaiting: 0, mostStreams: 0 };
  const end = new AbortController();
  const looking = (async () => {
    while (!end.signal.aborted) {
      const metrics = await metricsOf(url);
      seen.peak = Math.max(seen.peak, resident(metrics));
      seen.mostWaiting = Math.max(seen.mostWaiting, metrics.get('pragaura_queries_waiting') ?? 0);
      seen.mostStreams = Math.max(seen.mostStreams, metrics.get('pragaura_streams_open') ?? 0);
      await sleep(EVERY_MS);
    }
  })();
  // Told to whoever stops it.
  looking.catch(() => {});
  return async () => {
    end.abort();
    await looking;
    await sleep(REST_MS);
    return { before, ...seen, after: resident(await metricsOf(url)) };
  };
}
