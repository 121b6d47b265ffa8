import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../common/index.ts';
import { openLoop, type Sample } from './open-loop.ts';
import { type Arrivals, startTimes } from './schedule.ts';

/** Time that moves only when everybody sleeps: a simulation of hours takes milliseconds. */
class VirtualClock {
  #now = 1_000;
  #sleepers: { at: number; wake: () => void }[] = [];
  now = () => this.#now;
  sleep = (ms: number) =>
    new Promise<void>((wake) => {
      this.#sleepers.push({ at: this.#now + ms, wake });
    });

  /** Runs until `work` has ended. */
  async run<T>(work: Promise<T>): Promise<T> {
    let ended = false;
    work.finally(() => {
      ended = true;
    });
    while (!ended) {
      await new Promise((resolve) => setImmediate(resolve));
      this.#sleepers.sort((a, b) => b.at - a.at);
      const next = this.#sleepers.pop();
      if (next === undefined) continue;
      this.#now = next.at;
      next.wake();
    }
    return work;
  }
}

/** Work that takes `serviceMs(place)`, through an open loop in virtual time. */
async function simulate(plan: readonly number[], window: number, serviceMs: (place: number) => number) {
  const clock = new VirtualClock();
  const samples: Sample<number>[] = [];
  const loop = openLoop(
    async (place) => {
      await clock.sleep(serviceMs(place));
      return place;
    },
    { plan, window, clock },
    (sample) => samples.push(sample),
  );
  const report = await clock.run(loop);
  const response = samples.map(({ intended, ended }) => ended - intended);
  const service = samples.map(({ taken, ended }) => ended - taken);
  return { ...report, samples, response, service };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('startTimes', () => {
  it('are evenly spaced at a constant rate', () => {
    expect(startTimes('constant', 4, 3, seededRandom(1))).toEqual([0, 250, 500]);
  });

  it('have exponential gaps in a Poisson process: mean and deviation are the same', () => {
    const times = startTimes('poisson', 5, 20_000, seededRandom(3));
    const gaps = times.map((time, place) => time - (times[place - 1] ?? 0));
    const m = mean(gaps);
    const deviation = Math.sqrt(mean(gaps.map((gap) => (gap - m) ** 2)));
    expect(Math.abs(m / 200 - 1)).toBeLessThan(0.03);
    expect(Math.abs(deviation / 200 - 1)).toBeLessThan(0.03);
    expect(Math.min(...gaps)).toBeGreaterThan(0);
  });
});

describe('openLoop', () => {
  it('books a stall on everything that was due meanwhile, which service times do not show', async () => {
    const plan = startTimes('constant', 10, 20, seededRandom(1));
    const { response, service, mostWaiting, elapsedMs } = await simulate(plan, 1, (place) =>
      place === 5 ? 1_000 : 10,
    );
    expect(service.filter((ms) => ms > 500)).toHaveLength(1);
    // Those due 100, 200, … ms into the stall wait for what is left of it and for those before them.
    expect(response.map(Math.round).slice(5, 16)).toEqual([
      1000, 910, 820, 730, 640, 550, 460, 370, 280, 190, 100,
    ]);
    expect(mostWaiting).toBe(10);
    expect(Math.round(elapsedMs)).toBe(1_910);
  });

  it('starts on time while the window has room, however slow the work is', async () => {
    const { samples } = await simulate(startTimes('constant', 10, 30, seededRandom(1)), 50, () => 5_000);
    for (const { intended, taken } of samples) expect(taken).toBeCloseTo(intended, 6);
    expect(samples).toHaveLength(30);
  });

  it('waits as queueing theory says: M/D/1 at 80 % load, and D/D/1 not at all', async () => {
    const wait = async (arrivals: Arrivals) => {
      const plan = startTimes(arrivals, 8, 20_000, seededRandom(7));
      const { response } = await simulate(plan, 1, () => 100);
      return mean(response) - 100;
    };
    // Pollaczek-Khinchine for a service time s without variance: rho * s / (2 * (1 - rho)).
    expect(Math.abs((await wait('poisson')) / 200 - 1)).toBeLessThan(0.1);
    expect(await wait('constant')).toBeCloseTo(0, 6);
  });

  it('keeps failures as samples and goes on', async () => {
    const clock = new VirtualClock();
    const samples: Sample<number>[] = [];
    const loop = openLoop(
      async (place) => {
        if (place === 1) throw new Error('no');
        return place;
      },
      { plan: [0, 10, 20], window: 1, clock },
      (sample) => samples.push(sample),
    );
    await clock.run(loop);
    expect(samples.map(({ place, outcome }) => [place, 'error' in outcome])).toEqual([
      [0, false],
      [1, true],
      [2, false],
    ]);
  });
});
