// Stands in for an inference thread: the first id of a sequence says what happens to it.
import { parentPort, workerData } from 'node:worker_threads';

const { log } = workerData;
const counts = new Int32Array(log);
if (Atomics.load(counts, 2) === 1) throw new Error('no room');
Atomics.add(counts, 3, 1);
process.on('exit', () => Atomics.sub(counts, 3, 1));
parentPort.on('message', (message) => {
  if (message === 'close') return parentPort.close();
  if (message.load) return parentPort.postMessage({ ready: true, sums: null });
  let at = 0;
  const firsts = Array.from(message.lengths, (length) => {
    at += length;
    return message.ids[at - length];
  });
  Atomics.add(counts, 0, firsts.length);
  if (firsts.includes(666)) throw new Error('poison');
  if (firsts.includes(667)) process.exit(3);
  // Dies of the first one in the whole pool only.
  if (firsts.includes(13) && Atomics.add(counts, 1, 1) === 0) throw new Error('unlucky');
  // Ends by itself as soon as it is idle.
  if (firsts.includes(14)) setImmediate(() => process.exit(0));
  if (firsts.includes(500)) return parentPort.postMessage({ id: message.id, failed: 'no' });
  const outputs = [Float32Array.from(firsts), Float32Array.from(message.ids)];
  parentPort.postMessage({ id: message.id, ms: 1, outputs }, outputs.map((o) => o.buffer));
});
