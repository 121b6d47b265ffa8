// An inference thread that finds the sums of its processor to be what the test says.
import { parentPort } from 'node:worker_threads';

const dist = process.env.TEST_DIST ?? new URL('../../../dist', import.meta.url).href;
const sums = JSON.parse(process.env.PRAGAURA_TEST_SUMS);
const post = parentPort.postMessage.bind(parentPort);

parentPort.postMessage = (message, lent) => post('ready' in message ? { ...message, sums } : message, lent);
await import(`${dist}/scorers/runtime/thread.js`);
