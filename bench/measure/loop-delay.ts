import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;

/** By how many milliseconds a timer on this thread came late. */
export interface LoopDelay {
  p50: number;
  p99: number;
  max: number;
}

/** Watches the event loop until the function given back is called. Node counts the timer's own 10 ms in; here not. */
export function watchLoop(): () => LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  return () => {
    histogram.disable();
    // Nothing recorded yet: the loop has not come round once.
    if (histogram.count === 0) return { p50: 0, p99: 0, max: 0 };
    return {
      p50: late(histogram.percentile(50)),
      p99: late(histogram.percentile(99)),
      max: late(histogram.max),
    };
  };
}
