/** Jobs that cost nothing to decide: what is left is the queue. */
import { Writable } from 'node:stream';
import { builtFile } from '../../common/index.ts';
import { lightFleet, linesOf } from '../../workers/faults/index.ts';
import { runResults } from '../../workers/results/index.ts';
import { runSubmit } from '../../workers/submit/index.ts';
import { startProbed } from './fleet.ts';

const TENANT = 'bench';
export const fleet = lightFleet(0);

/** A signal that never fires. */
export function never(): AbortSignal {
  return new AbortController().signal;
}

export function queriesOf(count: number, name: string) {
  return Array.from({ length: count }, (_, n) => ({ id: `${name}-${n}`, query: `Who wrote number ${n}?` }));
}

export function submitted(
  redis: string,
  queue: string,
  queries: Iterable<{ id: string; query: string }>,
  mostWaiting: number,
) {
  return runSubmit({
    redis,
    queue,
    configuration: fleet.configuration,
    tenant: TENANT,
    priority: 'bulk',
    mostWaiting,
    wait: false,
    resubmit: false,
    window: 1_000,
    ordered: false,
    input: linesOf(queries),
    output: new Writable({ write: (_chunk, _encoding, done) => done() }),
    say: () => {},
    signal: never(),
  });
}

export function startLight(
  redis: string,
  queue: string,
  concurrency: number,
  retention?: { results: number; ms: number },
) {
  const settings = {
    redis,
    queue,
    concurrency,
    lockMs: 30_000,
    drainMs: 10_000,
    meanMs: 0,
    variant: 'a',
    retention,
  };
  const file = builtFile('workers/faults/light-worker.js');
  return startProbed([file, JSON.stringify(settings)], (line) => line === 'ready');
}

export function read(redis: string, queue: string, output: Writable, follow: boolean, signal: AbortSignal) {
  return runResults({
    redis,
    queue,
    tenant: TENANT,
    follow,
    ordered: false,
    ledger: undefined,
    cursor: undefined,
    out: undefined,
    output,
    say: () => {},
    signal,
  });
}
