import { expect, test } from 'vitest';
import { type FileHashes, identityOf } from './identity.ts';
import { defaultModelsDir, readLock } from './registry.ts';
import { type AnyLock, CROSS, EMBEDDER } from './testing/models-dir.ts';

const lock = await readLock(defaultModelsDir());
const FILES: FileHashes = { weights: 'a'.repeat(64), tokenizer: 'b'.repeat(64) };
const HALVES: FileHashes = { ...FILES, upper: 'c'.repeat(64) };

/** A shipped entry, changed. Every entry starts in halves, so that each part of one can be changed. */
function entry(name: string, change: (model: AnyLock) => void = () => {}): AnyLock {
  const model: AnyLock = structuredClone(lock.models[name]);
  model.upper = { ...model.weights, path: 'upper.onnx', hidden: 'hidden', width: 384, keep: 8 };
  change(model);
  return model;
}

test.each<[string, string, (model: AnyLock) => void]>([
  ['pooling', EMBEDDER, (m) => Object.assign(m.jobs.embed, { pooling: 'cls' })],
  ['the length of sequences', EMBEDDER, (m) => Object.assign(m, { maxTokens: 128 })],
  ['batching', CROSS, (m) => Object.assign(m, { batching: 'stacked' })],
  ['titles', CROSS, (m) => delete m.titled],
  ['how much of a title', CROSS, (m) => Object.assign(m.titled, { title: 1 })],
  ['an output', CROSS, (m) => Object.assign(m.jobs.rerank, { output: 'other' })],
  ['the order of labels', CROSS, (m) => m.jobs.nli.labels.reverse()],
  ['a job', CROSS, (m) => delete m.jobs.nli],
  ['how many are read', CROSS, (m) => Object.assign(m.upper, { keep: 7 })],
  ['what goes to the upper half', CROSS, (m) => Object.assign(m.upper, { hidden: 'other' })],
  ['a field that is not known yet', CROSS, (m) => Object.assign(m, { temperature: 2 })],
])('%s tells models apart', (_, name, change) => {
  expect(identityOf(entry(name, change), HALVES, 2)).not.toBe(identityOf(entry(name), HALVES, 2));
});

test('so does each file, and files that change places', () => {
  const of = (files: FileHashes) => identityOf(entry(CROSS), files, 2);
  const { weights, upper, tokenizer } = HALVES as Required<FileHashes>;
  const all = [
    HALVES,
    FILES,
    { ...HALVES, weights: 'd' },
    { ...HALVES, upper: 'd' },
    { ...HALVES, tokenizer: 'd' },
    { weights: upper, upper: weights, tokenizer },
  ];
  expect(new Set(all.map(of)).size).toBe(all.length);
});

test('what only tells of a model or checks it does not', () => {
  const same = entry(CROSS, (model) => {
    Object.assign(model, { title: 'other', revision: 'main', licence: 'none', card: 'https://x.example' });
    Object.assign(model, { hub: 'acme/other', config: { path: 'config.json' } });
    for (const file of ['weights', 'upper', 'tokenizer']) Object.assign(model[file], { path: 'x', bytes: 1 });
    for (const job of Object.values<AnyLock>(model.jobs)) job.known = [];
    model.jobs = Object.fromEntries(Object.entries(model.jobs).reverse());
  });
  expect(identityOf(same, HALVES, 2)).toBe(identityOf(entry(CROSS), HALVES, 2));
});
