import { progress } from '../../common/index.ts';

/** How far the measuring is, drawn on a terminal only: count, queries a second, and the time that is left. */
export function measuringProgress(
  total: number,
  options: NonNullable<Parameters<typeof progress>[2]> = {},
): { step(): void; end(): void } {
  const now = options.now ?? Date.now;
  const bar = progress('measuring', total, options);
  const started = now();
  let done = 0;
  return {
    step() {
      done += 1;
      const rate = (1_000 * done) / Math.max(1, now() - started);
      bar.update(done, `${rate.toFixed(1)}/s, ${lasting((total - done) / rate)} left`);
    },
    end: () => bar.end(),
  };
}

/** "45 s", "12 min", "2 h 5 min". */
function lasting(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
