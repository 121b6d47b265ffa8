import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Latencies } from './latencies.ts';
import { ResultsFile } from './results-file.ts';
import { ms, table, withInterval } from './table.ts';

describe('Latencies', () => {
  it('has percentiles within three digits', () => {
    const latencies = new Latencies();
    for (let i = 1; i <= 1_000; i++) latencies.record(i);
    const { n, p50, p99, max, mean } = latencies.summary();
    expect(n).toBe(1_000);
    for (const [value, expected] of [
      [p50, 500],
      [p99, 990],
      [max, 1_000],
      [mean, 500.5],
    ]) {
      expect(Math.abs(value! / expected! - 1)).toBeLessThan(0.002);
    }
  });

  it('keeps fractions of a millisecond as microseconds', () => {
    const latencies = new Latencies();
    latencies.record(0.1234);
    latencies.record(0);
    expect(latencies.summary()).toMatchObject({ n: 2, max: 0.123, p50: 0 });
  });

  it('counts what is no duration and does not record it', () => {
    const latencies = new Latencies();
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -1]) latencies.record(value);
    expect(latencies.summary()).toEqual({
      n: 0,
      p50: null,
      p95: null,
      p99: null,
      max: null,
      mean: null,
      clamped: 0,
      refused: 3,
    });
  });

  it('clamps what is longer than an hour and says so', () => {
    const latencies = new Latencies();
    latencies.record(1e12);
    const { n, clamped, max } = latencies.summary();
    expect([n, clamped]).toEqual([1, 1]);
    expect(Math.abs(max! / 3_600_000 - 1)).toBeLessThan(0.002);
  });

  it('times work that throws as well', async () => {
    const latencies = new Latencies();
    await expect(latencies.time(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await latencies.time(() => 7)).toBe(7);
    expect(latencies.summary().n).toBe(2);
  });
});

describe('ResultsFile', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'pragaura-results-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it('goes on where a run was broken off, dropping half a line', async () => {
    const first = await ResultsFile.open<{ id: string; x: number }>(dir, 'set', { v: 1 });
    await first.add({ id: '__proto__', x: 1 });
    await first.close();
    await appendFile(first.file, '{"id":"b","x"');
    const second = await ResultsFile.open<{ id: string; x: number }>(dir, 'set', { v: 1 });
    expect([second.get('__proto__')?.x, second.get('b'), second.get('constructor')]).toEqual([
      1,
      undefined,
      undefined,
    ]);
    await second.add({ id: 'b', x: 2 });
    await second.close();
    expect(await readFile(first.file, 'utf8')).toBe('{"id":"__proto__","x":1}\n{"id":"b","x":2}\n');
  });

  it('keeps versions apart and refuses damage in the middle', async () => {
    const one = await ResultsFile.open(dir, 'set', { v: 1 });
    const two = await ResultsFile.open(dir, 'set', { v: 2 });
    expect(one.file).not.toBe(two.file);
    await Promise.all([one.close(), two.close()]);
    await appendFile(one.file, 'not json\n{"id":"a"}\n');
    await expect(ResultsFile.open(dir, 'set', { v: 1 })).rejects.toMatchObject({
      code: 'UNREADABLE_DOCUMENT',
    });
  });

  it('says when it cannot write', async () => {
    await appendFile(path.join(dir, 'file'), '');
    await expect(ResultsFile.open(path.join(dir, 'file'), 'set', {})).rejects.toMatchObject({
      code: 'WRITE_FAILED',
    });
  });
});

describe('tables', () => {
  it('lines up columns', () => {
    expect(table(['a', 'bb'], [['xxx', '1'], ['y']])).toBe('a    bb\n---  --\nxxx   1\ny');
  });

  it('shows figures with their intervals and gaps as gaps', () => {
    expect(withInterval(0.5, { low: 0.4, high: 0.6 })).toBe('0.500 [0.400, 0.600]');
    expect([withInterval(null, null), withInterval(0.5, null)]).toEqual(['–', '0.500']);
    expect([ms(null), ms(123.4), ms(1.26), ms(0.0123)]).toEqual(['–', '123', '1.3', '0.012']);
  });
});
