/** Whom a stand's jobs go to: workers of one kind, and what they should say. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { builtFile } from '../../common/index.ts';
import { Query } from '../../router/index.ts';
import { lightDecider } from './light-decider.ts';
import type { LightWorkerSettings } from './light-worker.ts';
import { queryFor, routed } from './queries.ts';
import { startLightWorker, startProcess, type WorkerProcess } from './worker-process.ts';

export interface WorkerSettings {
  redis: string;
  queue: string;
  concurrency: number;
  lockMs: number;
}

export interface Fleet {
  /** Decides without models. */
  readonly isLight: boolean;
  /** Of its workers; for real ones known once the first has started. */
  readonly configuration: string;
  /** A worker that takes jobs up by the time this resolves. */
  start(settings: WorkerSettings, light?: Partial<LightWorkerSettings>): Promise<WorkerProcess>;
  /** The `n`-th query of a run. */
  query(n: number, name: string): Query;
  /** What `pragaura route` writes for these, by id. */
  expected(queries: readonly Query[]): Promise<Map<string, string>>;
}

/** Workers that decide without models, each job in `meanMs` on average. */
export function lightFleet(meanMs: number, variant = 'a'): Fleet {
  const decider = lightDecider({ meanMs: 0, variant });
  return {
    isLight: true,
    configuration: decider.configuration,
    start: (settings, light) => startLightWorker({ ...settings, meanMs, drainMs: 0, variant, ...light }),
    query: queryFor,
    expected: (queries) => routed(decider, queries),
  };
}

/** `pragaura worker` with the real models over the demo collection, indexed in `folder`; one inference thread each. */
export function realFleet(folder: string): Fleet {
  const demo = createRequire(import.meta.url).resolve('#demo/queries.ndjson');
  const index = join(folder, 'index');
  runMain(['index', join(dirname(demo), 'documents'), '--out', index], '');
  const asked = readFileSync(demo, 'utf8');
  const texts = asked
    .trimEnd()
    .split('\n')
    .map((line) => Query.parse(JSON.parse(line)).query);
  const decided = runMain(['route', '--index', index], asked).trimEnd().split('\n');
  let configuration = '';
  return {
    isLight: false,
    get configuration() {
      return configuration;
    },
    async start({ redis, queue, concurrency, lockMs }) {
      const args = ['--index', index, '--redis', redis, '--queue', queue, '--threads', '1'];
      args.push('--concurrency', `${concurrency}`, '--lock', `${Math.ceil(lockMs / 1_000)}`);
      args.push('--drain-timeout', '0');
      const killer = builtFile('workers/faults/thread-killer.js');
      return startProcess(['--import', killer, builtFile('main.js'), 'worker', ...args], (line) => {
        const ready = /"event":"worker\.ready"/.test(line);
        if (ready) configuration = (JSON.parse(line) as { configuration: string }).configuration;
        return ready;
      });
    },
    query: (n, name) => ({ id: `${name}:${n}`, query: texts[n % texts.length]! }),
    async expected(queries) {
      const lineOf = new Map(texts.map((text, place) => [text, decided[place]!]));
      return new Map(
        queries.map(({ id, query }) => [
          id,
          JSON.stringify({ ...(JSON.parse(lineOf.get(query)!) as object), id }),
        ]),
      );
    },
  };
}

function runMain(args: readonly string[], input: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [builtFile('main.js'), ...args], {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  if (status === 0) return stdout;
  throw new Error(`pragaura ${args[0]} ended with ${status}: ${stderr}`);
}
