/** Faults that are more than a strike: what is done before and after them matters. */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtFile, PragauraError, type Random, randomIn, shuffled } from '../../common/index.ts';
import type { Query } from '../../router/index.ts';
import { lightFleet } from './fleet.ts';
import { examine, Follower, recovery, submit } from './flow.ts';
import { LineCollector } from './queries.ts';
import type { Stand } from './stand.ts';
import { kill } from './worker-process.ts';

export interface ScenarioOutcome {
  jobs: number;
  struck: number;
  recoveredMs: (number | null)[];
  /** For each reader, what it got and what it should have got. */
  verdicts: Awaited<ReturnType<typeof examine>>[];
}

export interface Scenario {
  name: string;
  run(stand: Stand, jobs: number, strikes: number, random: Random): Promise<ScenarioOutcome>;
}

const emptied: Scenario = {
  name: 'Redis restarted empty; the ledger noticed it, and what was lost was submitted again',
  async run(stand, jobs, strikes, random) {
    const ledger = join(stand.folder, 'ledger.ndjson');
    const queries = manyOf(stand, jobs, 'emptied');
    const follower = new Follower(stand);
    const each = Math.ceil(jobs / strikes);
    const recoveredMs: (number | null)[] = [];
    let struck = 0;
    for (let from = 0; from < jobs; from += each) {
      const some = queries.slice(from, from + each);
      await submit(stand, some, { ledger });
      await follower.until(from + Math.floor(randomIn(random, 0.1, 0.6) * some.length));
      await stand.redis.kill();
      await stand.redis.start({ empty: true });
      const start = performance.now();
      if (await isNoticed(submit(stand, manyOf(stand, 1, 'after'), { ledger }))) struck += 1;
      await submit(stand, [], { ledger, resubmit: true });
      await follower.until(from + some.length);
      recoveredMs.push(performance.now() - start);
    }
    await follower.stop();
    return { jobs, struck, recoveredMs, verdicts: [await examine(stand, queries, follower.lines)] };
  },
};

const flushedEachSecond: Scenario = {
  name: 'Redis killed and restarted with its append-only file (everysec); what that lost was submitted again',
  async run(stand, jobs, strikes, random) {
    const ledger = join(stand.folder, 'ledger.ndjson');
    const queries = manyOf(stand, jobs, 'each second');
    const follower = new Follower(stand);
    await stand.flushEachSecond();
    const submitted = submit(stand, queries, { ledger });
    submitted.catch(() => {});
    let struck = 0;
    while (struck < strikes && follower.lines.length < jobs) {
      await sleep(randomIn(random, 50, 800));
      await stand.redis.kill();
      await stand.redis.start();
      await stand.flushEachSecond();
      struck += 1;
    }
    await submitted;
    await submit(stand, [], { ledger, resubmit: true });
    await follower.until(jobs);
    await follower.stop();
    return { jobs, struck, recoveredMs: [], verdicts: [await examine(stand, queries, follower.lines)] };
  },
};

async function isNoticed(submitted: Promise<number>): Promise<boolean> {
  try {
    await submitted;
    return false;
  } catch (error) {
    if (PragauraError.isInstance(error) && error.code === 'JOB_LOST') return true;
    throw error;
  }
}

/** Waits until a file is not as long as it was; false where the program ended before that. */
async function grows(file: string, before: number, { ended }: Program): Promise<boolean> {
  let gone = false;
  void ended.then(() => {
    gone = true;
  });
  while (sizeOf(file) === before && !gone) await sleep(2);
  return !gone;
}

const fullDisk: Scenario = {
  name: 'the disk of the result writer full, in the middle of a line; the same command goes on once there is room',
  async run(stand, jobs, strikes, random) {
    const ledger = join(stand.folder, 'ledger.ndjson');
    const out = join(stand.folder, 'decisions.ndjson');
    const queries = manyOf(stand, jobs, 'full disk');
    await submit(stand, queries, { ledger, mostWaiting: jobs + 1_000 });
    const bytes = 1_500 * jobs;
    let struck = 0;
    let limit = 1;
    while (struck < strikes) {
      limit += Math.ceil(randomIn(random, 0.2, 0.8) * (bytes / strikes / 1_024));
      const { how, said } = await startProgram(readerArgs(stand, ledger, out), { kilobytes: limit }).ended;
      // Enough room after all: everything is written.
      if (how !== 69) break;
      if (!said.includes('cannot be written')) throw new Error(`results ended with 69 and said: ${said}`);
      struck += 1;
    }
    await finished(startProgram(readerArgs(stand, ledger, out)).ended);
    const lines = await linesIn(out);
    return { jobs, struck, recoveredMs: [], verdicts: [await examine(stand, queries, lines)] };
  },
};

const killedReader: Scenario = {
  name: 'the result reader killed (SIGKILL); the same command goes on',
  async run(stand, jobs, strikes, random) {
    const ledger = join(stand.folder, 'ledger.ndjson');
    const out = join(stand.folder, 'decisions.ndjson');
    const queries = manyOf(stand, jobs, 'killed reader');
    const submitted = submit(stand, queries, { ledger });
    submitted.catch(() => {});
    let struck = 0;
    while (struck < strikes) {
      const before = sizeOf(out);
      const reader = startProgram(['results', ...connectionArgs(stand), '--follow', '--out', out]);
      // Not before it has written something, at any moment after.
      if (!(await grows(out, before, reader)))
        throw new Error(`results ended by itself: ${(await reader.ended).said}`);
      await sleep(randomIn(random, 0, 200));
      reader.child.kill('SIGKILL');
      await reader.ended;
      struck += 1;
      if ((await linesIn(out)).length >= jobs - 100) break;
    }
    await submitted;
    await finished(startProgram(readerArgs(stand, ledger, out)).ended);
    const lines = await linesIn(out);
    return { jobs, struck, recoveredMs: [], verdicts: [await examine(stand, queries, lines)] };
  },
};

const killedSubmitter: Scenario = {
  name: 'the submitter killed (SIGKILL); the same command again',
  async run(stand, jobs, strikes, random) {
    const ledger = join(stand.folder, 'ledger.ndjson');
    const input = join(stand.folder, 'queries.ndjson');
    const queries = manyOf(stand, jobs, 'killed submitter');
    await writeFile(input, queries.map((query) => `${JSON.stringify(query)}\n`).join(''));
    const args = ['submit', ...connectionArgs(stand), '--ledger', ledger, '--tenant', stand.tenant];
    // Little room, so that it is at it for a while.
    args.push('--configuration', stand.fleet.configuration, '--max-waiting', '20', '--window', '20');
    const follower = new Follower(stand);
    let struck = 0;
    while (struck < strikes) {
      const before = sizeOf(ledger);
      const submitter = startProgram(args, { input });
      await grows(ledger, before, submitter);
      await sleep(randomIn(random, 0, 100));
      submitter.child.kill('SIGKILL');
      if ((await submitter.ended).how !== 'SIGKILL') break;
      struck += 1;
    }
    await finished(startProgram(args, { input }).ended);
    await follower.until(jobs);
    await follower.stop();
    return { jobs, struck, recoveredMs: [], verdicts: [await examine(stand, queries, follower.lines)] };
  },
};

const duplicated: Scenario = {
  name: 'everything submitted four times, three of them at once',
  async run(stand, jobs, _strikes, random) {
    const queries = manyOf(stand, jobs, 'duplicated');
    const follower = new Follower(stand);
    await Promise.all([
      submit(stand, queries),
      submit(stand, [...queries].reverse()),
      submit(stand, shuffled(queries, random), { window: 7 }),
    ]);
    await follower.until(jobs);
    const receipts = new LineCollector();
    await submit(stand, queries, { output: receipts });
    const known = receipts.lines.filter((line) => /"status":"(known|finished)"/.test(line)).length;
    if (known !== jobs) throw new Error(`${jobs - known} of ${jobs} jobs were taken for new ones.`);
    await sleep(2 * stand.lockMs);
    await follower.stop();
    return {
      jobs,
      struck: 3 * jobs,
      recoveredMs: [],
      verdicts: [await examine(stand, queries, follower.lines)],
    };
  },
};

const twoConfigurations: Scenario = {
  name: 'two configurations on one queue, the only worker of one killed and started again',
  async run(stand, jobs, strikes, random) {
    const other = lightFleet(0, 'b');
    const only = { variant: 'b', concurrency: 4 };
    let worker = await stand.addWorker(only);
    const half = Math.ceil(jobs / 2);
    // The same ids and texts for both: what differs is who may decide them.
    const queries = manyOf(stand, half, 'two configurations');
    const tenants = ['a', 'b'];
    const followers = tenants.map((tenant) => new Follower(stand, tenant));
    const submitted = Promise.all([
      submit(stand, queries, { tenant: 'a' }),
      submit(stand, queries, { tenant: 'b', configuration: other.configuration }),
    ]);
    submitted.catch(() => {});
    const recoveredMs: (number | null)[] = [];
    while (recoveredMs.length < strikes) {
      await sleep(randomIn(random, 50, 400));
      const inHand = await stand.inHand(other.configuration);
      if (followers[1]!.lines.length >= half) break;
      if (inHand.length === 0) continue;
      await kill(worker);
      worker = await stand.addWorker(only);
      recoveredMs.push(await recovery(stand, inHand));
    }
    await submitted;
    for (const follower of followers) {
      await follower.until(half);
      await follower.stop();
    }
    const verdicts = await Promise.all([
      examine(stand, queries, followers[0]!.lines, { tenant: 'a' }),
      examine(stand, queries, followers[1]!.lines, { tenant: 'b', fleet: other }),
    ]);
    return { jobs: 2 * half, struck: recoveredMs.length, recoveredMs, verdicts };
  },
};

export const SCENARIOS: readonly Scenario[] = [
  emptied,
  flushedEachSecond,
  fullDisk,
  killedReader,
  killedSubmitter,
  duplicated,
  twoConfigurations,
];

function manyOf({ fleet }: Stand, count: number, name: string): Query[] {
  return Array.from({ length: count }, (_, n) => fleet.query(n, name));
}

const connectionArgs = ({ url, queue }: Stand) => ['--redis', url, '--queue', queue];

function readerArgs(stand: Stand, ledger: string, out: string): string[] {
  return ['results', ...connectionArgs(stand), '--ledger', ledger, '--out', out];
}

async function linesIn(file: string): Promise<string[]> {
  return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** 65 says that some of the results are errors, which poisoned queries are. */
async function finished(ended: Promise<{ how: number | NodeJS.Signals; said: string }>): Promise<void> {
  const { how, said } = await ended;
  if (how !== 0 && how !== 65) throw new Error(`pragaura ended with ${how}: ${said}`);
}

/** The built command line as a child, which can be killed at any moment. */
interface Program {
  readonly child: ChildProcess;
  /** The exit code, or the signal that ended it; and what it said on standard error. */
  readonly ended: Promise<{ how: number | NodeJS.Signals; said: string }>;
}

interface ProgramOptions {
  /** The file that is its standard input. */
  input?: string;
  /** Its files can grow no larger; what it writes beyond that fails, in the middle of a line as well. */
  kilobytes?: number;
}

function startProgram(args: readonly string[], { input, kilobytes }: ProgramOptions = {}): Program {
  const command = [process.execPath, builtFile('main.js'), ...args];
  const shell = ['bash', '-c', `ulimit -f ${kilobytes}; exec "$@"`, 'bash', ...command];
  const [file, ...rest] = kilobytes === undefined ? command : shell;
  const stdin = input === undefined ? null : openSync(input, 'r');
  const child = spawn(file!, rest, { stdio: [stdin ?? 'ignore', 'ignore', 'pipe'] });
  if (stdin !== null) closeSync(stdin);
  let said = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000);
  });
  const ended = new Promise<{ how: number | NodeJS.Signals; said: string }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ how: signal ?? code!, said }));
  });
  return { child, ended };
}
