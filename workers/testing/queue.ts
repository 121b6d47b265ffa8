/** Streams into and out of a queue as the commands make them, in this process. Tests only. */
import { Readable, Writable } from 'node:stream';
import { connectRedis, QueueStore } from '../queue/index.ts';
import { runSubmit, type SubmitOptions } from '../submit/index.ts';

export interface Ran {
  code: number;
  records: Record<string, unknown>[];
  said: string[];
}

/** A stream that keeps what is written to it. */
export function kept(): Writable & { text: string } {
  const sink = new Writable({
    write(chunk, _, done) {
      sink.text += String(chunk);
      done();
    },
  }) as Writable & { text: string };
  sink.text = '';
  return sink;
}

export const recordsIn = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

export async function submitted(
  lines: readonly (object | string)[],
  options: Partial<SubmitOptions> & Pick<SubmitOptions, 'redis'>,
): Promise<Ran> {
  const output = kept();
  const said: string[] = [];
  const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  const code = await runSubmit({
    queue: 'test',
    tenant: 'default',
    priority: 'bulk',
    mostWaiting: 100_000,
    wait: false,
    resubmit: false,
    window: 1000,
    ordered: true,
    input: Readable.from([Buffer.from(text)]),
    output,
    say: (message) => said.push(message),
    signal: new AbortController().signal,
    ...options,
  });
  return { code, records: recordsIn(output.text), said };
}

/** A store on a connection of its own, for looking. */
export async function storeAt(redis: string, queue = 'test') {
  const client = await connectRedis(redis, 'producer');
  return { client, store: new QueueStore(client, queue), close: () => client.disconnect() };
}

/** Until it holds; looked at every few milliseconds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}
