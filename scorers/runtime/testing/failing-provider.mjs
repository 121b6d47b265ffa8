// An inference thread on a device that takes every model and then runs none of them.
import { parentPort, workerData } from 'node:worker_threads';

const dist = process.env.TEST_DIST ?? new URL('../../../dist', import.meta.url).href;

if (workerData.provider === 'cpu') await import(`${dist}/scorers/runtime/thread.js`);
else {
  parentPort.on('message', (message) => {
    if (message === 'close') parentPort.close();
    else if (message.load) parentPort.postMessage({ ready: true, sums: null });
    else parentPort.postMessage({ id: message.id, failed: 'out of device memory' });
  });
}
