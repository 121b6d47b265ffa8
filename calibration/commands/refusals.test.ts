/** What calibrate and evaluate refuse before a model is opened: there is no index here. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Scorers } from '../../scorers/index.ts';
import { artifactText } from '../artifact/save.ts';
import type { CalibrationArtifact } from '../artifact/schema.ts';
import { parseLevel } from '../levels/level.ts';
import { testArtifact } from '../monitor/testing/artifact.ts';
import { type CalibrateRun, runCalibrate } from './calibrate-run.ts';
import { runEvaluate } from './evaluate-run.ts';

let dir: string;
const at = (name: string) => path.join(dir, name);
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pragaura-refusals-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const io = { say: () => {}, signal: new AbortController().signal };
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
  await writeFile(at(name), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return at(name);
}

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

describe('evaluate', () => {
  const evaluate = async (
    test: string,
    exchangeable: CalibrationArtifact['exchangeable'] | null,
    layers: object = {},
  ) => {
    const file = at('c.json');
    if (exchangeable !== null) await writeFile(file, artifactText(testArtifact({ exchangeable })));
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

  it('is refused with layers that abstain by U beside a calibration, and only there', async () => {
    const test = await labels('test.ndjson', 10, 0);
    await expect(evaluate(test, 'questions', abstain)).rejects.toMatchObject({ code: 'CONFIGURATION' });
    await expect(evaluate(test, null, abstain)).rejects.toMatchObject(NO_INDEX);
  });
});
