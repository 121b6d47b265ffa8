import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Liveness, startHeartbeats } from './liveness.ts';

function live(answer: 'working' | 'paused' | 'unreachable') {
  const clock = { now: 0, asked: 0 };
  const liveness = new Liveness({
    silenceMs: 100,
    now: () => clock.now,
    probe: {
      ask: async () => {
        clock.asked += 1;
        return answer;
      },
    },
  });
  return { liveness, clock };
}

test('nobody is asked while jobs come', async () => {
  const { liveness, clock } = live('working');
  expect(await liveness.report()).toEqual({ alive: true, silentMs: 0, state: 'working' });
  clock.now = 100;
  expect(await liveness.report()).toEqual({ alive: true, silentMs: 100, state: 'working' });
  expect(clock.asked).toBe(0);
});

test('silence while jobs can be had is death, and a job is life again', async () => {
  const { liveness, clock } = live('working');
  clock.now = 101;
  expect(await liveness.report()).toEqual({ alive: false, silentMs: 101, state: 'stuck' });
  liveness.sign();
  expect(await liveness.report()).toMatchObject({ alive: true });
});

test.each(['paused', 'unreachable'] as const)(
  'a queue that is %s kills nobody, also just after',
  async (state) => {
    const { liveness, clock } = live(state);
    clock.now = 10_000;
    expect(await liveness.report()).toMatchObject({ alive: true, state });
    clock.now = 10_100;
    expect(await liveness.report()).toMatchObject({ alive: true, state: 'working' });
  },
);

test('heartbeats go on after a failure, and not after the stop', async () => {
  let added = 0;
  const failures: unknown[] = [];
  const hearts = startHeartbeats({
    everyMs: 5,
    add: async () => {
      added += 1;
      if (added === 1) throw new Error('no Redis');
    },
    failed: (error) => failures.push(error),
  });
  while (added < 4) await sleep(2);
  hearts.stop();
  expect(failures).toHaveLength(1);
  const then = added;
  await sleep(30);
  expect(added).toBe(then);
});
