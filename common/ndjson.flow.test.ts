/** How records flow: windows, back-pressure, order, and the ends of both streams. */
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runRecords } from './ndjson.ts';
import { run, sink } from './testing/streams.ts';

describe('runRecords', () => {
  it('never holds more than the window, out of an endless input', async () => {
    const stop = new AbortController();
    let held = 0;
    let most = 0;
    let pulled = 0;
    async function* endless() {
      for (;;) {
        pulled += 1;
        yield Buffer.from(`{"id":${pulled}}\n`);
      }
    }
    const { output } = sink((done) => {
      held -= 1;
      setImmediate(done);
    });
    const summary = await runRecords({
      input: Readable.from(endless()),
      output,
      parse: (value) => {
        held += 1;
        most = Math.max(most, held);
        return value as { id: number };
      },
      process: async (item) => {
        if (item.id % 3 === 0) await turn();
        if (item.id === 5000) stop.abort();
        return item;
      },
      window: 8,
      signal: stop.signal,
    });
    expect(most).toBeLessThanOrEqual(8);
    expect(most).toBeGreaterThan(4);
    expect(pulled).toBeLessThan(5000 + 8 + 40);
    expect(summary.interrupted).toBe(true);
    expect(summary.exitCode).toBe(130);
    expect(summary.written).toBe(summary.read);
  });

  it('stops reading while the consumer is stuck, and goes on when it is not', async () => {
    let pulled = 0;
    async function* source() {
      for (; pulled < 1000; pulled++) yield Buffer.from(`{"id":${pulled}}\n`);
    }
    let release: (() => void) | null = null;
    let stuck = true;
    const { output, records } = sink((done) => {
      if (stuck) release = done;
      else done();
    });
    const running = runRecords({
      input: Readable.from(source(), { highWaterMark: 4 }),
      output,
      parse: (value) => value as object,
      process: async (item) => item,
      window: 3,
    });
    for (let i = 0; i < 500; i++) await turn();
    expect(pulled).toBeLessThanOrEqual(3 + 4 + 2);
    stuck = false;
    release!();
    expect((await running).written).toBe(1000);
    expect(records().map((r) => r.id)).toEqual(Array.from({ length: 1000 }, (_, i) => i));
  });

  it('writes as records finish when order is not wanted', async () => {
    let release = () => {};
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { records } = await run('1\n2\n3\n4\n5\n', {
      ordered: false,
      window: 2,
      process: async (item) => {
        if (item === 1) await slow;
        if (item === 5) release();
        return { item };
      },
    });
    expect(records[0].item).toBe(2);
    expect(records.map((r) => r.item).sort()).toEqual([1, 2, 3, 4, 5]);
    expect(records.findIndex((r) => r.item === 1)).toBeGreaterThanOrEqual(3);
  });

  it('ends quietly when the reader leaves, aborting what is in flight', async () => {
    let taken = 0;
    const { output } = sink((done) => {
      taken += 1;
      if (taken < 3) done();
      else done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    });
    async function* endless() {
      for (let i = 0; ; i++) yield Buffer.from(`{"id":${i}}\n`);
    }
    const aborted: number[] = [];
    const summary = await runRecords({
      input: Readable.from(endless()),
      output,
      parse: (value) => value as { id: number },
      process: (item, signal): Promise<object> =>
        item.id < 3
          ? Promise.resolve(item)
          : new Promise((_, reject) => {
              signal.addEventListener('abort', () => {
                aborted.push(item.id);
                reject(signal.reason);
              });
            }),
      window: 2,
    });
    expect(summary).toMatchObject({ outputClosed: true, interrupted: false, exitCode: 0, failed: 0 });
    expect(aborted.length).toBeGreaterThan(0);
  });

  it('gives each record a signal of its own, so that listeners cannot pile up', async () => {
    const signals = new Set<AbortSignal>();
    await run('{}\n'.repeat(20), {
      process: async (item, signal) => {
        signals.add(signal);
        return { item };
      },
    });
    expect(signals.size).toBe(20);
  });

  it('reads nothing when the output is closed already', async () => {
    const { output } = sink();
    output.destroy();
    const input = Readable.from(['{"id":1}\n']);
    const summary = await runRecords({
      input,
      output,
      parse: (v) => v,
      process: async () => ({}),
      window: 1,
    });
    expect(summary).toMatchObject({ read: 0, written: 0, outputClosed: true });
    expect(input.destroyed).toBe(true);
  });

  it('fails when the output cannot be written or the input cannot be read', async () => {
    const { output } = sink((done) => done(Object.assign(new Error('no space'), { code: 'ENOSPC' })));
    const common = { parse: (v: unknown) => v, process: async (v: unknown) => ({ v }), window: 2 };
    await expect(
      runRecords({ input: Readable.from(['1\n2\n3\n']), output, ...common }),
    ).rejects.toMatchObject({
      code: 'WRITE_FAILED',
      exitCode: 69,
    });

    async function* broken() {
      yield '1\n2\n';
      throw Object.assign(new Error('EISDIR: is a directory'), { code: 'EISDIR' });
    }
    const good = sink();
    await expect(
      runRecords({ input: Readable.from(broken()), output: good.output, ...common }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(good.records()).toEqual([{ v: 1 }, { v: 2 }]);
  });

  it('stops at once on a signal while the input has nothing to say', async () => {
    const stop = new AbortController();
    const input = new Readable({ read() {} });
    input.push('{"id":1}\n{"id":2');
    const { output, records } = sink();
    const running = runRecords({
      input,
      output,
      parse: (v) => v as object,
      process: async (v) => v,
      window: 2,
      signal: stop.signal,
    });
    await turn();
    stop.abort();
    expect(await running).toMatchObject({ interrupted: true, written: 1 });
    expect(records()).toEqual([{ id: 1 }]);
  });

  it('refuses a window that is none', async () => {
    await expect(run('1\n', { window: 0 })).rejects.toMatchObject({ code: 'USAGE' });
    await expect(run('1\n', { window: Number.NaN })).rejects.toMatchObject({ code: 'USAGE' });
  });
});
