/** What whoever runs the server sees of it: over a real server, with decisions that were really made. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { loadCalibration, openStateFile } from '../../calibration/index.ts';
import { demoIndex } from '../../router/testing/demo-index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { openLog } from '../../workers/health/log.ts';
import type { Server, ServerOptions } from '../server.ts';
import { calibrate, forSources } from '../testing/calibrate.ts';
import { keyWith, testServer } from '../testing/serve.ts';

const FACT = 'Up to which wind speed may technicians climb a mast?';
const SAID =
  'Climbing a mast is forbidden when the wind is stronger than 10 metres per second. ' +
  'It is also forbidden during a thunderstorm, with ice on the mast, and in the dark.';
const UNKNOWN = 'Who won the football world cup in 1998?';
/** In so many parts that whoever asks it can leave before it is decided. */
const LONG = ['mast', 'tower', 'ladder', 'roof', 'blade', 'crane', 'cabin', 'wall']
  .map((place) => FACT.replace('mast', place))
  .join(' ');
const JSON_TYPE = { 'content-type': 'application/json' };

const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-operations-'));
const index = path.join(folder, 'index');
let calibrationFile: string;
let scorers: Scorers;
let server: Server | null = null;
let logged = '';

beforeAll(async () => {
  await demoIndex(index);
  const made = path.join(folder, 'made.json');
  // Most of it for the test split: what is watched is held against that.
  await calibrate(index, made, ['--split', '20/30/50']);
  calibrationFile = await forSources(made);
  scorers = await openScorers({ threads: 2 });
});
afterAll(async () => {
  await scorers?.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(async () => {
  await server?.close(0);
  server = null;
});

async function serve(options: Partial<ServerOptions> = {}, isCalibrated = false): Promise<void> {
  await server?.close(0);
  const log = openLog({ level: 'info', write: (line) => (logged += line) });
  const calibration = isCalibrated
    ? { calibrationFile, thresholds: await loadCalibration(calibrationFile) }
    : {};
  const collections = [{ name: 'demo', index, scorers, ...calibration }];
  server = await testServer({ collections, scorers, log, ...options });
}

// biome-ignore lint/suspicious/noExplicitAny: records of several kinds.
async function get(what: string, headers: Record<string, string> = {}): Promise<any> {
  return (await fetch(`${server!.url}/v1/collections/demo/${what}`, { headers })).json();
}

// biome-ignore lint/suspicious/noExplicitAny: records of several kinds.
async function post(to: string, body: object, headers: Record<string, string> = {}): Promise<any> {
  const response = await fetch(`${server!.url}/v1/${to}`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify(body),
  });
  return response.json();
}

it('is every decision, by whichever door it was asked for, with its time, the latest first', async () => {
  await serve();
  const { timings, U } = await post('decisions', { id: 'a', query: FACT });
  await post('decisions', { id: 'b', query: UNKNOWN });
  await post('chat/completions', { model: 'demo', messages: [{ role: 'user', content: FACT }] });
  const lines = ['c', 'd'].map((id) => `${JSON.stringify({ id, query: UNKNOWN })}\n`).join('');
  await (
    await fetch(`${server!.url}/v1/decisions:stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines,
    })
  ).text();

  const { since, recent, latency, ...counts } = await get('activity');
  expect(Date.parse(since)).toBeLessThan(Date.now());
  expect(counts).toMatchObject({ decisions: 5, remembered: 5, failures: [] });
  expect(counts.acts).toEqual([{ act: 'FACT', answered: 2, asked: 0, abstained: 3 }]);
  expect(counts.reasons).toEqual([{ reason: expect.any(String), decisions: 3 }]);
  expect(recent.map(({ id }: { id: string }) => id).slice(-2)).toEqual(['b', 'a']);
  expect(recent.at(-1)).toMatchObject({
    ...{ query: FACT, act: 'FACT', action: 'ANSWER', reason: null, text: SAID },
    ...{ caller: 'local', U, ms: timings.total },
  });
  expect(latency[0]).toMatchObject({ stage: 'total', decisions: 5 });
  expect(latency[0].p50).toBeLessThanOrEqual(latency[0].p95);
  expect(latency[0].most).toBe(Math.max(...recent.map(({ ms }: { ms: number }) => ms)));
  expect((await get('activity?recent=1')).recent).toHaveLength(1);
  expect((await get('activity?recent=-1')).code).toBe('INVALID_INPUT');
});

it('forgets the oldest, or remembers nothing; long questions are cut, and none is in the log', async () => {
  await serve({ recent: 2 });
  for (const id of ['a', 'b', 'c']) await post('decisions', { id, query: `${'x'.repeat(400)} ${UNKNOWN}` });
  const { decisions, recent } = await get('activity');
  expect([decisions, recent.map(({ id }: { id: string }) => id)]).toEqual([3, ['c', 'b']]);
  expect(recent[0].query).toBe(`${'x'.repeat(300)}…`);
  expect(logged).not.toContain('xxx');
  await serve({ recent: 0 });
  await post('decisions', { id: 'a', query: FACT });
  expect(await get('activity')).toMatchObject({ decisions: 1, remembered: 0, recent: [], latency: [] });
});

it('counts what could not be decided, and not that somebody left', async () => {
  await serve({ timeoutMs: 1 });
  expect(await post('decisions', { query: FACT })).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  await serve();
  const gone = new AbortController();
  const asked = fetch(`${server!.url}/v1/decisions`, {
    method: 'POST',
    headers: { ...JSON_TYPE, accept: 'text/event-stream' },
    body: JSON.stringify({ query: LONG }),
    signal: gone.signal,
  });
  await (await asked).body!.getReader().read();
  gone.abort();
  await post('decisions', { query: UNKNOWN });
  expect(await get('activity')).toMatchObject({ decisions: 1, failures: [] });
});

it('is for those who operate, and of what they may see', async () => {
  const keys = path.join(folder, 'keys.json');
  const asker = await keyWith(keys, ['decide', 'label']);
  const operator = await keyWith(keys, ['operate']);
  const other = await keyWith(keys, ['operate'], ['other']);
  await serve({ keys }, true);
  const as = (key: string) => ({ authorization: `Bearer ${key}` });
  await post('decisions', { query: FACT }, as(asker));
  const label = { id: 'a', correct: true };
  for (const what of ['activity', 'monitor']) {
    expect((await get(what, as(asker))).status).toBe(403);
    expect((await get(what, as(other))).status).toBe(404);
  }
  expect((await post('collections/demo/monitor/labels', label, as(asker))).status).toBe(403);
  const { recent } = await get('activity', as(operator));
  expect(recent[0].caller).toMatch(/^key:/);
  expect((await get('monitor', as(operator))).status.tally.decisions).toBe(1);
});

it('watches a calibration: a drift is an alarm, once, and stands after a restart', async () => {
  const monitor = path.join(folder, 'monitor');
  const alarms = async () => {
    const response = await fetch(`${server!.url}/metrics`);
    return Number(/^pragaura_monitor_alarms (\d+)$/m.exec(await response.text())![1]);
  };
  await serve({ monitor }, true);
  await post('decisions', { id: 'a', query: FACT });
  expect((await get('monitor')).status).toMatchObject({ alarms: 0, tally: { decisions: 1, answered: 1 } });
  expect(await alarms()).toBe(0);
  // Nothing but questions that nothing answers: the test split was not like that.
  const lines = Array.from({ length: 150 }, (_, i) => `${JSON.stringify({ id: `u${i}`, query: UNKNOWN })}\n`);
  await (
    await fetch(`${server!.url}/v1/decisions:stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.join(''),
    })
  ).text();
  const watched = await get('monitor');
  expect(watched.status.tally).toMatchObject({ decisions: 151, answered: 1 });
  expect(watched.alarms).toEqual([
    expect.objectContaining({
      sentence: expect.stringContaining('Coverage (share answered) of all acts has fallen'),
    }),
  ]);
  expect(await alarms()).toBe(1);
  expect(logged).toContain('"event":"monitor.alarm"');

  await serve({ monitor }, true);
  const after = await get('monitor');
  expect(after.alarms).toEqual([]);
  expect(after.status).toEqual(watched.status);
  await server!.close(0);
  server = null;
  const [name] = readdirSync(monitor);
  expect(name).toMatch(/^demo-[0-9a-f]{12}\.json$/);
  // It is the file of the command, too.
  const file = await openStateFile(path.join(monitor, name!));
  expect(file.kept?.tally.decisions).toBe(151);
  file.close();
});

it('takes labels of decisions, before and after them, and none that says nothing', async () => {
  await serve({}, true);
  const label = (body: object) => post('collections/demo/monitor/labels', body);
  await label({ id: 'early', correct: true });
  expect((await get('monitor')).status.waiting).toMatchObject({ labels: 1 });
  await post('decisions', { id: 'early', query: FACT });
  await post('decisions', { id: 'late', query: FACT });
  const { status } = await label({ id: 'late', answers: ['12 metres per second'] });
  expect(status.tally).toMatchObject({ labels: 2, judged: 2 });
  const risk = status.watches.find((each: { figure: string }) => each.figure === 'risk');
  if (risk !== undefined) expect(risk).toMatchObject({ n: 2, mean: 0.5 });
  expect(await label({ id: 'x' })).toMatchObject({ status: 400, code: 'INVALID_INPUT' });
  expect(await label({ id: 'x', answers: ['y'], answerable: false })).toMatchObject({ status: 400 });
});

it('has nothing to watch without a calibration, and says what would help', async () => {
  await serve();
  expect(await get('monitor')).toMatchObject({ status: 404, hint: expect.stringContaining('calibrate') });
  expect(await post('collections/demo/monitor/labels', { id: 'a', correct: true })).toMatchObject({
    status: 404,
  });
});

it('refuses to start with a state that is damaged or in use', async () => {
  const monitor = path.join(folder, 'used');
  await serve({ monitor }, true);
  const first = server!;
  server = null;
  await expect(serve({ monitor }, true)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
  await first.close(0);
  const [name] = readdirSync(monitor);
  expect(JSON.parse(readFileSync(path.join(monitor, name!), 'utf8')).schema).toBe('pragaura.monitor-state/3');
});
