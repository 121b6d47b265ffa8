import path from 'node:path';
import { checkFolder, writeParts } from '../../calibration/index.ts';
import { sample, seededRandom } from '../../common/index.ts';
import { openScorers } from '../../scorers/index.ts';
import { loadDataset } from '../datasets/index.ts';
import { indexOf } from '../datasets/index-of.ts';
import { machineLine } from '../measure/machine.ts';
import type { SampleOptions } from '../measure/sample-options.ts';
import { measureConnections } from './connections.ts';
import { measureDrain } from './drain.ts';
import { checkFuzzer, measureMalformed } from './malformed.ts';
import { measureOverhead } from './overhead.ts';
import { measurePage } from './page.ts';
import { faultsOf, renderServe, type ServeReport } from './render.ts';
import { measureSlow } from './slow-clients.ts';

type Part = 'overhead' | 'connections' | 'slow' | 'drain' | 'page' | 'malformed';

export interface ServeBenchOptions extends SampleOptions {
  parts: readonly Part[];
  /** Server-sent events open at once, and streams beside them. */
  connections: number;
  streams: number;
  /** How long each rate is kept up, and slow callers are looked at. */
  seconds: number;
  /** Of `route`, queries a second; left out: measured. */
  knee: number | undefined;
  /** Malformed ones, about. */
  requests: number;
  /** What starts schemathesis. */
  schemathesis: string;
}

/** More than the questions take, and less. */
const DRAIN_SECONDS = [90, 2];

/** `pragaura serve` in a process of its own, measured; as text, and as `serve.json` in `out`. `held`: no request was lost, no 5xx, no crash. Throws NOT_FOUND before anything else for a fuzzer that is missing. */
export async function benchServe(
  options: ServeBenchOptions,
  say: (line: string) => void,
): Promise<{ text: string; held: boolean }> {
  await checkFolder(options.out);
  const wants = (part: Part) => options.parts.includes(part);
  if (wants('malformed')) await checkFuzzer(options.schemathesis);
  const dataset = await loadDataset(options.set, options.data, { titles: options.titles });
  const queries = sample(dataset.queries, options.n, seededRandom(1)).map(({ id, query }) => ({ id, query }));
  const scorers = await openScorers({ announce: say });
  const report: ServeReport = {
    schema: 'pragaura.bench-serve/1',
    machine: machineLine(),
    set: options.set,
    about: `${dataset.about}; ${dataset.documents.length} documents`,
    overhead: null,
    connections: null,
    slow: null,
    drain: null,
    page: null,
    malformed: null,
  };
  let index: string;
  try {
    index = await indexOf(dataset, options.cache, scorers, say);
    if (wants('overhead')) {
      report.overhead = await measureOverhead({ ...options, index, scorers, queries, say });
    }
  } finally {
    await scorers.close();
  }
  if (wants('connections')) {
    say(`${options.connections} connections and ${options.streams} streams at once …`);
    report.connections = await measureConnections(index, queries, options);
  }
  if (wants('slow')) {
    say(`slow and half-open callers for ${options.seconds} s …`);
    report.slow = await measureSlow(index, queries, options.seconds);
  }
  if (wants('drain')) {
    report.drain = [];
    for (const seconds of DRAIN_SECONDS) {
      say(`SIGTERM while busy, ${seconds} s to end …`);
      report.drain.push(await measureDrain(index, queries, seconds));
    }
  }
  if (wants('page')) {
    say('the page in Chromium …');
    report.page = await measurePage(index);
  }
  if (wants('malformed')) {
    say(`about ${options.requests} malformed requests …`);
    report.malformed = await measureMalformed(index, options.schemathesis, options.requests);
  }
  await writeParts(options.out, [{ name: 'serve.json', text: `${JSON.stringify(report)}\n` }]);
  const text = `${renderServe(report)}\nwritten: ${path.join(options.out, 'serve.json')}`;
  return { text, held: faultsOf(report).length === 0 };
}
