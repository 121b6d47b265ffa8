/** ONNX Runtime with nothing around it: ready-made tensors, run one after the other until none is left. */
import { parentPort, workerData } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { BareSetup } from './bare.ts';

const port = parentPort!;
const { weights, session: options, outputs, batches, next } = workerData as BareSetup;
const taken = new Int32Array(next);

const begun = performance.now();
const session = await (typeof weights === 'string'
  ? InferenceSession.create(weights, options)
  : InferenceSession.create(Uint8Array.from(weights), options));
const loadMs = performance.now() - begun;
const feeds = batches.map(({ rows, width, ids, mask, types }) => {
  const all: Record<string, BigInt64Array> = { input_ids: ids, attention_mask: mask, token_type_ids: types };
  return Object.fromEntries(
    session.inputNames.map((name) => [name, new Tensor('int64', all[name]!, [rows, width])]),
  );
});
port.on('message', async (message: 'go' | 'close') => {
  if (message === 'close') {
    await session.release();
    port.close();
    return;
  }
  for (let i = Atomics.add(taken, 0, 1); i < feeds.length; i = Atomics.add(taken, 0, 1)) {
    await session.run(feeds[i]!, outputs);
  }
  port.postMessage('done');
});
port.postMessage({ loadMs });
