/** Streams to run records through. Tests only. */
import { Readable, Writable } from 'node:stream';
import { type RecordsOptions, runRecords } from '../ndjson.ts';

/** A consumer that keeps what it gets; `accept` decides when it takes the next chunk. */
export function sink(accept: (done: (error?: Error) => void) => void = (done) => done(), highWaterMark = 1) {
  const chunks: Buffer[] = [];
  const output = new Writable({
    highWaterMark,
    write(chunk, _encoding, done) {
      chunks.push(chunk);
      accept(done);
    },
  });
  const records = () =>
    Buffer.concat(chunks)
      .toString()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  return { output, records };
}

export async function run(
  input: Readable | string | Uint8Array,
  options: Partial<RecordsOptions<unknown>> = {},
) {
  const { output, records } = sink();
  const told: string[] = [];
  const source =
    input instanceof Readable
      ? input
      : Readable.from([typeof input === 'string' ? Buffer.from(input) : input], { objectMode: false });
  const summary = await runRecords({
    input: source,
    output,
    parse: (value) => value,
    process: async (item) => ({ item }),
    errors: (message) => told.push(message),
    window: 4,
    ...options,
  });
  return { summary, records: records(), told };
}
