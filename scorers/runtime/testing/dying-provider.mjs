// An inference thread on a device that takes every model and ends at its first run.
import { parentPort, workerData } from 'node:worker_threads';

const dist = process.env.TEST_DIST ?? new URL('../../../dist', import.meta.url).href;

if (workerData.provider === 'cpu') await import(`${dist}/scorers/runtime/thread.js`);
else {
  parentPort.on('message', (message) => {
    if (message === 'close') parentPort.close();
    else if (message.load) parentPort.postMessage({ ready: true, sums: null });
    else process.exit(3);
  });
}
