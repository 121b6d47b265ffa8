// An inference thread on a device that takes every model, runs it and gives the same numbers for everything.
import { parentPort, workerData } from 'node:worker_threads';

const dist = process.env.TEST_DIST ?? new URL('../../../dist', import.meta.url).href;

if (workerData.provider === 'cpu') await import(`${dist}/scorers/runtime/thread.js`);
else {
  let outputs;
  parentPort.on('message', (message) => {
    if (message === 'close') return parentPort.close();
    if (message.load) {
      [{ outputs }] = message.load;
      return parentPort.postMessage({ ready: true, sums: null });
    }
    const count = message.lengths.length;
    const numbers = outputs.map(({ width }) => new Float32Array(count * width).fill(1));
    parentPort.postMessage({ id: message.id, outputs: numbers });
  });
}
