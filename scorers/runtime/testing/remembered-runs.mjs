/**
 * Loaded before all else into every process and thread of a run of the tests: what a model makes of a tensor is computed
 * once in the run, as it comes out the same each time (the tests of this room, which run without this, see to that).
 * Most of the processor time of the tests is models that look at the same few passages again and again.
 */
import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { isMainThread, threadId, workerData } from 'node:worker_threads';

const folder = process.env.PRAGAURA_TEST_RUNS;
if (folder && !isMainThread && workerData?.provider === 'cpu') {
  const { InferenceSession, Tensor } = createRequire(import.meta.url)('onnxruntime-node');
  const create = InferenceSession.create.bind(InferenceSession);
  InferenceSession.create = async (model, options) => {
    const of = createHash('sha1').update(model).update(JSON.stringify(options)).digest();
    // Whoever gave the bytes takes them back at once.
    const bytes = Uint8Array.from(model);
    let session;
    const made = () => (session ??= create(bytes, options));
    const { inputNames, outputNames } = await remembered(of.toString('hex'), async () => {
      const { inputNames, outputNames } = await made();
      return { inputNames, outputNames };
    });
    // To make a session takes longer than what is asked of most: it is made where something is new to be computed.
    return {
      inputNames,
      outputNames,
      run: (feeds, names) => ran(of, feeds, names, Tensor, async () => (await made()).run(feeds, names)),
      release: async () => (await session)?.release(),
    };
  };
}

let written = 0;

async function ran(of, feeds, names, Tensor, run) {
  const hash = createHash('sha1').update(of).update(JSON.stringify(names));
  for (const [name, { dims, data }] of Object.entries(feeds)) {
    hash.update(JSON.stringify([name, dims]));
    hash.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
  const outputs = await remembered(hash.digest('hex'), async () => {
    const results = await run();
    return names.map((name) => [name, results[name].type, results[name].data, results[name].dims]);
  });
  return Object.fromEntries(outputs.map(([name, type, data, dims]) => [name, new Tensor(type, data, dims)]));
}

/** What was computed under this name by whoever came first. */
async function remembered(name, compute) {
  const file = path.join(folder, name);
  const known = await readFile(file).catch(() => null);
  if (known !== null) return deserialize(known);
  const value = await compute();
  // Another process may be at the same: whole or not at all.
  const part = `${file}.${process.pid}.${threadId}.${written++}`;
  await writeFile(part, serialize(value));
  await rename(part, file);
  return value;
}
