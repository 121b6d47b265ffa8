import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorCode, packageVersion } from '../../common/index.ts';
import { programHash } from '../observations/key.ts';
import { calibrationFrom } from './fit.ts';
import { artifactFrom, loadCalibration } from './load.ts';
import { artifactText, checkWritable, saveArtifact } from './save.ts';
import { type CalibrationArtifact, integrityOf } from './schema.ts';
import { settings } from './testing/calibration.ts';
import { observations } from './testing/observations.ts';

const sets = {
  tune: observations(100, { seed: 1 }),
  calibrate: observations(100, { seed: 2 }),
  test: observations(50, { seed: 3 }),
};
const own = { version: packageVersion(), program: await programHash() };
const { artifact } = calibrationFrom(sets, settings(own));
const read = (text: string, change: Partial<typeof own> = {}) =>
  artifactFrom(text, 'c.json', { ...own, ...change });

function refusal(act: () => unknown): { code?: ErrorCode; message: string; hint?: string } {
  try {
    act();
  } catch (error) {
    return error as Error & { code: ErrorCode; hint: string };
  }
  throw new Error('it was accepted');
}

/** Every place of a JSON value, as a path. */
function places(value: unknown, at: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [at];
  const entries = Array.isArray(value) ? value.map((inner, i) => [i, inner] as const) : Object.entries(value);
  return entries.flatMap(([key, inner]) => places(inner, [...at, key]));
}

function changed(value: unknown, [key, ...rest]: readonly (string | number)[]): unknown {
  if (key === undefined) {
    if (typeof value === 'number') return value + 0.001;
    if (typeof value === 'boolean') return !value;
    return typeof value === 'string' ? `${value} ` : 0;
  }
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  copy[key] = changed(copy[key], rest);
  return copy;
}

describe('an artifact on disk', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'pragaura-calibration-'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  it('comes back as it was, and replaces an older one as a whole', async () => {
    const file = path.join(dir, 'deep', 'er', 'c.json');
    await checkWritable(file);
    expect(await readdir(path.dirname(file))).toEqual([]);
    await saveArtifact(file, artifact);
    await saveArtifact(file, artifact);
    expect(await readdir(path.dirname(file))).toEqual(['c.json']);
    const text = await readFile(file, 'utf8');
    expect(text.split('\n')[1]).toBe('  "schema": "pragaura.calibration/10",');
    const thresholds = await loadCalibration(file);
    expect(thresholds.hash).toBe(artifact.integrity);
    expect(thresholds.tauFor('FACT')).toBe(artifact.acts.find(({ act }) => act === 'FACT')!.tau);
  });

  it('cannot be a folder, nor lie under a file, and that is known before anything is measured', async () => {
    await expect(checkWritable(dir)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    const file = path.join(dir, 'plain');
    await writeFile(file, 'x');
    await expect(checkWritable(path.join(file, 'c.json'))).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    expect(await readFile(file, 'utf8')).toBe('x');
  });

  it('that is not there is said to be so', async () => {
    await expect(loadCalibration(path.join(dir, 'none.json'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('an artifact that was changed', () => {
  it('is refused, whatever was changed in it', () => {
    const plain = JSON.parse(JSON.stringify(artifact)) as CalibrationArtifact;
    const all = places(plain).filter(([first]) => first !== 'schema');
    expect(all.length).toBeGreaterThan(200);
    for (const place of all) {
      const { code, message } = refusal(() => read(JSON.stringify(changed(plain, place))));
      expect(code, place.join('.')).toBe('CALIBRATION_UNUSABLE');
      expect(message, place.join('.')).toContain('it was changed after it was written');
    }
  });

  it('is refused with a field more or one less', () => {
    expect(refusal(() => read(JSON.stringify({ ...artifact, note: 'x' }))).code).toBe('CALIBRATION_UNUSABLE');
    const { fit: _, ...less } = artifact;
    expect(refusal(() => read(JSON.stringify(less))).code).toBe('CALIBRATION_UNUSABLE');
  });

  it('is accepted laid out otherwise: white space and the order of fields say nothing', () => {
    const fields = Object.entries(artifact).reverse();
    expect(read(JSON.stringify(Object.fromEntries(fields)))).toEqual(artifact);
  });
});

/** As if it had been written so. */
function sealed(change: object): string {
  const value = { ...artifact, ...change };
  return JSON.stringify({ ...value, integrity: integrityOf(value) });
}

describe('an artifact of another making', () => {
  it('is refused when another version or other features made it, and says which', () => {
    const other = refusal(() => read(artifactText(artifact), { version: '99.0.0' }));
    expect(other).toMatchObject({ code: 'CALIBRATION_MISMATCH' });
    expect(other.message).toContain(`made with version ${packageVersion()} (this is 99.0.0)`);
    expect(other.hint).toContain('pragaura calibrate');
    const program = refusal(() => read(artifactText(artifact), { program: 'x' }));
    expect(program).toMatchObject({ code: 'CALIBRATION_MISMATCH' });
    expect(program.message).toContain('made with other code that decides');
    const features = refusal(() => read(sealed({ features: [...artifact.features].reverse() })));
    expect(features).toMatchObject({ code: 'CALIBRATION_MISMATCH' });
    expect(features.message).toContain('other features');
  });

  it('is refused when it is no artifact: other schema, no JSON, no object, acts twice or not at all', () => {
    for (const text of ['', '{', '[]', 'null', '"x"', '{}', '{"schema": "pragaura.calibration/1"}']) {
      expect(refusal(() => read(text)).code, text).toBe('CALIBRATION_UNUSABLE');
    }
    const [first, ...rest] = artifact.acts;
    expect(refusal(() => read(sealed({ acts: rest }))).code).toBe('CALIBRATION_UNUSABLE');
    const twice = refusal(() => read(sealed({ acts: [...rest, rest[0]] })));
    expect(twice.message).toContain(`says nothing of ${first!.act}`);
    for (const level of ['0', '1', '1.5', '5%', '0.0', '1e-1']) {
      expect(refusal(() => read(sealed({ level }))).code, level).toBe('CALIBRATION_UNUSABLE');
    }
    expect(read(sealed({ level: '.8' })).level).toBe('.8');
  });
});
