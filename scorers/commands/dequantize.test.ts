import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openScorers } from '../runtime/open.ts';
import { defaultModelsDir } from '../runtime/registry.ts';
import { CROSS, EMBEDDER, modelsDir, remove } from '../runtime/testing/models-dir.ts';
import { dequantizeModels } from './dequantize.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-float-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const weights = join(folder, 'weights.onnx');
/** The same graph in other bytes: with a field behind it that says nothing. */
const bytes = Buffer.concat([
  readFileSync(join(defaultModelsDir(), CROSS, 'model.int8.onnx')),
  Buffer.from([0x32, 0x01, 0x78]),
]);
writeFileSync(weights, bytes);

test('a folder in which the reader has other weights and all else is as it was', async () => {
  const out = join(folder, 'float');
  expect(await dequantizeModels({ weights, out })).toEqual([CROSS]);
  const card = join(CROSS, 'README.md');
  expect(readFileSync(join(out, card), 'utf8')).toBe(readFileSync(join(defaultModelsDir(), card), 'utf8'));
  const [float, shipped] = await Promise.all([
    openScorers({ modelsDir: out, threads: 1 }),
    openScorers({ threads: 1 }),
  ]);
  expect(float.info.models.nli).toMatchObject({ name: CROSS });
  expect(float.info.models.nli).not.toEqual(shipped.info.models.nli);
  expect(float.info.models.embed).toEqual(shipped.info.models.embed);
  const pair = { query: 'When was it opened?', passage: 'It was opened in 1932.' };
  expect(await float.read([pair])).toEqual(await shipped.read([pair]));
  await Promise.all([float.close(), shipped.close()]);
});

test('a model with other outputs is refused when it is opened', async () => {
  const out = join(folder, 'other');
  await dequantizeModels({
    weights: join(defaultModelsDir(), EMBEDDER, 'model.int8.onnx'),
    model: CROSS,
    out,
  });
  await expect(openScorers({ modelsDir: out, jobs: ['nli'], threads: 1 })).rejects.toMatchObject({
    code: 'MODEL_UNUSABLE',
    message: expect.stringContaining('outputs'),
  });
});

test('without a file every shipped model in float, which scores nearly alike', async () => {
  const out = join(folder, 'float');
  expect((await dequantizeModels({ out })).sort()).toEqual([CROSS, EMBEDDER].sort());
  // Opening runs the known pairs.
  const [float, shipped] = await Promise.all([
    openScorers({ modelsDir: out, threads: 1 }),
    openScorers({ threads: 1 }),
  ]);
  for (const job of ['embed', 'nli'] as const)
    expect(float.info.models[job]).not.toEqual(shipped.info.models[job]);
  const texts = ['How do I reset my password?', 'The harbour freezes over in January.'];
  const [ours, theirs] = await Promise.all([float.embed(texts), shipped.embed(texts)]);
  ours.forEach((vector, i) => {
    const cosine = vector.reduce((sum, x, at) => sum + x * theirs[i]![at]!, 0);
    expect(cosine).toBeGreaterThan(0.98);
    expect(cosine).toBeLessThan(1 - 1e-6);
  });
  const pairs = [{ premise: 'A man plays a guitar.', hypothesis: 'A man plays an instrument.' }];
  const [[a], [b]] = await Promise.all([float.nli(pairs), shipped.nli(pairs)]);
  expect(Math.abs(a!.entailment - b!.entailment)).toBeLessThan(0.05);
  await Promise.all([float.close(), shipped.close()]);
  await expect(dequantizeModels({ dir: out, out: join(folder, 'again') })).rejects.toMatchObject({
    code: 'MODEL_UNUSABLE',
    message: expect.stringContaining('in float already'),
  });
});

test('what cannot be had in float', async () => {
  const out = join(folder, 'none');
  await expect(dequantizeModels({ weights: join(folder, 'nowhere.onnx'), out })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await expect(dequantizeModels({ out: `${defaultModelsDir()}/.` })).rejects.toMatchObject({
    code: 'CONFIGURATION',
  });
  const hub = ['bge-small-en-v1.5', 'ms-marco-minilm-l6-v2@main'];
  for (const model of [...hub, 'nothing', '__proto__']) {
    await expect(dequantizeModels({ weights, model, out })).rejects.toMatchObject({ code: 'CONFIGURATION' });
  }
});

test('no folder over its own source, by whatever name', async () => {
  const dir = modelsDir();
  const out = join(folder, 'link');
  symlinkSync(dir, out);
  await expect(dequantizeModels({ weights, dir, out })).rejects.toMatchObject({ code: 'CONFIGURATION' });
  remove(dir);
});

const flipped = readFileSync(join(defaultModelsDir(), CROSS, 'model.int8.onnx'));
flipped[12_345_678]! ^= 1;
test.each<[string, Record<string, Uint8Array | null>, RegExp]>([
  ['changed weights', { [`${CROSS}/model.int8.onnx`]: flipped }, /has sha256/],
  ['cut weights', { [`${CROSS}/model.int8.onnx`]: flipped.subarray(0, 1000) }, /has 1000 bytes, not/],
  ['missing weights', { [`${CROSS}/model.int8.onnx`]: null }, /cannot be read/],
  ['a missing tokenizer', { 'bert-uncased/tokenizer.json': null }, /tokenizer\.json cannot be read/],
])('nothing is written with %s', async (_, files, message) => {
  const dir = modelsDir(undefined, files);
  await expect(dequantizeModels({ model: CROSS, dir, out: join(folder, 'bad') })).rejects.toMatchObject({
    code: 'MODEL_UNUSABLE',
    message: expect.stringMatching(message),
    hint: expect.stringContaining('put back the file'),
  });
  remove(dir);
});
