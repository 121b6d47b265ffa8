/** What is done to a stand while jobs run through it. */

import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, randomIn } from '../../common/index.ts';
import type { Stand } from './stand.ts';
import { kill } from './worker-process.ts';

export interface Strike {
  name: string;
  /** Strikes once, at whatever moment it is called, and resolves when the fault itself is over. */
  strike(stand: Stand, random: Random): Promise<void>;
}

const alive = (stand: Stand) => stand.workers.filter(({ ended }) => !ended);
const oneOf = <T>(items: readonly T[], random: Random) => items[Math.floor(random() * items.length)]!;

export const STRIKES: readonly Strike[] = [
  {
    name: 'a worker killed (SIGKILL), another started',
    async strike(stand, random) {
      await kill(oneOf(alive(stand), random));
      await stand.addWorker();
    },
  },
  {
    name: 'all workers killed at once, as many started',
    async strike(stand) {
      const struck = alive(stand);
      await Promise.all(struck.map(kill));
      await Promise.all(struck.map(() => stand.addWorker()));
    },
  },
  {
    name: 'a worker stopped (SIGSTOP) for longer than its lock, then woken',
    async strike(stand, random) {
      const worker = oneOf(alive(stand), random);
      worker.child.kill('SIGSTOP');
      await sleep(stand.lockMs * 1.5 + randomIn(random, 0, stand.lockMs));
      worker.child.kill('SIGCONT');
    },
  },
  {
    name: 'a worker told to end (SIGTERM) with no time to drain, another started',
    async strike(stand, random) {
      const worker = oneOf(alive(stand), random);
      worker.child.kill('SIGTERM');
      await worker.exited;
      await stand.addWorker();
    },
  },
  {
    name: 'an inference thread died in the middle of a batch (light: all in flight failed as if)',
    async strike(stand, random) {
      const worker = oneOf(alive(stand), random);
      worker.child.kill('SIGUSR2');
      // The runtime may take its process with it; a supervisor would then start another.
      await Promise.race([worker.exited, sleep(1_000)]);
      if (worker.ended) await stand.addWorker();
    },
  },
  {
    name: 'Redis killed and restarted with its append-only file (appendfsync always)',
    async strike(stand, random) {
      await stand.redis.kill();
      await sleep(randomIn(random, 0, 500));
      await stand.redis.start();
    },
  },
  {
    name: 'Redis frozen (SIGSTOP), then woken',
    async strike(stand, random) {
      stand.redis.freeze();
      await sleep(randomIn(random, 200, stand.lockMs * 1.5));
      stand.redis.thaw();
    },
  },
  {
    name: 'all connections cut, new ones refused for a while',
    async strike(stand, random) {
      stand.wire.refuse();
      stand.wire.cut();
      await sleep(randomIn(random, 0, 800));
      stand.wire.clear();
    },
  },
  {
    name: 'a slow wire: every piece of 512 bytes takes 10 ms',
    async strike(stand, random) {
      stand.wire.slow(10, 512);
      await sleep(randomIn(random, 500, 1_500));
      stand.wire.clear();
    },
  },
  {
    name: 'all connections half-open, for good',
    async strike(stand) {
      stand.wire.halfOpen();
    },
  },
];
