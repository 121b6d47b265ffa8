import { expect, test } from 'vitest';
import { Queue, type Sequence } from './queue.ts';

const sequence = (...ids: number[]): Sequence => ({ ids, second: ids.length });
const long = (length: number, id = 7): Sequence => ({
  ids: new Array<number>(length).fill(id),
  second: length,
});
const single = () => false;
const padded = () => true;
const lengths = (items: { sequence: Sequence }[]) => items.map((item) => item.sequence.ids.length);
const out = (value: number) => [Float32Array.of(value)];

test('the same sequence is run once for all who ask, in whatever order they asked', async () => {
  const queue = new Queue();
  const a = queue.submit('m', [sequence(1, 2), sequence(3)], {});
  const b = queue.submit('m', [sequence(3), sequence(1, 2), sequence(3)], {});
  const batch = queue.next(100, single);
  expect(batch).toHaveLength(2);
  expect(queue.next(100, single)).toEqual([]);
  // Joins what already runs.
  const c = queue.submit('m', [sequence(3)], {});
  expect(queue.next(100, single)).toEqual([]);
  for (const item of batch) queue.done(item, out(item.sequence.ids.length));
  expect((await a).map((r) => r[0]![0])).toEqual([2, 1]);
  expect((await b).map((r) => r[0]![0])).toEqual([1, 2, 1]);
  expect((await c).map((r) => r[0]![0])).toEqual([1]);
  expect(queue.waitingTokens).toBe(0);
});

test('sequences that differ only in model, in type boundary or in where an id ends are not the same', () => {
  const queue = new Queue();
  void queue.submit('m', [{ ids: [1, 2, 3], second: 1 }], {});
  void queue.submit('m', [{ ids: [1, 2, 3], second: 2 }], {});
  void queue.submit('m', [{ ids: [12, 3], second: 2 }], {});
  void queue.submit('n', [{ ids: [1, 2, 3], second: 1 }], {});
  expect(queue.next(100, single)).toHaveLength(3);
  expect(queue.next(100, single)).toHaveLength(1);
});

test('sequences whose ids differ in their high bits only are not the same', async () => {
  const queue = new Queue();
  const asked = queue.submit('m', [sequence(1, 5), sequence(1, 5 + 65_536)], {});
  const batch = queue.next(100, single);
  expect(batch).toHaveLength(2);
  for (const item of batch) queue.done(item, out(item.sequence.ids[1]!));
  expect((await asked).map((r) => r[0]![0])).toEqual([5, 65_541]);
});

test('callers take turns, each one giving its longest first', () => {
  const queue = new Queue();
  void queue.submit('m', [long(1, 1), long(3, 1), long(2, 1)], {});
  void queue.submit('m', [long(5, 2)], {});
  expect(lengths(queue.next(100, single))).toEqual([3, 5, 2, 1]);
});

test('a large caller does not hold up a small one', () => {
  const queue = new Queue();
  void queue.submit(
    'm',
    Array.from({ length: 1000 }, (_, i) => sequence(1, i)),
    {},
  );
  queue.next(20, single);
  void queue.submit('m', [sequence(9, 9, 9)], {});
  expect(lengths(queue.next(10, single))).toContain(3);
});

test('a batch holds as many tokens as the budget, padding counted where there is any', () => {
  const queue = new Queue();
  void queue.submit('m', [long(10, 1), long(4, 2), long(4, 3), long(4, 4)], {});
  expect(lengths(queue.next(25, padded))).toEqual([10, 4]);
  expect(lengths(queue.next(25, padded))).toEqual([4, 4]);
  void queue.submit('m', [long(4, 5), long(4, 6), long(8, 7)], {});
  expect(lengths(queue.next(15, single))).toEqual([8, 4]);
  expect(lengths(queue.next(15, single))).toEqual([4]);
});

test('a sequence over the budget runs alone', () => {
  const queue = new Queue();
  void queue.submit('m', [long(50), long(1)], {});
  expect(lengths(queue.next(10, single))).toEqual([50]);
  expect(lengths(queue.next(10, single))).toEqual([1]);
});

test('a batch holds one model only, and the other model is next', () => {
  const queue = new Queue();
  void queue.submit('m', [sequence(1), sequence(2)], {});
  void queue.submit('n', [sequence(3)], {});
  expect(queue.next(100, single).map((item) => item.model)).toEqual(['m', 'm']);
  expect(queue.next(100, single).map((item) => item.model)).toEqual(['n']);
});

test('what a cancelled caller waits for is not run, unless another waits for it too', async () => {
  const queue = new Queue();
  const controller = new AbortController();
  const gone = queue.submit('m', [sequence(1), sequence(2)], { signal: controller.signal });
  const other = queue.submit('m', [sequence(2)], {});
  controller.abort();
  await expect(gone).rejects.toMatchObject({ code: 'ABORTED' });
  const batch = queue.next(100, single);
  expect(batch.map((item) => item.sequence.ids)).toEqual([[2]]);
  queue.done(batch[0]!, out(2));
  await expect(other).resolves.toHaveLength(1);
  expect(queue.waitingTokens).toBe(0);
});

test('a caller that has already gone or whose time is up starts nothing', async () => {
  const queue = new Queue();
  await expect(queue.submit('m', [sequence(1)], { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'ABORTED',
  });
  for (const deadline of [Date.now() - 1, Number.NaN, 0]) {
    await expect(queue.submit('m', [sequence(1)], { deadline })).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
  }
  expect(queue.next(100, single)).toEqual([]);
  await queue.drained();
});

test('a deadline that passes while waiting is told at once; a far one is none', async () => {
  const queue = new Queue();
  const late = queue.submit('m', [sequence(1)], { deadline: Date.now() + 30 });
  const patient = queue.submit('m', [sequence(2)], { deadline: Date.now() + 1e12 });
  await expect(late).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  const batch = queue.next(100, single);
  expect(batch.map((item) => item.sequence.ids)).toEqual([[2]]);
  queue.done(batch[0]!, out(1));
  await expect(patient).resolves.toHaveLength(1);
});

test('what failed is tried once more, alone, then it is its callers failure only', async () => {
  const queue = new Queue();
  const good = queue.submit('m', [sequence(1)], {});
  const bad = queue.submit('m', [sequence(2), sequence(3)], {});
  const told = expect(bad).rejects.toMatchObject({
    code: 'SCORING_FAILED',
    message: 'scoring failed: the thread died',
  });
  for (const item of queue.next(100, single)) queue.failed(item, 'the thread died');
  // The third one is waited for by nobody once the second has failed its caller.
  for (let n = 0; n < 2; n += 1) {
    const again = queue.next(100, single);
    expect(again).toHaveLength(1);
    if (again[0]!.sequence.ids[0] === 2) queue.failed(again[0]!, 'the thread died');
    else queue.done(again[0]!, out(1));
  }
  await expect(good).resolves.toHaveLength(1);
  await told;
  expect(queue.next(100, single)).toEqual([]);
  expect(queue.waitingTokens).toBe(0);
});

test('drained waits for all callers, refuseAll for nobody', async () => {
  const queue = new Queue();
  let drained = false;
  const waits = queue.submit('m', [sequence(1)], {});
  const done = queue.drained().then(() => {
    drained = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(drained).toBe(false);
  queue.refuseAll('closed');
  await expect(waits).rejects.toMatchObject({ code: 'SCORING_FAILED' });
  await done;
  expect(queue.waitingTokens).toBe(0);
  await expect(queue.submit('m', [], {})).resolves.toEqual([]);
});
