/** Loaded into a worker with --import: SIGUSR2 ends one of its inference threads, whatever that is doing. */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { isMainThread, type Worker } from 'node:worker_threads';

// Inference threads inherit --import.
if (isMainThread) {
  const threads = createRequire(import.meta.url)('node:worker_threads') as { Worker: typeof Worker };
  const alive = new Set<Worker>();
  threads.Worker = class extends threads.Worker {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      super(...args);
      alive.add(this);
      this.once('exit', () => alive.delete(this));
    }
  };
  syncBuiltinESMExports();
  process.on('SIGUSR2', () => {
    const [first] = alive;
    void first?.terminate();
  });
}
