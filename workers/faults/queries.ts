import { PassThrough, Readable, Writable } from 'node:stream';
import { recordParser, runRecords } from '../../common/index.ts';
import { Query } from '../../router/index.ts';
import type { Decider } from '../worker/types.ts';
import { POISON } from './light-decider.ts';

/** Ids that trip queues, stores and objects: digits only, colons, braces, names of properties, other scripts. */
const ODD = [
  (n: number) => `${n}`,
  (n: number) => `tenant:${n}:query`,
  (n: number) => `{tag}${n}`,
  (n: number) => `__proto__${n === 4 ? '' : n}`,
  (n: number) => `größe ${n} \u2028 \ud83d\ude00`,
  (n: number) => `0x${n}`,
];
const POISON_EVERY = 50;

/** The `n`-th query of a run: ids of all sorts, and one in fifty that no router can decide. */
export function queryFor(n: number, name: string): Query {
  const id = n < 3 * ODD.length ? ODD[n % ODD.length]!(n + 1) : `${name}-${n}`;
  const text = `Who wrote "${name}" number ${n}? \\ ' ${'x'.repeat(n % 7)}`;
  return { id, query: n % POISON_EVERY === POISON_EVERY - 1 ? POISON + text : text };
}

const parseQuery = recordParser(Query, 'One query a line.');

/** As NDJSON. */
export function linesOf(queries: Iterable<Query>): Readable {
  return Readable.from(
    (function* () {
      for (const query of queries) yield `${JSON.stringify(query)}\n`;
    })(),
  );
}

/** What `pragaura route` writes for these queries with this decider, by their ids. */
export async function routed(
  decider: Pick<Decider, 'route'>,
  queries: readonly Query[],
): Promise<Map<string, string>> {
  const collected = new LineCollector();
  await runRecords({
    input: linesOf(queries).pipe(new PassThrough()),
    output: collected,
    window: 64,
    ordered: true,
    signal: new AbortController().signal,
    errors: () => {},
    parse: parseQuery,
    process: (query, signal) => decider.route(query, { signal }),
  });
  return new Map(collected.lines.map((line) => [(JSON.parse(line) as { id: string }).id, line]));
}

/** Keeps the lines that are written to it, and when the last one came. */
export class LineCollector extends Writable {
  readonly lines: string[] = [];
  #rest = '';

  override _write(chunk: Buffer | string, _: BufferEncoding, done: () => void): void {
    const parts = (this.#rest + chunk.toString()).split('\n');
    this.#rest = parts.pop()!;
    this.lines.push(...parts);
    done();
  }
}
