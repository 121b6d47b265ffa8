/** The queue commands from end to end: the built command line, real models, a real Redis. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Child, type Finished, recordsOf, runCli, runHere, startCli } from '../../cli/testing/cli.ts';
import { freePort } from '../../common/testing/free-port.ts';
import { loadActClassifier } from '../../router/acts/index.ts';
import { type Decision, openRouter } from '../../router/index.ts';
import { demoIndex } from '../../router/testing/demo-index.ts';
import { type RedisServer, startRedis } from '../testing/redis.ts';
import { deciderOf } from '../worker/index.ts';

const DEMO = join(import.meta.dirname, '../../router/demo');
const folder = mkdtempSync(join(tmpdir(), 'pragaura-queue-'));
const index = join(folder, 'index');
/** Every fourth query of the demo: all three actions are among their decisions. */
const lines = readFileSync(join(DEMO, 'queries.ndjson'), 'utf8')
  .trimEnd()
  .split('\n')
  .filter((_, i) => i % 4 === 0);
const queries = `${lines.join('\n')}\n`;
const ids = lines.map((line) => JSON.parse(line).id as string);
/** And lines that are wrong, and a deadline. */
const input = `${queries}no json\n{"id":"7:7","query":"Who leads the platform team?","deadlineMs":60000}\n{"id":7}\n{"query":""}\n`;
const workers: Child[] = [];
let redis: RedisServer;
/** What `route` says of `input`. */
let routed: Finished;

beforeAll(async () => {
  redis = await startRedis({ aof: true, password: 'geheim' });
  await demoIndex(index);
  routed = await runCli(['route', '--index', index], { input });
  expect(routed.code).toBe(65);
});
afterAll(async () => {
  for (const { process } of workers) process.kill('SIGKILL');
  await redis.close();
  rmSync(folder, { recursive: true, force: true });
});

const env = () => ({ REDIS_URL: redis.url });
const cli = (args: string[], input = '', run = runHere): Promise<Finished> =>
  run(args, { input, env: env(), cwd: folder });
async function worker(...args: string[]): Promise<Child> {
  const child = startCli(['worker', '--index', index, ...args], { env: env() });
  workers.push(child);
  await child.until(({ stderr }) => stderr.includes('worker.ready'));
  return child;
}
async function stopped(child: Child): Promise<Finished> {
  child.process.kill('SIGTERM');
  return child.finished;
}

/** Decisions without what a clock says, in bytes. */
function timeless(stdout: string): string[] {
  return recordsOf<Decision>(stdout).map(({ timings: _, receipt, ...rest }) => {
    if (receipt === undefined) return JSON.stringify(rest);
    const stages = receipt.stages.map(({ ms: __, ...stage }) => stage);
    const { ms: ___, ...spent } = receipt.spent;
    return JSON.stringify({ ...rest, receipt: { budget: receipt.budget, spent, stages } });
  });
}

describe('a worker whose index is replaced', () => {
  it('goes over to the new generation, and works off what was submitted to it before', async () => {
    const own = join(folder, 'own-index');
    await demoIndex(own);
    const child = startCli(['worker', '--index', own, '--queue', 'moved', '--concurrency', '1'], {
      env: env(),
    });
    workers.push(child);
    const events = (name: string) => recordsOf(child.stderr).filter(({ event }) => event === name);
    await child.until(() => events('worker.ready').length === 1);
    const submitted = await cli(['submit', '--queue', 'moved'], queries);
    expect(submitted.code).toBe(0);
    const added = join(folder, 'added');
    mkdirSync(added);
    writeFileSync(join(added, 'kiosk.md'), '# The kiosk\n\nThe kiosk of Aldmere opens at half past six.\n');
    const built = await runCli(['index', added, '--out', own, '--keep-missing']);
    expect(built.code).toBe(0);
    await child.until(() => events('worker.stopped').length === 1);
    const [before, after] = events('worker.ready').map(({ configuration }) => configuration);
    expect(after).not.toBe(before);
    expect(events('configurations.differ')).toEqual([]);
    const results = await cli(['results', '--queue', 'moved']);
    expect(
      recordsOf<Decision>(results.stdout)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...ids].sort());
    const asked = await cli(
      ['submit', '--wait', '--queue', 'moved'],
      '{"id":"k","query":"When does the kiosk of Aldmere open?"}\n',
    );
    expect(recordsOf<Decision>(asked.stdout)[0]).toMatchObject({
      action: 'ANSWER',
      evidence: expect.arrayContaining([expect.objectContaining({ docId: 'added/kiosk.md' })]),
    });
    expect((await stopped(child)).code).toBe(0);
  });
});

describe('submit --wait', () => {
  it('gives the bytes of route, bad lines and deadlines too, from workers that drain on SIGTERM', async () => {
    const actions = recordsOf<Decision>(routed.stdout).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['ANSWER', 'ASK', 'ABSTAIN']));
    const two = [await worker('--concurrency', '4'), await worker('--concurrency', '4')];
    const { code, stdout, stderr } = await cli(['submit', '--wait'], input, runCli);
    expect(code).toBe(65);
    expect(timeless(stdout)).toEqual(timeless(routed.stdout));
    expect(stderr).toBe(routed.stderr);
    for (const ended of await Promise.all(two.map(stopped))) {
      expect(ended.code).toBe(0);
      expect(ended.stdout).toBe('');
      const lines = recordsOf(ended.stderr);
      expect(lines.at(-1)).toMatchObject({ event: 'worker.stopped', handedBack: 0 });
      expect(ended.stderr).not.toContain('platform team');
      expect(ended.stderr).not.toContain('geheim');
    }
  });

  it('gives the bytes of route with history, filters, a vocabulary and the planner', async () => {
    const terms = join(folder, 'terms.csv');
    writeFileSync(terms, 'term,definition\nneighbour check,A comparison with five stations nearby.\n');
    const configured = [
      '--vocabulary',
      terms,
      '--decider',
      'planner',
      '--utilities',
      'wrong=3,question=1,silence=1',
    ];
    const history = [
      { role: 'user', text: 'Who leads the platform team?' },
      { role: 'assistant', text: 'Ines Marlow leads the platform team.' },
    ];
    const input = [
      { id: 'turn', query: 'And the data team?', history },
      { id: 'filtered', query: 'How long are raw observations kept?', filters: { docId: ['none'] } },
      { id: 'term', query: 'What is a neighbour check?' },
      { id: 'known', query: 'How much is the fee?', conditions: { plan: 'Basic' }, defaults: false },
      { id: 'bad', query: 'Who?', history: [{ role: 'nobody', text: 'x' }] },
    ]
      .map((query) => `${JSON.stringify(query)}\n`)
      .join('');
    const routed = await runHere(['route', '--index', index, ...configured], { input });
    const decisions = recordsOf<Decision>(routed.stdout);
    expect(decisions[0]!.selfContained?.text).toBe('Who leads the data team?');
    expect(decisions[2]!.answer?.quotes[0]?.docId).toBe('terms.csv');
    const one = await worker('--queue', 'turns', ...configured);
    const { code, stdout, stderr } = await cli(['submit', '--wait', '--queue', 'turns'], input);
    expect(code).toBe(65);
    expect(timeless(stdout)).toEqual(timeless(routed.stdout));
    expect(stderr).toBe(routed.stderr);
    await stopped(one);
  });

  it('is answered by the workers of its configuration and by no others', async () => {
    const [act, uniform] = [
      await worker('--queue', 'two'),
      await worker('--queue', 'two', '--policy', 'uniform'),
    ];
    const ambiguous = await cli(['submit', '--wait', '--queue', 'two'], queries);
    expect(ambiguous).toMatchObject({ code: 2, stdout: '' });
    expect(ambiguous.stderr).toContain('several configurations');
    const status = recordsOf<{ configurations: { configuration: string; made: { policy: string } }[] }>(
      (await cli(['queue', 'status', '--queue', 'two'])).stdout,
    )[0]!;
    const each: string[][] = [];
    for (const { configuration, made } of status.configurations) {
      const one = await cli(
        ['submit', '--wait', '--queue', 'two', '--configuration', configuration],
        queries,
      );
      const own = await runHere(['route', '--index', index, '--policy', made.policy], { input: queries });
      expect(timeless(one.stdout)).toEqual(timeless(own.stdout));
      each.push(timeless(own.stdout));
    }
    // Else it would not show whose answers these are.
    expect(each[0]).not.toEqual(each[1]);
    expect(status.configurations.map(({ made }) => made.policy).sort()).toEqual(['act', 'uniform']);
    await Promise.all([act, uniform].map(stopped));
  });
});

describe('submit, results and queue', () => {
  it('carry a ledger through workers that come and go', async () => {
    const first = await worker('--queue', 'ledger', '--concurrency', '2', '--drain-timeout', '0');
    const submit = ['submit', '--queue', 'ledger', '--ledger', 'my.ledger'];
    const { code, stdout } = await cli(submit, queries);
    expect(code).toBe(0);
    expect(recordsOf(stdout).map(({ id, status }) => [id, status])).toEqual(ids.map((id) => [id, 'queued']));
    expect((await stopped(first)).code).toBe(0);
    const results = ['results', '--queue', 'ledger', '--ledger', 'my.ledger', '--ordered', '--out', 'my.out'];
    const reading = cli(results, '', runCli);
    const second = await worker('--queue', 'ledger');
    expect(await reading).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(timeless(readFileSync(join(folder, 'my.out'), 'utf8'))).toEqual(
      timeless(routed.stdout).slice(0, ids.length),
    );
    expect(await cli(['queue', 'drain', '--queue', 'ledger'], '', runCli)).toMatchObject({ code: 0 });
    await stopped(second);
  });

  it('pause, resume and drop', async () => {
    const own = await worker('--queue', 'steered');
    expect((await cli(['queue', 'pause', '--queue', 'steered'])).code).toBe(0);
    const receipts = await cli(['submit', '--queue', 'steered'], queries);
    const [{ jobId }] = recordsOf<{ jobId: string }>(receipts.stdout) as [{ jobId: string }];
    const jobs = async () => {
      const [status] = recordsOf<{ configurations: { jobs: object; workers: object[] }[] }>(
        (await cli(['queue', 'status', '--queue', 'steered'])).stdout,
      );
      return status!.configurations[0]!;
    };
    expect(await jobs()).toMatchObject({
      jobs: { waiting: ids.length, active: 0, paused: true },
      workers: [{}],
    });
    expect(await cli(['queue', 'drop', jobId, 'nobody', '--queue', 'steered'])).toMatchObject({
      code: 65,
      stderr: '1 jobs were dropped.\npragaura: nobody neither waits nor is a dead letter.\n',
    });
    expect(await cli(['queue', 'drop', '--waiting', '--queue', 'steered'])).toMatchObject({
      code: 0,
      stderr: `${ids.length - 1} jobs were dropped.\n`,
    });
    expect((await cli(['queue', 'resume', '--queue', 'steered'])).code).toBe(0);
    expect(await jobs()).toMatchObject({ jobs: { waiting: 0, active: 0, dead: 0, paused: false } });
    const dropped = await cli(['results', '--queue', 'steered']);
    expect(dropped.code).toBe(65);
    const errors = recordsOf<{ id: string; error: { code: string } }>(dropped.stdout);
    expect(errors.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(new Set(errors.map(({ error }) => error.code))).toEqual(new Set(['JOB_FAILED']));
    expect((await cli(['queue', 'retry', jobId, '--queue', 'steered'])).code).toBe(65);
    await stopped(own);
  });

  it('stop at once on a second signal', async () => {
    const own = await worker('--queue', 'twice', '--drain-timeout', '600', '--concurrency', '64');
    await cli(['submit', '--queue', 'twice'], queries.repeat(40).replaceAll(/"id":"d\d+",/g, ''));
    own.process.kill('SIGTERM');
    await own.until(({ stderr }) => stderr.includes('worker.signal'));
    const began = performance.now();
    own.process.kill('SIGTERM');
    expect((await own.finished).code).toBe(130);
    // A tenth of what it would wait otherwise.
    expect(performance.now() - began).toBeLessThan(60_000);
  });
});

describe('what cannot work', () => {
  it.each([
    ['worker', ['worker', '--index', index]],
    ['submit', ['submit', '--wait']],
    ['results', ['results']],
    ['queue', ['queue', 'status']],
  ])('%s without a Redis, and with a wrong password: 69 and what to do', async (_, args) => {
    const nobody = `redis://:verborgen@127.0.0.1:${await freePort()}`;
    const wrong = `redis://:verborgen@127.0.0.1:${redis.port}`;
    for (const [url, why] of [
      [nobody, 'nothing listens'],
      [wrong, 'refuses the password'],
    ] as const) {
      const { code, stdout, stderr } = await runHere([...args, '--redis', url], { input: queries });
      expect({ code, stdout }).toEqual({ code: 69, stdout: '' });
      expect(stderr).toContain(why);
      expect(stderr).not.toContain('verborgen');
      expect(stderr).not.toMatch(/\n\s+at /);
    }
  });

  it.each<[string, string[], string]>([
    ['a URL that is none', ['submit', '--redis', 'http://:verborgen@x'], 'Redis URL does not fit'],
    ['a queue with a space', ['results', '--queue', 'a b'], '--queue takes one name'],
    ['an order of nothing', ['results', '--ordered'], 'in which order'],
    ['nothing to submit again', ['submit', '--resubmit'], 'no ledger'],
    ['an action that is none', ['queue', 'explode'], 'Invalid values'],
    ['dropping nothing', ['queue', 'drop'], 'which jobs?'],
    ['a job to pause', ['queue', 'pause', 'q1'], 'takes no jobs'],
    ['a configuration of nobody', ['queue', 'status', '--configuration', 'ffff'], 'begins with ffff'],
  ])('%s: exit code 2, said in words', async (_, args, why) => {
    const { code, stdout, stderr } = await cli(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(why);
    expect(stderr).not.toContain('verborgen');
  });

  it('is not shown by help, even where a password stands in the environment', async () => {
    for (const command of ['worker', 'submit', 'results', 'queue']) {
      const { code, stdout } = await cli([command, '--help'], '', runCli);
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`^Usage: pragaura ${command}`));
      expect(stdout).toMatch(/\nExamples:\n/);
      expect(stdout).not.toContain('geheim');
    }
    writeFileSync(
      join(folder, 'pragaura.config.json'),
      JSON.stringify({ redis: 'redis://:verborgen@h', queue: 'q' }),
    );
    const { stdout } = await cli(['submit', '--help'], '', runCli);
    rmSync(join(folder, 'pragaura.config.json'));
    expect(stdout).not.toContain('verborgen');
  });
});

describe('a decider', () => {
  it('says of a query that came too late what the router says, computing nothing', async () => {
    const router = await openRouter({ index });
    try {
      const decider = deciderOf(router);
      const query = { id: 'late', query: 'Who leads the platform team?', deadlineMs: 1 };
      const slow = timeless(`${JSON.stringify(await router.route(query))}\n`)[0]!;
      const late = decider.expired(query);
      expect(late.abstention!.reason).toBe('DEADLINE_EXCEEDED');
      expect(late.act).toEqual((await loadActClassifier()).classify(query.query, null));
      // What the router had begun by then may differ, not what it says.
      const said = (decision: Decision) => [
        decision.action,
        decision.abstention,
        decision.signals,
        decision.versions,
      ];
      expect(said(late)).toEqual(said(JSON.parse(slow)));
      expect(late.receipt.budget).toEqual(JSON.parse(slow).receipt.budget);
      expect(late.receipt.stages).toEqual([]);
    } finally {
      await router.close();
    }
  });
});

describe('who asks', () => {
  it.each([
    [['submit', '--trust-local'], '--queue-key FILE'],
    [['worker', '--index', 'x', '--submitter-key', 'x.pub'], '--policy-file FILE'],
    [['queue', 'key'], '--queue-key FILE'],
  ])('is vouched for: %j alone says what is missing', async (args, hint) => {
    const { code, stderr } = await cli(args.map((arg) => (arg === 'x' ? index : arg)));
    expect([code, stderr]).toEqual([2, expect.stringContaining(hint)]);
  });

  it('cannot be gone by over an index in an engine', async () => {
    const policy = join(folder, 'policy.cedar');
    writeFileSync(policy, 'permit (principal in Role::"staff", action == Action::"read", resource);');
    const rules = ['--policy-file', policy, '--submitter-key', 'queue.pub'];
    const { code, stderr } = await cli([
      ...['worker', '--index', 'x', ...rules],
      ...['--backend', 'opensearch=http://127.0.0.1:1'],
    ]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('leave out --backend')]);
  });

  it('is vouched for by a pair of keys, of which the public half is printed', async () => {
    const file = join(folder, 'queue.key');
    const first = await cli(['queue', 'key', '--queue-key', file]);
    expect(first.stdout).toContain('BEGIN PUBLIC KEY');
    expect(await cli(['queue', 'key', '--queue-key', file])).toEqual(first);
  });
});
