/** How late the event loop comes round, as a stream of samples. */

const TICK_MS = 20;
/** A stop longer than this many ticks is counted as so many: a laptop that slept is no measurement. */
const MOST_TICKS = 3000;

/**
 * Calls `record` with the lateness, in seconds, of a timer that should fire every 20 ms. A loop that stood still for
 * a second has missed fifty ticks, and all of them are recorded (980 ms late, 960, …): otherwise the worst moments
 * would be those with the fewest samples.
 */
export function sampleLoopDelay(record: (seconds: number) => void): { stop(): void } {
  let due = performance.now() + TICK_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    const late = Math.max(0, now - due);
    const missed = Math.min(MOST_TICKS, Math.floor(late / TICK_MS));
    for (let i = 0; i <= missed; i += 1) record((late - i * TICK_MS) / 1000);
    // Node's interval starts anew from when it fired.
    due = now + TICK_MS;
  }, TICK_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
