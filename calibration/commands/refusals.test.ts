/** What calibrate and evaluate refuse before a model is opened: there is no index here. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
      target: 'coverage',
      scope: 'acts',
      exchangeable: 'documents',
      level: parseLevel('0.8'),
      delta: null,
      ask: null,
      kind: 'formula',
      rule: { kind: 'em' },
      shares: { tune: 40, calibrate: 40, test: 20 },
      seed: 1,
      cache: at('cache'),
      out: at('c.json'),
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
