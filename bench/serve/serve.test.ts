import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../cli/testing/cli.ts';
import { demoIndex } from '../../router/testing/demo-index.ts';
import { faultOfEvents, faultOfStream, measureConnections } from './connections.ts';
import { fatesOfLines, measureDrain } from './drain.ts';
import { compared } from './overhead.ts';
import { faultsOf, renderServe, type ServeReport } from './render.ts';
import { measureSlow } from './slow-clients.ts';

const queries = [
  { id: 'a', query: 'How long are raw observations kept?' },
  { id: 'b', query: 'What about it?' },
];
const EMPTY: ServeReport = {
  schema: 'pragaura.bench-serve/1',
  machine: 'here',
  set: 'demo',
  about: 'demo',
  overhead: null,
  connections: null,
  slow: null,
  drain: null,
  page: null,
  malformed: null,
};

describe('a real server', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-bench-serve-'));
  const index = path.join(folder, 'index');
  beforeAll(() => demoIndex(index));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('gives all connections and streams what they must get', async () => {
    const report = await measureConnections(index, queries, { connections: 30, streams: 6 });
    expect(report.whole).toEqual({ connections: 30, streams: 6 });
    expect(report.else).toEqual({});
    expect(report.mostOpen).toBeGreaterThan(6);
    expect(report.memory.peak).toBeGreaterThanOrEqual(report.memory.before);
    expect(faultsOf({ ...EMPTY, connections: report })).toEqual([]);
  });

  it('loses nothing when it is ended while busy, given time or not', async () => {
    for (const seconds of [600, 0]) {
      const report = await measureDrain(index, queries, seconds);
      expect(report).toMatchObject({
        how: '0',
        decisions: { lost: 0 },
        events: { lost: 0 },
        lines: { lost: 0 },
      });
      // How many of eight are decided before a server without time ends is the machine's matter; not all of 48 are.
      if (seconds > 0) expect(report.decisions.told).toBe(0);
      else expect(report.decisions.told + report.lines.told).toBeGreaterThan(0);
    }
  });

  it('serves others beside slow and half-open callers', async () => {
    const report = await measureSlow(index, queries, 3);
    expect(report.readers.read).toBeGreaterThan(0);
    expect(Object.keys(report.others.statuses)).toEqual(['200']);
    expect(report.halfOpen.body).toEqual({ sockets: 100, closed: 0, lastAfter: null });
  });
});

describe('what a caller got', () => {
  const decision = (id: string) => ({ id });
  it.each([
    ['all', [decision('a'), decision('b')], true, null],
    ['too few', [decision('a')], true, 'other lines'],
    ['another order', [decision('b'), decision('a')], true, 'other lines'],
    ['an end that came early', [decision('a'), decision('b')], false, 'stream broken off'],
    ['an error', [decision('a'), { id: 'b', error: { code: 'ABORTED' } }], true, 'line ABORTED'],
  ])('of a stream: %s', (_, lines, whole, fault) => {
    expect(faultOfStream({ sent: 2, lines, whole }, ['a', 'b'])).toBe(fault);
  });

  const act = 'event: act\ndata: {}\n\n';
  const last = 'event: decision\ndata: {"id":"a"}\n\n';
  it.each([
    ['all of a light one', act + last, false, null],
    ['a decision without its stages', act + last, true, 'stages missing'],
    ['no decision', act, false, 'last event act'],
    ['an error', `${act}event: error\ndata: {}\n\n`, false, 'last event error'],
    ['nothing', '', false, 'no event'],
    ['that of another', last.replace('"a"', '"b"'), false, 'decision of another'],
  ])('of events: %s', (_, text, asks, fault) => {
    expect(faultOfEvents(text, 'a', asks)).toBe(fault);
  });

  const told = { id: null, error: { code: 'ABORTED' } };
  it.each([
    ['all', [decision('a'), decision('b'), decision('c')], true, [3, 0, 0]],
    ['one, and the rest told by the last line', [decision('a'), told], true, [1, 2, 0]],
    ['an error of its own', [decision('a'), { ...told, id: 'b' }, told], true, [1, 2, 0]],
    ['one, and nothing more', [decision('a')], true, [1, 0, 2]],
    ['a connection that broke', [decision('a')], false, [1, 0, 2]],
  ])('of three lines at the end: %s', (_, lines, whole, [answered, were, lost]) => {
    expect(fatesOfLines(3, { lines, whole })).toEqual({ answered, told: were, refused: 0, lost });
  });
});

it('takes the time in the router away, query by query', () => {
  const pairs = [100, 400, 900].map((router) => ({
    route: { response: router + 1, router },
    http: { response: router + 53, router: router + 50 },
  }));
  const { difference, share, http } = compared(pairs);
  expect(difference.around.p50).toEqual({ value: 2, low: 2, high: 2 });
  expect(difference.response.p50.value).toBe(52);
  expect(http.around.p95.value).toBeCloseTo(3, 9);
  expect(share.value).toBeCloseTo(2 / 453, 9);
});

it('names what must not be', () => {
  const memory = { before: 1, peak: 1, after: 1, mostWaiting: 0, mostStreams: 0 };
  const malformed = {
    fuzzer: 'f',
    statuses: { 400: 9, 500: 1 },
    alive: true,
    clean: true,
    seconds: 1,
    memory,
  };
  expect(renderServe({ ...EMPTY, malformed })).toContain('malformed requests were answered with 5xx');
  expect(renderServe(EMPTY)).toContain('what must not be: nothing');
});

it.each([
  [['--parts', 'everything'], 2, 'everything'],
  [['--connections', '0'], 2, 'whole number'],
  [['--schemathesis', '/nowhere/schemathesis'], undefined, 'pip install schemathesis'],
])('%j is refused with what is wrong', async (args, code, part) => {
  const run = await runCli(['bench', 'serve', ...args]);
  expect(run.stdout).toBe('');
  expect(run.stderr).toContain(part);
  if (code !== undefined) expect(run.code).toBe(code);
  expect(run.code).not.toBe(0);
});
