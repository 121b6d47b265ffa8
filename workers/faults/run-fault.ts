import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT, type Random, randomIn, seededRandom } from '../../common/index.ts';
import type { Query } from '../../router/index.ts';
import { examine, Follower, recovery, submit } from './flow.ts';
import { type FaultReport, reportOf } from './report.ts';
import type { Scenario } from './scenarios.ts';
import { Stand, type StandOptions } from './stand.ts';
import type { Strike } from './strikes.ts';

export interface RunOptions extends StandOptions {
  /** At least; more are submitted while the strikes last. */
  jobs: number;
  strikes: number;
  seed: string;
}

/** The same numbers for the same seed and name: a run can be had again, as far as processes let it. */
function randomOf({ seed }: RunOptions, name: string): Random {
  return seededRandom(createHash('sha256').update(`${seed} ${name}`).digest().readInt32BE(0));
}

/** Jobs through a stand of their own while one kind of fault strikes at random moments. */
export async function runStrikes({ name, strike }: Strike, options: RunOptions): Promise<FaultReport> {
  const random = randomOf(options, name);
  const startedAt = performance.now();
  const stand = await Stand.open(options);
  let over = false;
  try {
    const queries: Query[] = [];
    const recoveredMs: (number | null)[] = [];
    // Goes on until there were enough strikes, so that every one of them finds work under way.
    const feed = function* () {
      while (!over && (queries.length < options.jobs || recoveredMs.length < options.strikes)) {
        const query = stand.fleet.query(queries.length, name);
        queries.push(query);
        yield query;
      }
    };
    const follower = new Follower(stand);
    const submitted = submit(stand, feed(), { ledger: join(stand.folder, 'ledger.ndjson') });
    let refused: unknown = null;
    submitted.catch((error: unknown) => {
      refused = error;
    });
    while (recoveredMs.length < options.strikes && refused === null) {
      await sleep(randomIn(random, 50, 400));
      const inHand = await stand.inHand();
      // Before the first job is taken up there is nothing to strike.
      if (inHand.length === 0) continue;
      await strike(stand, random);
      recoveredMs.push(await recovery(stand, inHand));
    }
    if ((await submitted) !== EXIT.OK)
      throw new Error('the submitter gave queries back that it should have kept');
    await follower.until(queries.length);
    // A job that ran twice would write its second result about now.
    await sleep(2 * options.lockMs);
    await follower.stop();
    const writtenTwice = (await stand.written()) - queries.length;
    const verdicts = [await examine(stand, queries, follower.lines)];
    const outcome = { jobs: queries.length, struck: recoveredMs.length, recoveredMs, verdicts };
    return reportOf(name, outcome, { writtenTwice, seconds: (performance.now() - startedAt) / 1_000 });
  } finally {
    over = true;
    await stand.close();
  }
}

/** A scenario on a stand of its own. */
export async function runScenario({ name, run }: Scenario, options: RunOptions): Promise<FaultReport> {
  const startedAt = performance.now();
  const stand = await Stand.open(options);
  try {
    const outcome = await run(stand, options.jobs, options.strikes, randomOf(options, name));
    const writtenTwice = (await stand.written()) - outcome.jobs;
    return reportOf(name, outcome, { writtenTwice, seconds: (performance.now() - startedAt) / 1_000 });
  } finally {
    await stand.close();
  }
}
