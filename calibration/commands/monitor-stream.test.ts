import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { artifactText } from '../artifact/save.ts';
import { Alarm, Status } from '../monitor/records.ts';
import { testArtifact } from '../monitor/testing/artifact.ts';
import { type MonitorStreamOptions, runMonitor } from './monitor-stream.ts';

let dir: string;
let calibration: string;
const artifact = testArtifact();
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pragaura-monitor-'));
  calibration = path.join(dir, 'calibration.json');
  await writeFile(calibration, artifactText(artifact));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const decision = (id: string, answered: boolean, hash: string | null = artifact.integrity) => ({
  schema: 'pragaura.decision/4',
  id,
  query: 'q',
  action: answered ? 'ANSWER' : 'ASK',
  act: { label: 'FACT', probabilities: {}, confident: true },
  ...(answered
    ? {
        answer: {
          form: 'span',
          text: 'Ada',
          verdict: null,
          quotes: [{ text: 'Ada', docId: 'd', passageId: 'd#0', start: 0, end: 3 }],
        },
      }
    : {}),
  guarantee: { status: hash === null ? 'NOT_CALIBRATED' : 'CALIBRATED', sentence: '' },
  versions: { calibration: hash },
});
const lines = (records: readonly (object | string)[]) =>
  records
    .map((record) => (typeof record === 'string' ? `${record}\n` : `${JSON.stringify(record)}\n`))
    .join('');
const many = (n: number, answered: (i: number) => boolean, from = 0) =>
  Array.from({ length: n }, (_, i) => decision(`q${from + i}`, answered(i)));
/** As the test split was: of five queries three are FACT, five of six of them answered, the others seldom. */
const usual = (n: number) =>
  Array.from({ length: n }, (_, i) =>
    i % 5 < 3
      ? decision(`q${i}`, i % 6 > 0)
      : { ...decision(`q${i}`, i % 8 < 3), act: { label: 'QUANTITY', probabilities: {}, confident: true } },
  );

async function run(records: readonly (object | string)[], change: Partial<MonitorStreamOptions> = {}) {
  const chunks: string[] = [];
  const said: string[] = [];
  const output = new Writable({
    write(chunk, _, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  const code = await runMonitor({
    calibration,
    labels: undefined,
    state: undefined,
    alpha: '0.01',
    least: 30,
    slack: 0,
    remember: 10_000,
    every: 0,
    text: false,
    failOnAlarm: false,
    input: Readable.from([Buffer.from(lines(records))]),
    output,
    say: (message) => said.push(message),
    signal: new AbortController().signal,
    ...change,
  });
  const text = chunks.join('');
  const found = change.text
    ? []
    : text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
  const of = (schema: string) => found.filter((record) => record.schema === schema);
  return {
    code,
    text,
    said,
    alarms: of('pragaura.alarm/1').map((record) => Alarm.parse(record)),
    errors: of('pragaura.error/1'),
    statuses: of('pragaura.monitor-status/1').map((record) => Status.parse(record)),
  };
}

describe('runMonitor', () => {
  it('is quiet over a stream like the test split, and tells its status', async () => {
    const { code, alarms, statuses, said } = await run(usual(1_000), { every: 400 });
    expect([code, alarms, said]).toEqual([0, [], []]);
    expect(statuses.map(({ final, tally }) => [final, tally.decisions])).toEqual([
      [false, 400],
      [false, 800],
      [true, 1_000],
    ]);
    expect(statuses[2]!.guarantee).toContain('at most 0.01');
  });

  it('raises an alarm when nothing is answered any more, and fails only where that is wanted', async () => {
    const { code, alarms, said, statuses } = await run(many(200, () => false));
    expect(code).toBe(0);
    expect(alarms[0]!.watch).toMatchObject({ act: 'FACT', figure: 'coverage', direction: 'down' });
    expect(said[0]).toMatch(/^pragaura: ALARM: Coverage/);
    expect(statuses).toHaveLength(1);
    expect(
      (
        await run(
          many(200, () => false),
          { failOnAlarm: true },
        )
      ).code,
    ).toBe(1);
    expect((await run(usual(200), { failOnAlarm: true })).code).toBe(0);
  });

  it('judges labels of the same stream by the rule of the artifact', async () => {
    const labels = Array.from({ length: 90 }, (_, i) =>
      i % 2 ? { id: `q${i}`, correct: false } : { id: `q${i}`, query: 'q', answers: ['Grace'] },
    );
    const { alarms, statuses } = await run([...many(90, () => true), ...labels]);
    expect(alarms.some(({ watch }) => watch?.figure === 'risk')).toBe(true);
    expect(statuses[0]!.tally).toMatchObject({ labels: 90, judged: 90 });
  });

  it('reads labels of a file after the decisions, of a pipe beside them', async () => {
    const labels = lines(Array.from({ length: 60 }, (_, i) => ({ id: `q${i}`, correct: true })));
    const file = path.join(dir, 'labels.ndjson');
    await writeFile(file, labels);
    expect(
      (
        await run(
          many(60, () => true),
          { labels: file, remember: 60 },
        )
      ).statuses[0]!.tally.judged,
    ).toBe(60);
    const pipe = path.join(dir, 'pipe');
    execFileSync('bash', ['-c', 'mkfifo "$0"', pipe]);
    const [{ statuses }] = await Promise.all([
      run(
        many(60, () => true),
        { labels: pipe },
      ),
      new Promise((resolve) => createWriteStream(pipe).end(labels, () => resolve(null))),
    ]);
    expect(statuses[0]).toMatchObject({ tally: { judged: 60 }, waiting: { answers: 0, labels: 0 } });
  });

  it('gives bad lines error records and counts what it does not look at, each kind apart', async () => {
    const { code, errors, statuses, said } = await run([
      decision('a', true),
      'no json',
      { ...decision('b', true), act: { label: 'SONG' } },
      { schema: 'pragaura.act/1', id: 'c' },
      { id: 'd' },
      { id: 'e', answers: ['x'], answerable: false },
      { correct: true },
      { schema: 'pragaura.error/1', id: 'f', line: 3, error: { code: 'INTERNAL', message: 'x' } },
      decision('g', true, 'another'),
      decision('h', true, null),
    ]);
    expect(code).toBe(65);
    expect(errors.map(({ line, id, error }) => [line, id, error.code])).toEqual([
      [2, null, 'INVALID_INPUT'],
      [3, 'b', 'INVALID_INPUT'],
      [4, 'c', 'INVALID_INPUT'],
      [5, 'd', 'INVALID_INPUT'],
      [6, 'e', 'INVALID_INPUT'],
      [7, null, 'INVALID_INPUT'],
    ]);
    expect(statuses[0]!.tally).toMatchObject({
      decisions: 1,
      failed: 1,
      otherCalibration: 1,
      notCalibrated: 1,
    });
    expect(said.join('\n')).toMatch(/1 decisions were made under another calibration/);
  });

  it('leaves out queries with a history and the like, and says how many', async () => {
    const guarantee = { status: 'RESTRICTED', sentence: 'RESTRICTED: this query has a history, …' };
    const followUps = many(300, () => false, 5_000).map((record) => ({ ...record, guarantee }));
    const { code, alarms, statuses, said } = await run([...usual(200), ...followUps]);
    expect([code, alarms]).toEqual([0, []]);
    expect(statuses[0]!.tally).toMatchObject({ decisions: 200, restricted: 300 });
    expect(said).toEqual([
      expect.stringMatching(/^pragaura: 300 decisions are about queries with a history/),
    ]);
    const { text } = await run(followUps, { text: true });
    expect(text).toMatch(/^0 decisions, .*; 300 restricted not looked at; /);
  });

  it('says on how many documents its bounds rest, where these are counted', async () => {
    const coverage = { documents: 15, value: 0.65, low: 0.4, high: 0.8 };
    const risk = { documents: 15, value: 0.08, low: 0.02, high: 0.3 };
    const { global, acts } = artifact;
    const byDocument = { coverage, risk, silence: null };
    const counted = testArtifact({
      exchangeable: 'documents',
      global: { ...global, test: { ...global.test, byDocument } },
      acts: acts.map((row) => ({ ...row, test: { ...row.test, byDocument } })),
    });
    await writeFile(calibration, artifactText(counted));
    const records = usual(400).map((record) => ({ ...record, versions: { calibration: counted.integrity } }));
    const { code, alarms, statuses, said } = await run(records);
    expect([code, alarms]).toEqual([0, []]);
    expect(said).toEqual([expect.stringMatching(/rest on 15 documents of the test split.*need --slack\.$/)]);
    expect(statuses[0]!.watches[0]!.reference.documents).toEqual({ n: 15, mean: 0.65 });
    expect(statuses[0]!.guarantee).toContain('(15 documents)');
  });

  it('shows people words', async () => {
    const { text } = await run([...many(200, () => false), 'bad'], { text: true });
    expect(text).toMatch(/^ALARM after \d+ decisions: Coverage/);
    expect(text).toMatch(/\ncoverage down +FACT +500\/600 .* ALARM\n/);
    expect(text).not.toContain('pragaura.error/1');
  });
});

describe('a state file', () => {
  it('goes on where the run before ended, and is whole at any time', async () => {
    const state = path.join(dir, 'deep', 'state.json');
    const records = many(60, () => false);
    const whole = await run(records);
    const first = await run(records.slice(0, 20), { state });
    const second = await run(records.slice(20), { state, failOnAlarm: true });
    expect([...first.alarms, ...second.alarms]).toEqual(whole.alarms);
    expect(second.statuses).toEqual(whole.statuses);
    expect(second.code).toBe(1);
    expect((await run([], { state, failOnAlarm: true })).code).toBe(1);
    expect(await readdir(path.dirname(state))).toEqual(['state.json']);
    const repeated = await run(records.slice(50), { state });
    expect(repeated.statuses[0]!.tally).toMatchObject({ decisions: 60, repeated: 10 });
    expect(repeated.said.join()).toContain('ids of their own');
  });

  it('is refused when it is none, of other settings, or in use', async () => {
    const state = path.join(dir, 'state.json');
    await writeFile(state, '{"schema":"pragaura.monitor-state/1"');
    await expect(run([], { state })).rejects.toMatchObject({ code: 'UNREADABLE_DOCUMENT' });
    await rm(state);
    await run([], { state });
    await expect(run([], { state, alpha: '0.05' })).rejects.toMatchObject({ code: 'CONFIGURATION' });
    await writeFile(calibration, artifactText(testArtifact({ level: '0.1' })));
    await expect(run([], { state })).rejects.toMatchObject({ code: 'CALIBRATION_MISMATCH' });
    await writeFile(`${state}.lock`, JSON.stringify({ pid: 1, host: 'elsewhere', born: '' }));
    await expect(run([], { state })).rejects.toMatchObject({
      code: 'WRITE_FAILED',
      message: expect.stringContaining('in use by process 1 on elsewhere'),
    });
  });

  it('is kept while the stream runs, and in no run that could not write', async () => {
    const state = path.join(dir, 'state.json');
    let seen = '';
    async function* slow() {
      yield Buffer.from(lines(many(10, () => true)));
      for (let wait = 0; wait < 500 && seen === ''; wait++) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        seen = await readFile(state, 'utf8').catch(() => '');
      }
    }
    await run([], { state, every: 5, input: Readable.from(slow()) });
    expect(JSON.parse(seen).tally.decisions).toBeGreaterThanOrEqual(5);
    const blocked = path.join(calibration, 'state.json');
    await expect(run([], { state: blocked })).rejects.toMatchObject({ code: 'WRITE_FAILED' });
  });
});

describe('a calibration or option of no use', () => {
  it('is refused before anything is read', async () => {
    await expect(run([], { calibration: path.join(dir, 'none') })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(run([], { alpha: '5%' })).rejects.toMatchObject({ code: 'USAGE' });
    await expect(run([], { labels: path.join(dir, 'none') })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(run([], { labels: dir })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await writeFile(calibration, artifactText(artifact).replace('"0.2"', '"0.3"'));
    await expect(run([])).rejects.toMatchObject({ code: 'CALIBRATION_UNUSABLE' });
  });
});
