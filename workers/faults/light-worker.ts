/**
 * A worker process as `pragaura worker` is one, with the light decider instead of models. One argument: its settings as
 * JSON. SIGTERM drains it; SIGUSR2 fails what it has in flight, as an inference thread that dies does.
 */
import { openWorker, type WorkerOptions } from '../worker/index.ts';
import { type LightOptions, lightDecider } from './light-decider.ts';

export interface LightWorkerSettings extends LightOptions {
  redis: string;
  queue: string;
  concurrency: number;
  lockMs: number;
  drainMs: number;
  retention?: WorkerOptions['retention'];
}

const settings = JSON.parse(process.argv[2]!) as LightWorkerSettings;
const decider = lightDecider(settings);
const { redis, queue, concurrency, lockMs, retention } = settings;
const worker = await openWorker({
  redis,
  queue,
  decider,
  concurrency,
  lockMs,
  ...(retention && { retention }),
});
process.on('SIGUSR2', () => void decider.failInFlight());
process.once('SIGTERM', async () => {
  const report = await worker.drain(settings.drainMs);
  process.stdout.write(`${JSON.stringify(report)}\n`);
  process.exit();
});
process.stdout.write('ready\n');
