// An inference thread on a device whose numbers are those of the CPU, each more by PRAGAURA_TEST_SHIFT.
import { parentPort, workerData } from 'node:worker_threads';

const dist = process.env.TEST_DIST ?? new URL('../../../dist', import.meta.url).href;
const shift = Number(process.env.PRAGAURA_TEST_SHIFT);

if (workerData.provider !== 'cpu') {
  workerData.provider = 'cpu';
  const send = parentPort.postMessage.bind(parentPort);
  parentPort.postMessage = (message, transfer) => {
    for (const output of message.outputs ?? []) output.forEach((x, i) => (output[i] = x + shift));
    send(message, transfer);
  };
}
await import(`${dist}/scorers/runtime/thread.js`);
