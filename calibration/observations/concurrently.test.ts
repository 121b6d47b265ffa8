import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { concurrently } from './concurrently.ts';

const items = Array.from({ length: 20 }, (_, i) => i);

it('does everything, never more at a time than allowed', async () => {
  const done: number[] = [];
  let [now, most] = [0, 0];
  await concurrently(items, 3, async (item) => {
    most = Math.max(most, ++now);
    await sleep(1);
    now--;
    done.push(item);
  });
  expect(done.sort((a, b) => a - b)).toEqual(items);
  expect(most).toBe(3);
});

it('finishes what is in flight when it is stopped', async () => {
  const stop = new AbortController();
  const done: number[] = [];
  const work = async (item: number, signal: AbortSignal) => {
    if (item === 4) stop.abort();
    await sleep(2);
    expect(signal.aborted).toBe(false);
    done.push(item);
  };
  await concurrently(items, 3, work, { stop: stop.signal });
  expect(done.length).toBeGreaterThanOrEqual(5);
  expect(done.length).toBeLessThan(9);
});

it('cancels what is in flight', async () => {
  const [stop, cancel] = [new AbortController(), new AbortController()];
  const cancelled: number[] = [];
  const work = async (item: number, signal: AbortSignal) => {
    await sleep(60_000, undefined, { signal }).catch(() => cancelled.push(item));
  };
  const running = concurrently(items, 3, work, { stop: stop.signal, cancel: cancel.signal });
  stop.abort();
  cancel.abort();
  await running;
  expect(cancelled).toEqual([0, 1, 2]);
});

it('throws the first failure after what is in flight has ended', async () => {
  const done: number[] = [];
  const failing = concurrently(items, 3, async (item) => {
    if (item === 1) throw new RangeError('one');
    await sleep(5);
    done.push(item);
  });
  await expect(failing).rejects.toThrow(RangeError);
  expect(done).toEqual([0, 2]);
});
