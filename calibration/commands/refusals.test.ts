/** What calibrate and evaluate refuse before a model is opened: there is no index here. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPlanner, sealed } from '../../router/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import { hashesOfTies } from '../artifact/identities.ts';
import { artifactText } from '../artifact/save.ts';
import type { CalibrationArtifact } from '../artifact/schema.ts';
import { exampleOf } from '../labels/examples.ts';
import { parseLevel } from '../levels/level.ts';
import { testArtifact } from '../monitor/testing/artifact.ts';
import type { Labelled } from '../types.ts';
import { type CalibrateRun, runCalibrate } from './calibrate-run.ts';
import { runEvaluate } from './evaluate-run.ts';

let dir: string;
const at = (name: string) => path.join(dir, name);
beforeEach(async () => {
  said.length = 0;
  dir = await mkdtemp(path.join(tmpdir(), 'pragaura-refusals-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const said: string[] = [];
const io = { say: (line: string) => void said.push(line), signal: new AbortController().signal };
/** Never asked for anything: the index is looked for first. */
const scorers = {} as Scorers;
const NO_INDEX = { code: 'INDEX_UNUSABLE' };
const NO_DOCUMENT = { code: 'INVALID_INPUT', message: expect.stringContaining('name no document') };
const abstain = { bands: { abstain: true } };

/** A file of `n` queries on documents of two, of which `bare` name none. */
async function labels(name: string, n: number, bare: number): Promise<string> {
  const records = Array.from({ length: n }, (_, i) => ({
    id: `${name}-${i}`,
    query: `What is ${name} ${i}?`,
    answerable: false,
    ...(i < bare ? {} : { group: `${name} ${i >> 1}` }),
  }));
  return written(name, records);
}

async function written(name: string, records: readonly object[]): Promise<string> {
  await writeFile(at(name), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return at(name);
}

/** `n` queries of documents of one, in two versions with a group of their own each. */
const versions = (n: number): Labelled[] =>
  Array.from({ length: n }, (_, i) => ({
    id: `v${i}`,
    query: `q${i}`,
    group: `g${i}`,
    passages: [`d${i >> 1}#${i}`],
  }));
const TIED = (n: number) =>
  `${n} groups count as ${n / 2} documents: the others share documents or questions with one of them.`;

const calibrate = (dev: string, change: Partial<CalibrateRun> = {}, layers?: object) =>
  runCalibrate(
    {
      dev,
      test: null,
      shared: 'refuse',
      thresholds: {
        target: 'coverage',
        scope: 'acts',
        level: parseLevel('0.8'),
        delta: null,
        ask: null,
        kind: 'formula',
        rule: { kind: 'em' },
        out: at('c.json'),
      },
      fit: null,
      exchangeable: 'documents',
      shares: { tune: 40, calibrate: 40, test: 20 },
      seed: 1,
      cache: at('cache'),
      json: false,
      router: { index: at('index'), scorers, layers: layers ?? {} },
      ...change,
    },
    io,
  );

describe('calibrate', () => {
  it('is refused by documents where queries name none, and goes on by questions', async () => {
    const dev = await labels('dev.ndjson', 20, 5);
    await expect(calibrate(dev)).rejects.toMatchObject(NO_DOCUMENT);
    await expect(calibrate(dev, { exchangeable: 'questions' })).rejects.toMatchObject(NO_INDEX);
    expect(await readdir(dir)).not.toContain('c.json');
  });

  it('is refused for a test file of such queries', async () => {
    const dev = await labels('dev.ndjson', 20, 0);
    const test = await labels('test.ndjson', 10, 1);
    await expect(calibrate(dev, { test })).rejects.toMatchObject(NO_DOCUMENT);
    await expect(calibrate(dev)).rejects.toMatchObject(NO_INDEX);
  });

  it('is refused with layers that abstain by U', async () => {
    const dev = await labels('dev.ndjson', 20, 0);
    await expect(calibrate(dev, {}, abstain)).rejects.toMatchObject({ code: 'CONFIGURATION' });
  });
});

describe('a planner that is to be fitted', () => {
  const fitOn = (dev: string, change: Partial<CalibrateRun> = {}) =>
    calibrate(dev, { thresholds: null, fit: { file: at('p.json'), utilities: undefined }, ...change });
  /** Ten documents an action with ten queries each, of which `change` makes something else. */
  const labelled = (change: (i: number) => Partial<Labelled> = () => ({})): Labelled[] =>
    Array.from({ length: 200 }, (_, i) => ({
      id: `q${i}`,
      query: `What is number ${i} of ${i * 7}?`,
      group: `d${i >> 4}`,
      action: i % 2 === 0 ? 'ANSWER' : 'ABSTAIN',
      ...change(i),
    }));
  const of = async (change: Parameters<typeof labelled>[0], more: Partial<CalibrateRun> = {}) =>
    fitOn(await written('dev.ndjson', labelled(change)), more);

  it('goes on with enough labels, and leaves no file behind when the index is not there', async () => {
    await expect(of(undefined)).rejects.toMatchObject(NO_INDEX);
    expect(await readdir(dir)).not.toContain('p.json');
  });

  it('is refused where lines do not say what is right, by their numbers', async () => {
    const silent = (i: number): Partial<Labelled> => (i % 9 === 8 ? { action: undefined } : {});
    await expect(of(silent)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message:
        `22 of 200 labelled queries of ${at('dev.ndjson')} do not say which action is right: line 9, line 18, line 27, ` +
        'line 36, line 45, line 54, line 63, line 72, line 81, line 90 and 12 more.',
      hint: expect.stringContaining('"answerable": false means ABSTAIN'),
    });
    const dev = await written('dev.ndjson', labelled());
    const test = await written('test.ndjson', [{ query: 'Who is it?', group: 'new' }]);
    await expect(fitOn(dev, { test })).rejects.toMatchObject({
      message: expect.stringContaining(`${test} do not say which action is right: line 1.`),
    });
    // Thresholds alone do without.
    await expect(calibrate(dev, { test })).rejects.toMatchObject(NO_INDEX);
  });

  it('is refused for too few of an action in the first part, and for one action only', async () => {
    const rare = (i: number): Partial<Labelled> => (i < 30 ? { action: 'ASK' } : {});
    await expect(of(rare)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/at least 20 queries of 5 documents .* ASK \d+ \(\d documents?\)/),
    });
    await expect(of(() => ({ action: 'ASK' }))).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('two actions to tell apart'),
    });
  });

  it('is refused where nothing says which document a query is of, and goes on by questions', async () => {
    const bare = () => ({ group: undefined });
    await expect(of(bare)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('are divided by documents'),
    });
    await expect(of(bare, { exchangeable: 'questions' })).rejects.toMatchObject(NO_INDEX);
  });

  it('is refused where its file cannot be written, and beside one that there is', async () => {
    const fitTo = { file: dir, utilities: undefined };
    await expect(of(undefined, { fit: fitTo })).rejects.toMatchObject({
      code: 'WRITE_FAILED',
      hint: 'Name another file with --fit-planner.',
    });
    const router = { index: at('index'), scorers, planner: 'there.json' };
    await expect(of(undefined, { router })).rejects.toMatchObject({ code: 'USAGE' });
  });
});

describe('a planner that was fitted on the same queries', () => {
  const examples = versions(20).map(exampleOf);
  /** What it says of them is of no account: it is looked at what they share first. */
  async function planner(known: boolean): Promise<{ file: string; hash: string }> {
    const { schema: _, features: __, hash: ___, ...model } = await openPlanner(undefined);
    const {
      planner: ____,
      decider: _____,
      utilities: ______,
      sampler: _______,
      ...measured
    } = testArtifact().validFor;
    const on = {
      ...measured,
      ...{ program: 'p', seed: 1, shares: { tune: 1, calibrate: 1, test: 1 } },
      ties: hashesOfTies(examples.slice(0, 2)),
    };
    const made = sealed({ ...model, fitted: { ...model.fitted, ...(known ? { on } : {}) } });
    await writeFile(at('p.json'), JSON.stringify(made));
    return { file: at('p.json'), hash: made.hash };
  }
  const router = () => ({ index: at('index'), scorers, planner: at('p.json') });
  const thresholds = {
    ...({ target: 'coverage', scope: 'acts', level: parseLevel('0.8'), delta: null, ask: null } as const),
    ...({ kind: 'planner', rule: { kind: 'em' } } as const),
  };

  it('is not calibrated, unless its file does not say so', async () => {
    const dev = await written('dev.ndjson', versions(20));
    const change = { router: router(), thresholds: { ...thresholds, out: at('c.json') } };
    await planner(false);
    await expect(calibrate(dev, change)).rejects.toMatchObject(NO_INDEX);
    await planner(true);
    await expect(calibrate(dev, change)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/^2 of 20 labelled queries share a group, a document or a question /),
      hint: expect.stringContaining('--fit-planner'),
    });
  });

  it('is not held to its promise on them', async () => {
    const test = await written('test.ndjson', versions(20));
    const { hash } = await planner(true);
    const artifact = testArtifact({ score: { kind: 'planner', planner: hash } });
    await writeFile(at('c.json'), artifactText(artifact));
    const rest = { setAside: null, rule: null, resamples: 10, cache: at('cache'), out: at('out') };
    await expect(
      runEvaluate({ test, calibration: at('c.json'), router: router(), ...rest }, io),
    ).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(`what the planner ${hash.slice(0, 12)} was fitted on`),
    });
  });
});

describe('documents under several names', () => {
  it('are told once, where they are calibrated on and where they are tested on', async () => {
    const dev = await written('dev.ndjson', versions(20));
    await expect(calibrate(dev)).rejects.toMatchObject(NO_INDEX);
    expect(said.filter((line) => line.includes('count as'))).toEqual([TIED(20)]);
    said.length = 0;
    const others = versions(8).map((each, i) => ({
      ...each,
      query: `x${i}`,
      group: `o${i}`,
      passages: [`o${i >> 1}`],
    }));
    const test = await written('test.ndjson', others);
    await expect(calibrate(dev, { test })).rejects.toMatchObject(NO_INDEX);
    expect(said.filter((line) => line.includes('count as')).sort()).toEqual([
      `${test}: ${TIED(8)}`,
      TIED(20),
    ]);
  });
});

describe('evaluate', () => {
  const evaluate = async (
    test: string,
    exchangeable: CalibrationArtifact['exchangeable'] | null,
    layers: object = {},
    artifact: Partial<CalibrationArtifact> = {},
  ) => {
    const file = at('c.json');
    if (exchangeable !== null)
      await writeFile(file, artifactText(testArtifact({ exchangeable, ...artifact })));
    const router = { index: at('index'), scorers, layers };
    const calibration = exchangeable === null ? null : file;
    const rest = { setAside: null, rule: null, resamples: 10, cache: at('cache'), out: at('out') };
    return runEvaluate({ test, calibration, router, ...rest }, io);
  };

  it('checks no promise by document on queries that name none', async () => {
    const test = await labels('test.ndjson', 10, 1);
    await expect(evaluate(test, 'documents')).rejects.toMatchObject(NO_DOCUMENT);
    for (const other of ['questions', null] as const)
      await expect(evaluate(test, other)).rejects.not.toMatchObject(NO_DOCUMENT);
  });

  it('says once that documents go by several names', async () => {
    const test = await written('test.ndjson', versions(10));
    await expect(evaluate(test, null)).rejects.toMatchObject(NO_INDEX);
    expect(said.filter((line) => line.includes('count as'))).toEqual([TIED(10)]);
  });

  it('is refused on what was fitted on, under whatever group it comes', async () => {
    const fitted = [
      exampleOf({ id: 'a', query: 'Who built it?', group: 'one', passages: ['guide.md#1'] }),
      exampleOf({ id: 'b', query: 'When was it closed?', group: 'two' }),
    ];
    const { splits } = testArtifact();
    const of = { splits: { ...splits, calibrate: { ...splits.calibrate, ties: hashesOfTies(fitted) } } };
    const fresh = { id: 'w', query: 'Is it new?', group: 'w' };
    const refused = async (...tests: Labelled[]) => {
      const test = await written('test.ndjson', [fresh, ...tests]);
      return evaluate(test, 'documents', {}, of).catch((error) => error);
    };
    // What it is refused for next: the limits of the test artifact.
    expect(await refused()).toMatchObject({ code: 'CALIBRATION_MISMATCH' });
    const group = { id: 'x', query: 'How high is it?', group: 'two' };
    const document = { id: 'y', query: 'How old is it?', group: 'y', passages: ['guide.md#7'] };
    const question = { id: 'z', query: 'when was it closed', group: 'z', passages: ['other.md#1'] };
    const all = await refused(question, document, group);
    expect(all).toMatchObject({ code: 'INVALID_INPUT', hint: expect.stringContaining('--set-aside') });
    expect(all.message).toBe(
      `3 of 4 queries of ${at('test.ndjson')} share something with what ${at('c.json')} was fitted on: 1 a group, ` +
        '1 a document, 1 a question; the first is "z", with the question "when was it closed".',
    );
    for (const [one, words] of [
      [group, 'the group "two"'],
      [document, 'the document "guide.md"'],
    ] as const)
      expect((await refused(one)).message).toContain(`"${one.id}", with ${words}.`);
  });

  it('is refused with layers that abstain by U beside a calibration, and only there', async () => {
    const test = await labels('test.ndjson', 10, 0);
    await expect(evaluate(test, 'questions', abstain)).rejects.toMatchObject({ code: 'CONFIGURATION' });
    await expect(evaluate(test, null, abstain)).rejects.toMatchObject(NO_INDEX);
  });
});
