import { decodeFromCompressedBase64 } from 'hdr-histogram-js';
import { describe, expect, it } from 'vitest';
import { drawnOf } from '../../calibration/index.ts';
import { ActLatencies } from './act-latencies.ts';
import { figuresOf } from './figures.ts';
import type { RateReport } from './measure-rate.ts';
import { type LatencyReport, renderLatency } from './render.ts';
import { isHeld } from './run-latency.ts';

describe('ActLatencies', () => {
  it('keeps acts, stages, service and response apart and adds them up', () => {
    const latencies = new ActLatencies();
    latencies.record('FACT', 30, 20, { embed: 5, total: 20 });
    latencies.record('FACT', 50, 20, { embed: 7, judge: 9, total: 20 });
    latencies.record('constructor', 100, 90, { embed: 8, total: 90 });
    const { all, acts } = latencies.report();
    expect(Object.keys(acts)).toEqual(['FACT', 'constructor']);
    expect(acts.FACT!.response).toMatchObject({ n: 2 });
    expect(Math.abs(acts.FACT!.response.max! - 50)).toBeLessThan(0.1);
    expect(Math.abs(acts.FACT!.service.max! - 20)).toBeLessThan(0.1);
    expect([all.response.n, all.stages.embed!.n, all.stages.judge!.n]).toEqual([3, 3, 1]);
    expect(all.stages.total).toBeUndefined();
  });

  it('hands its histograms out so that another library reads the same percentiles', () => {
    const latencies = new ActLatencies();
    for (let ms = 1; ms <= 1_000; ms++) latencies.record('FACT', ms, ms / 2, {});
    const { response } = latencies.report().all;
    const decoded = decodeFromCompressedBase64(response.histogram);
    expect(decoded.totalCount).toBe(1_000);
    expect(decoded.getValueAtPercentile(95) / 1_000).toBe(response.p95);
    expect(decoded.getValueAtPercentile(50) / 1_000).toBe(response.p50);
  });

  it('counts what is no duration in the sum as well', () => {
    const latencies = new ActLatencies();
    latencies.record('FACT', Number.NaN, 1, {});
    expect(latencies.report().all.response).toMatchObject({ n: 0, p50: null, refused: 1 });
  });
});

describe('isHeld', () => {
  it.each([
    ['within three times the best', { failed: 0, responseP95: 300 }, true],
    ['beyond', { failed: 0, responseP95: 301 }, false],
    ['fast, but a query failed', { failed: 1, responseP95: 100 }, false],
    ['nothing was recorded', { failed: 0, responseP95: null }, false],
  ])('%s', (_, tried, held) => {
    expect(isHeld(tried, 100)).toBe(held);
  });
});

describe('the report', () => {
  function rateReport(rate: number, responseMs: number): RateReport {
    const latencies = new ActLatencies();
    for (let i = 1; i <= 100; i++) latencies.record('FACT', responseMs + i / 100, 20, { embed: 5 });
    const loop = { p50: 0, p99: 1, max: 2 };
    const counts = { n: 100, achieved: rate, failed: 0, failure: null, mostWaiting: 0 };
    return { arrivals: 'poisson', rate, ...counts, loop, ...latencies.report() };
  }
  const report: LatencyReport = {
    schema: 'pragaura.bench-latency/1',
    machine: 'a machine',
    set: 'new-wiki',
    about: 'a set',
    window: 16,
    threads: undefined,
    capacity: 4,
    responseFactor: 3,
    sweeps: [
      {
        arrivals: 'poisson',
        sweep: {
          rates: [
            { ...rateReport(1, 20), held: true },
            { ...rateReport(2, 30), held: true },
            { ...rateReport(4, 900), held: false },
          ],
          knee: 2,
        },
      },
      {
        arrivals: 'constant',
        sweep: { rates: [{ ...rateReport(1, 20), failed: 3, held: false }], knee: null },
      },
    ],
  };

  it('says where the knee is, and where there is none', () => {
    const text = renderLatency(report);
    expect(text).toContain('knee: 2.00 queries/s');
    expect(text).toContain('knee: below 1.00 queries/s');
    expect(text).toMatch(/FACT: response +100 +30/);
    expect(text).toMatch(/stage embed +100/);
  });

  it('is drawn with a panel for each kind of arrivals and a line at the knee', async () => {
    const [drawn] = await drawnOf(figuresOf(report));
    expect(drawn!.svg).toContain('poisson');
    expect(drawn!.svg).toContain('constant');
    expect(drawn!.svg).toContain('response p99');
    expect(drawn!.svg).not.toMatch(/NaN|undefined|Infinity/);
    expect(drawn!.svg.match(/aria-roledescription="rule mark container"/g)).toHaveLength(2);
  });
});
