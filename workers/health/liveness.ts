/**
 * Whether a worker still takes jobs. A worker can look alive and take nothing after a reconnect, so what counts is a
 * job processed lately; heartbeat jobs see to it that there is always one to take.
 */

/** What is asked when no job came for too long. */
export interface LivenessProbe {
  /** By a new connection: `working`: Redis takes writes and the queue hands out jobs; else why none can be expected. */
  ask(): Promise<'working' | 'paused' | 'unreachable'>;
}

export interface LivenessReport {
  alive: boolean;
  /** Milliseconds since a job, heartbeat or real, was taken or done. */
  silentMs: number;
  state: 'working' | 'paused' | 'unreachable' | 'stuck';
}

/**
 * Not alive means that a restart would help: jobs are to be had and this worker takes none. While Redis cannot be
 * reached or written to, or the queue is paused, there is nothing to take; that is a matter of readiness.
 */
export class Liveness {
  readonly #probe: LivenessProbe;
  readonly #now: () => number;
  readonly #silenceMs: number;
  #lastSign: number;

  constructor(options: { probe: LivenessProbe; silenceMs: number; now?: () => number }) {
    this.#probe = options.probe;
    this.#silenceMs = options.silenceMs;
    this.#now = options.now ?? (() => performance.now());
    this.#lastSign = this.#now();
  }

  /** A sign of life: a job taken up, done or failed. */
  sign(): void {
    this.#lastSign = this.#now();
  }

  async report(): Promise<LivenessReport> {
    const silentMs = Math.round(this.#now() - this.#lastSign);
    if (silentMs <= this.#silenceMs) {
      return { alive: true, silentMs, state: 'working' };
    }
    const asked = await this.#probe.ask();
    if (asked === 'working') return { alive: false, silentMs, state: 'stuck' };
    // The clock starts when jobs can be had again, or a worker would be killed for a Redis that was away.
    this.sign();
    return { alive: true, silentMs, state: asked };
  }
}

export interface HeartbeatOptions {
  /** Adds a heartbeat job. */
  add: () => Promise<unknown>;
  /** From one to the next, on average. */
  everyMs: number;
  /** Told of a heartbeat that could not be added. */
  failed: (error: unknown) => void;
  random?: () => number;
}

/**
 * Adds heartbeat jobs until stopped. Workers take turns at the jobs of a queue; the interval varies by a fifth, so
 * that no worker can be the one that always comes second.
 */
export function startHeartbeats(options: HeartbeatOptions): { stop(): void } {
  const random = options.random ?? Math.random;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const beat = () => {
    options
      .add()
      .catch(options.failed)
      .finally(() => {
        if (!stopped) timer = setTimeout(beat, options.everyMs * (0.8 + 0.4 * random())).unref();
      });
  };
  beat();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
