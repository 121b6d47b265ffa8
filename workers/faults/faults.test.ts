/** A short form of `npm run faults`: every kind that needs no half minute, a few hundred jobs, a real Redis. */
import { describe, expect, it } from 'vitest';
import { lightFleet } from './fleet.ts';
import { holds } from './report.ts';
import { runScenario, runStrikes } from './run-fault.ts';
import { SCENARIOS } from './scenarios.ts';
import { STRIKES } from './strikes.ts';

const options = {
  workers: 2,
  concurrency: 8,
  lockMs: 1_000,
  ahead: 100,
  jobs: 100,
  strikes: 1,
  seed: 'test',
  fleet: lightFleet(20),
};
/** Noticed only once a reply has been owed for 20 s. */
const SLOW = /half-open/;

// Each has a Redis and workers of its own, and mostly waits.
describe.concurrent('nothing is lost, doubled or changed', () => {
  it.each(STRIKES.filter(({ name }) => !SLOW.test(name)))('$name', async (strike) => {
    const report = await runStrikes(strike, options);
    expect(report.examples).toEqual([]);
    expect(report).toSatisfy(holds);
  });

  it.each(SCENARIOS)('$name', async (scenario) => {
    const report = await runScenario(scenario, options);
    expect(report.examples).toEqual([]);
    expect(report).toSatisfy(holds);
  });
});
