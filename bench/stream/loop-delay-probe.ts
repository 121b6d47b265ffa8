/**
 * Loaded into `pragaura route` with --import: watches the event loop of its main thread from the first line of output
 * on (models are loaded by then) and writes one line of JSON to file descriptor 3 at the end, so that the program
 * measured is the program as it is.
 */
import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { watchLoop } from '../measure/loop-delay.ts';
import { peakMiB } from '../measure/machine.ts';

// Inference threads inherit --import.
if (isMainThread) {
  let stop = watchLoop();
  const { stdout } = process;
  const write = stdout.write;
  stdout.write = ((...args: Parameters<typeof write>) => {
    stdout.write = write;
    stop();
    stop = watchLoop();
    return write.apply(stdout, args);
  }) as typeof write;
  process.on('exit', () => {
    writeSync(3, `${JSON.stringify({ loop: stop(), peakMiB: peakMiB() })}\n`);
  });
}
