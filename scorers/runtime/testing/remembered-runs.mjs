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
    const session = await create(model, options);
    const of = createHash('sha1').update(model).update(JSON.stringify(options)).digest();
    const run = session.run.bind(session);
    session.run = (feeds, names) => remembered(of, feeds, names, run, Tensor);
    return session;
  };
}

let written = 0;

async function remembered(of, feeds, names, run, Tensor) {
  const hash = createHash('sha1').update(of).update(JSON.stringify(names));
  for (const [name, { dims, data }] of Object.entries(feeds)) {
    hash.update(JSON.stringify([name, dims]));
    hash.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
  const file = path.join(folder, hash.digest('hex'));
  const known = await readFile(file).catch(() => null);
  if (known !== null) {
    const outputs = deserialize(known);
    return Object.fromEntries(outputs.map(([name, type, data, dims]) => [name, new Tensor(type, data, dims)]));
  }
  const results = await run(feeds, names);
  const outputs = names.map((name) => [name, results[name].type, results[name].data, results[name].dims]);
  // Another process may be at the same: whole or not at all.
  const part = `${file}.${process.pid}.${threadId}.${written++}`;
  await writeFile(part, serialize(outputs));
  await rename(part, file);
  return results;
}
