/** Workers that go by a policy: real Redis, real models, people who may read different things, and jobs that were changed on the way. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withoutClocks } from '../../common/index.ts';
import { ensureSigningKey, type Principal, PUBLIC, type SigningKey } from '../../governance/index.ts';
import { openRouter, type Router } from '../../router/index.ts';
import { demoIndex } from '../../router/testing/demo-index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { CHANGES, type House, jobOf } from '../faults/changed-jobs.ts';
import { configurationOf, Lane, type QueueStore } from '../queue/index.ts';
import { demoAccess, isOpen } from '../testing/demo-access.ts';
import { storeAt, submitted, until } from '../testing/queue.ts';
import { type RedisServer, startRedis } from '../testing/redis.ts';
import { type Decider, deciderOf, openWorker, type QueueWorker } from './index.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-governed-'));
const index = path.join(folder, 'index');
const queries = readFileSync(path.join(import.meta.dirname, '../../router/demo/queries.ndjson'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as { id: string; query: string });
const access = demoAccess();
const gus: Principal = { id: 'gus', roles: ['public'], via: 'token', clearance: 0 };
const sam: Principal = { id: 'sam', roles: ['public', 'staff'], via: 'token', clearance: 0 };
const SECRET = { id: 's', query: 'What does ADR-0012 decide?' };

let redis: RedisServer;
let scorers: Scorers;
let all: Router;
let seen: Router;
let decider: Decider;
let key: SigningKey;
let stranger: SigningKey;
let queue = '';
let count = 0;
const workers: QueueWorker[] = [];

beforeAll(async () => {
  redis = await startRedis();
  await demoIndex(index);
  scorers = await openScorers({ threads: 2 });
  all = await openRouter({ index, scorers });
  seen = await openRouter({ index, scorers, readable: isOpen });
  key = ensureSigningKey(path.join(folder, 'queue.key'));
  stranger = ensureSigningKey(path.join(folder, 'stranger.key'));
  const view = (readable: typeof isOpen) => openRouter({ index, scorers, readable });
  decider = deciderOf(all, { governed: { access, submitters: [key], view } });
});
afterAll(async () => {
  await seen?.close();
  await all?.close();
  await scorers?.close();
  await redis?.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  queue = `g${count++}`;
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.drain(0)));
});

const work = async (own = decider) => {
  workers.push(await openWorker({ redis: redis.url, queue, decider: own }));
};
const submit = (lines: object[], principal: Principal | null, options = {}) =>
  submitted(lines, {
    redis: redis.url,
    ...{ queue, configuration: decider.configuration, wait: true },
    ...(principal !== null && { asker: { principal, key } }),
    ...options,
  });
const comparable = (records: object[]) =>
  records.map((record) => JSON.parse(withoutClocks(JSON.stringify(record))) as object);

describe('a worker that goes by a policy', () => {
  it('tells everybody what an index of the documents that they may read would tell them, whoever asks beside them', async () => {
    await work();
    const some = queries.slice(0, 20);
    const [mine, theirs, nobodys] = await Promise.all([
      submit(some, gus),
      submit(some, sam),
      submit(some, PUBLIC),
    ]);
    const [little, whole] = [[], []] as [object[], object[]];
    for (const query of some) {
      little.push(await seen.route(query));
      whole.push(await all.route(query));
    }
    expect(comparable(mine.records)).toEqual(comparable(little));
    expect(comparable(nobodys.records)).toEqual(comparable(little));
    expect(comparable(theirs.records)).toEqual(comparable(whole));
  });

  it('keeps the jobs and results of one apart from those of another, under the same ids', async () => {
    await work();
    const first = await submit([SECRET], sam);
    expect(JSON.stringify(first.records)).toContain('documents/decisions');
    const receipts = async (principal: Principal) =>
      (await submit([SECRET], principal, { wait: false })).records[0] as { jobId: string; status: string };
    const [again, other] = [await receipts(sam), await receipts(gus)];
    expect([again.status, other.status, again.jobId === other.jobId]).toEqual(['finished', 'queued', false]);
    // Who has a role no more is somebody else as well.
    expect((await receipts({ ...sam, roles: ['public'] })).status).toBe('queued');
    expect(JSON.stringify((await submit([SECRET], gus)).records)).not.toContain('documents/decisions');
  });

  it('answers nobody whom it does not know, and everybody who is passed by', async () => {
    await work();
    const { records } = await submit([SECRET], null);
    expect(records).toEqual([
      expect.objectContaining({ error: expect.objectContaining({ code: 'TOKEN_REFUSED' }) }),
    ]);
    const forged = await submit([SECRET], null, { asker: { principal: sam, key: stranger } });
    expect(forged.records).toEqual([
      expect.objectContaining({ error: expect.objectContaining({ code: 'TOKEN_REFUSED' }) }),
    ]);
    // A deadline that has passed shows nothing of the whole index either.
    const late = await submit([{ ...SECRET, id: 'late', deadlineMs: 1 }], null);
    expect(JSON.stringify(late.records)).not.toContain(all.versions.index);
  });

  it('has other jobs than a worker without a policy, which refuses those that say who asks', async () => {
    expect(configurationOf(all)).not.toBe(decider.configuration);
    const open = { ...deciderOf(all), configuration: decider.configuration };
    await work(open);
    const { records } = await submit([SECRET], gus);
    expect(records).toEqual([
      expect.objectContaining({ error: expect.objectContaining({ code: 'TOKEN_REFUSED' }) }),
    ]);
  });

  it('puts back from a ledger only what the same person submitted', async () => {
    const ledger = path.join(folder, 'a.ledger');
    await submit([SECRET], sam, { wait: false, ledger });
    await expect(submit([], gus, { wait: false, ledger, resubmit: true })).rejects.toMatchObject({
      code: 'USAGE',
    });
    const { said } = await submit([], sam, { wait: false, ledger, resubmit: true });
    expect(said.join()).toContain('1');
  });
});

describe('a job that was changed on the way', () => {
  let lane: Lane;
  let store: QueueStore;
  let close: () => void;
  beforeEach(async () => {
    const opened = await storeAt(redis.url, queue);
    ({ store, close } = opened);
    lane = new Lane({ client: opened.client, queue, configuration: decider.configuration });
    await work();
    return async () => {
      await lane.close();
      close();
    };
  });

  const house = (): House => ({
    configuration: decider.configuration,
    key,
    stranger,
    guest: gus,
    owner: sam,
  });

  it('would have been decided as it was', async () => {
    const { jobId, data } = jobOf(SECRET, sam, house());
    await lane.add([{ jobId, priority: 1, data }]);
    await until(async () => (await store.lookUp([jobId]))[0] !== null);
    expect(JSON.stringify(await store.lookUp([jobId]))).toContain('documents/decisions');
  });

  it.each(Object.keys(CHANGES))('by %s is not decided', async (name) => {
    const { jobId, data } = CHANGES[name]!(jobOf({ ...SECRET, id: 'x' }, gus, house()), house());
    await lane.add([{ jobId, priority: 1, data }], { attempts: 1, backoffMs: 1 });
    await until(async () => (await lane.counts()).dead === 1);
    const [result] = await store.lookUp([jobId]);
    expect(result?.decision).toBeUndefined();
    expect(result?.error?.code ?? 'TOKEN_REFUSED').toBe('TOKEN_REFUSED');
  });

  it('is not decided either where it was said too long ago who asks', async () => {
    const { jobId, data } = jobOf(SECRET, sam, house(), Date.now() - 25 * 3_600_000);
    await lane.add([{ jobId, priority: 1, data }], { attempts: 1, backoffMs: 1 });
    await until(async () => (await lane.counts()).dead === 1);
    const [result] = await store.lookUp([jobId]);
    expect(result!.error).toMatchObject({
      code: 'TOKEN_REFUSED',
      message: expect.stringContaining('a day ago'),
    });
  });
});
