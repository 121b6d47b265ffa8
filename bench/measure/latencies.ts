import * as hdr from 'hdr-histogram-js';

/** An hour in microseconds: nothing measured here is meant to last longer. */
const MAX_MICROSECONDS = 3_600_000_000;

/** All in milliseconds; null where nothing was recorded. `clamped`: values over an hour, kept as an hour. */
export interface LatencySummary {
  n: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
  max: number | null;
  mean: number | null;
  clamped: number;
  /** Values that are no duration (negative, NaN, infinite): counted, not recorded. */
  refused: number;
}

/**
 * Durations in a high-dynamic-range histogram, three significant digits, kept as whole microseconds. The library
 * itself takes NaN, fractions and values beyond its range without a word, so this looks at each first.
 */
export class Latencies {
  readonly #histogram = hdr.build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: MAX_MICROSECONDS,
    numberOfSignificantValueDigits: 3,
  });
  #clamped = 0;
  #refused = 0;

  record(milliseconds: number): void {
    if (!Number.isFinite(milliseconds) || milliseconds < 0) {
      this.#refused++;
      return;
    }
    const microseconds = Math.round(milliseconds * 1_000);
    if (microseconds > MAX_MICROSECONDS) this.#clamped++;
    this.#histogram.recordValue(Math.min(microseconds, MAX_MICROSECONDS));
  }

  /** Runs `work` and records how long it took, also when it throws. */
  async time<T>(work: () => T | Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      this.record(performance.now() - start);
    }
  }

  /** Adds what another one recorded, refused and clamped. */
  add(other: Latencies): void {
    this.#histogram.add(other.#histogram);
    this.#clamped += other.#clamped;
    this.#refused += other.#refused;
  }

  /** The histogram in whole microseconds, as every HdrHistogram library reads it (V2, compressed, base64). */
  encoded(): string {
    return hdr.encodeIntoCompressedBase64(this.#histogram);
  }

  summary(): LatencySummary {
    const n = this.#histogram.totalCount;
    const at = (percentile: number) =>
      n === 0 ? null : this.#histogram.getValueAtPercentile(percentile) / 1_000;
    return {
      n,
      p50: at(50),
      p95: at(95),
      p99: at(99),
      max: at(100),
      mean: n === 0 ? null : this.#histogram.mean / 1_000,
      clamped: this.#clamped,
      refused: this.#refused,
    };
  }
}
