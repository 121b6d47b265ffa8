/** Milliseconds by stage, in the order in which stages ran. */
export class Stopwatch {
  readonly timings: Record<string, number> = {};
  readonly #startedAt = performance.now();

  /** Runs a stage and books its time, also when it fails; a stage that runs again adds to what it took before. */
  async time<T>(stage: string, run: () => T | Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await run();
    } finally {
      this.timings[stage] = rounded((this.timings[stage] ?? 0) + performance.now() - startedAt);
    }
  }

  /** All stages and the time since the start as `total`. */
  stop(): Record<string, number> {
    return { ...this.timings, total: rounded(performance.now() - this.#startedAt) };
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
