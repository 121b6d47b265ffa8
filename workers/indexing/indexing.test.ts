import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runHere, startCli } from '../../cli/testing/cli.ts';
import { type RunningPostgres, startPostgres } from '../../corpus/backend/testing/start-postgres.ts';
import { buildIndex, type IndexReport, openBackend, publish } from '../../corpus/index.ts';
import { bytesOf, options, put, Scratch, vectorFor } from '../../corpus/testing/support.ts';
import { storeAt, until } from '../testing/queue.ts';
import { type RedisServer, startRedis } from '../testing/redis.ts';
import { indexingBy, openIndexWorker } from './index.ts';

let server: RunningPostgres;
let redis: RedisServer;
const scratch = new Scratch();
beforeAll(async () => {
  [server, redis] = await Promise.all([startPostgres(), startRedis()]);
});
afterAll(async () => {
  await server?.stop();
  await redis?.close();
});
const open: { close(ms: number): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((worker) => worker.close(0)));
  scratch.clear();
});

const record = (i: number) =>
  JSON.stringify({
    _id: `d${i}`,
    title: `Door ${i}`,
    text: `${'The door is made of oak. '.repeat(20)}It is number ${i}.`,
  });
const records = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => record(from + i)).join('\n');
/** Of every kind: many pieces, packed, damaged, empty, twice the same, nothing but links. */
const FILES = {
  'doors.jsonl': `${records(0, 700)}\nno record\n${records(700, 720)}`,
  'packed.jsonl.gz': gzipSync(records(800, 820)),
  'a/valve.md': '# Valve\n\nA valve is a device that controls the flow of water.\n',
  'a/again.md': `# Pump\n\n${'A pump moves water from a well into the house. '.repeat(20)}\n`,
  'a/twice.md': `# Pump\n\n${'A pump moves water from a well into the house. '.repeat(20)}\n`,
  'bad.pdf': 'no pdf',
  'empty.txt': '',
  'large.txt': 'A line of a long text about water and wells.\n\n'.repeat(10_000),
};

/** A folder for an index with a name that is used once. */
const fresh = (name: string) => join(scratch.folder(), '..', name);

async function worker(more: Partial<Parameters<typeof openIndexWorker>[0]> = {}) {
  const embedded: string[] = [];
  const said: string[] = [];
  const { embedder, countTokens } = options('');
  const opened = await openIndexWorker({
    redis: redis.url,
    queue: 'test',
    backend: server.backend,
    embedder,
    countTokens,
    embed: async (texts) => {
      embedded.push(...texts);
      return texts.map(vectorFor);
    },
    lockMs: 1_000,
    say: (message) => said.push(message),
    ...more,
  });
  open.push(opened);
  return { ...opened, opened, embedded, said };
}

/** Indexes by way of the queue, and puts the index into the engine. */
async function indexed(docs: string, out: string, signal?: AbortSignal) {
  const said: string[] = [];
  const workers = indexingBy({
    redis: redis.url,
    queue: 'test',
    out,
    backend: server.backend,
    say: (message) => said.push(message),
  });
  const own = options(out, { elsewhere: workers.elsewhere, ...(signal && { signal }) });
  const done = (async () => {
    const report = await buildIndex([docs], own);
    await publish(out, server.backend);
    await workers.tidy();
    return report;
  })();
  done.catch(() => {});
  return { done, said, here: own.embedded };
}

const staged = async (name: string) =>
  (
    await server.ask<{ name: string }>(
      `SELECT name FROM pragaura.staged WHERE index_name = '${name}' ORDER BY name`,
    )
  ).map((row) => row.name);
const heads = async (name: string) => (await staged(name)).filter((one) => one.startsWith('head/')).length;
const isVisible = (name: string) =>
  openBackend(name, { backend: server.backend }).then(
    async (backend) => {
      await backend.close();
      return true;
    },
    () => false,
  );

describe('an index that workers make', () => {
  it('is that of one process, byte for byte, and the second time nothing is made', async () => {
    const docs = scratch.folder(FILES);
    const [out, alone] = [fresh('same'), fresh('alone')];
    const { embedded } = await worker();
    const { done, here } = await indexed(docs, out);
    const report = await done;
    const wanted = await buildIndex([docs], options(alone));
    expect(bytesOf(out)).toEqual(bytesOf(alone));
    const { counts, failed, leftOut, skipped, hash } = wanted;
    expect(report).toMatchObject({
      counts,
      failed,
      leftOut,
      skipped,
      hash,
      embedded: wanted.embedded,
      reused: 0,
    });
    expect(here).toEqual([]);
    expect(embedded.length).toBeGreaterThanOrEqual(wanted.embedded);
    expect(await heads('same')).toBeGreaterThan(6);

    const before = embedded.length;
    const again = await (await indexed(docs, out)).done;
    expect(embedded).toHaveLength(before);
    expect(again).toMatchObject({ hash, embedded: 0, reused: counts.passages, added: 0 });
  });

  it('is brought up to date by what changed, and what is not of it any more leaves the staging', async () => {
    const docs = scratch.folder({ 'a.txt': 'The door is of oak.', 'b.txt': 'The roof is of slate.' });
    const out = fresh('renewed');
    const { embedded } = await worker();
    await (await indexed(docs, out)).done;
    const before = await staged('renewed');
    put(docs, 'b.txt', 'The roof is of tin.');
    const report = await (await indexed(docs, out)).done;
    expect(report).toMatchObject({ changed: 1, unchanged: 1, embedded: 1, reused: 1 });
    expect(embedded).toHaveLength(3);
    const after = await staged('renewed');
    expect(after).toHaveLength(before.length);
    expect(after.filter((name) => before.includes(name))).toHaveLength(before.length / 2);
  });

  it('has what a file says when a worker comes to it, and never parts of two', async () => {
    const docs = scratch.folder({ 'doors.jsonl': records(0, 700), 'a.txt': 'The door is of oak.' });
    const out = fresh('changed');
    const { done, said } = await indexed(docs, out);
    await until(() => said.length > 0);
    expect(said[0]).toContain(
      'No worker takes these jobs, and they wait for one: pragaura index-worker --backend',
    );
    put(docs, 'doors.jsonl', records(100, 900));
    put(docs, 'a.txt', 'The door is of beech.');
    await worker();
    const report = await done;
    expect(report.counts.documents).toBe(801);
    const alone = fresh('alone');
    await buildIndex([docs], options(alone));
    expect(bytesOf(out)).toEqual(bytesOf(alone));
  });

  it('names the file of which nothing can be made, and goes on without it', async () => {
    const docs = scratch.folder({ 'good.txt': 'The door is of oak.', 'bad.txt': 'The door is cursed.' });
    await worker({
      embed: async (texts) => {
        if (texts.some((text) => text.includes('cursed'))) throw new Error('it cannot be said');
        return texts.map(vectorFor);
      },
    });
    const report = await (await indexed(docs, fresh('cursed'))).done;
    expect(report.failed).toEqual([
      { name: 'docs/bad.txt', code: 'JOB_FAILED', reason: 'it cannot be said' },
    ]);
    expect(report.counts.documents).toBe(1);
  });

  it('is made anew where what was staged is damaged', async () => {
    const docs = scratch.folder({ 'a.txt': 'The door is of oak.', 'b.txt': 'The roof is of slate.' });
    const out = fresh('damaged');
    const { embedded } = await worker();
    await (await indexed(docs, out)).done;
    const before = bytesOf(out);
    await server.ask(
      `UPDATE pragaura.staged SET bytes = set_byte(bytes, 30, 0) WHERE index_name = 'damaged' AND name LIKE 'part/%'`,
    );
    const report = await (await indexed(docs, out)).done;
    expect(embedded).toHaveLength(4);
    expect(report).toMatchObject({ unchanged: 2 });
    expect(bytesOf(out)).toEqual(before);
  });
});

describe('an index that is not made yet', () => {
  it('ends on request; nobody sees any of it, and the same run goes on from there', async () => {
    const docs = scratch.folder({ 'doors.jsonl': records(0, 1200) });
    const out = fresh('stopped');
    const stop = new AbortController();
    const { done } = await indexed(docs, out, stop.signal);
    let hold = () => {};
    const held = new Promise<void>((resolve) => {
      hold = resolve;
    });
    let texts = 0;
    const first = await worker({
      concurrency: 1,
      embed: async (some) => {
        texts += some.length;
        if (texts > 400) await held;
        return some.map(vectorFor);
      },
    });
    await until(async () => (await heads('stopped')) > 0);
    stop.abort();
    await expect(done).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await isVisible('stopped')).toBe(false);
    hold();
    await first.close(0);
    const { embedded } = await worker();
    const report = await (await indexed(docs, out)).done;
    expect(report.counts.passages).toBe(1200);
    expect(embedded.length).toBeLessThan(1200);
    expect(await isVisible('stopped')).toBe(true);
  });

  it('waits for an engine that takes no writes, and says why', async () => {
    const docs = scratch.folder({ 'a.txt': 'The door is of oak.' });
    const first = await worker();
    await (await indexed(docs, fresh('waiting'))).done;
    await first.close(0);
    put(docs, 'a.txt', 'The door is of beech.');
    await server.ask('ALTER DATABASE postgres SET default_transaction_read_only = on');
    const own = await worker();
    const { done, said } = await indexed(docs, fresh('waiting'));
    try {
      await until(() => said.some((line) => line.includes('A worker waits: ')));
      expect(said.join()).toContain('takes no writes');
      expect(own.said.join()).toContain('name the primary');
    } finally {
      await server.ask(
        'BEGIN READ WRITE; ALTER DATABASE postgres RESET default_transaction_read_only; COMMIT',
      );
      await server.ask(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pragaura'",
      );
    }
    expect((await done).counts.documents).toBe(1);
    expect(own.embedded).toHaveLength(1);
  });

  it('is made where Redis comes back empty', async () => {
    const docs = scratch.folder({ 'doors.jsonl': records(0, 700) });
    const { done, said } = await indexed(docs, fresh('emptied'));
    await until(() => said.length > 0);
    await redis.kill();
    await redis.start({ empty: true });
    await worker();
    expect((await done).counts.documents).toBe(700);
  });

  it('is made anew by another embedder', async () => {
    const docs = scratch.folder({ 'a.txt': 'The door is of oak.' });
    const out = fresh('another');
    const { embedder } = options('');
    const before = { ...embedder, sha256: 'f'.repeat(64) };
    await buildIndex([docs], options(out, { embedder: before }));
    await worker();
    const report = await (await indexed(docs, out)).done;
    expect(report).toMatchObject({ rebuilt: 'The index was made with another embedder.', embedded: 1 });
  });

  it('says who takes no jobs of its kind', async () => {
    const docs = scratch.folder({ 'a.txt': 'The door is of oak.' });
    const { embedder } = options('');
    await worker({ embedder: { ...embedder, name: 'another' } });
    const stop = new AbortController();
    const { done, said } = await indexed(docs, fresh('kinds'), stop.signal);
    await until(() => said.length > 0);
    expect(said[0]).toContain('is of another kind: ');
    expect(said[0]).toContain('"name":"another"');
    const { store, close } = await storeAt(redis.url, 'test.indexing');
    const kinds = [...(await store.configurations()).values()];
    close();
    expect(kinds).toContainEqual(expect.objectContaining({ embedder: { ...embedder, name: 'another' } }));
    expect(kinds).toContainEqual(expect.objectContaining({ embedder }));
    stop.abort();
    await expect(done).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('a worker', () => {
  it('does not begin where it could not write, or without a Redis', async () => {
    const wrong = server.as('postgres', 'wrong');
    await expect(worker({ backend: wrong })).rejects.toMatchObject({ code: 'BACKEND_UNUSABLE' });
    await expect(worker({ redis: 'redis://127.0.0.1:1' })).rejects.toMatchObject({
      code: 'QUEUE_UNAVAILABLE',
    });
  });
});

describe('by the command', () => {
  const DOCS = 'router/demo/documents';
  const environment = () => ({ PRAGAURA_BACKEND: server.backend, REDIS_URL: redis.url });
  const begin = (...args: string[]) => startCli(args, { env: environment() } as never);

  it('goes on where workers, and whoever waits for them, are killed', async () => {
    const out = fresh('killed');
    const index = () => begin('index', DOCS, '--out', out, '--workers', '--json');
    const start = () => begin('index-worker', '--lock', '1', '--threads', '1');
    let [coordinator, working] = [index(), start()];
    await until(async () => (await heads('killed').catch(() => 0)) > 0);
    working.process.kill('SIGKILL');
    coordinator.process.kill('SIGKILL');
    await Promise.all([working.finished, coordinator.finished]);
    expect(await isVisible('killed')).toBe(false);
    working = start();
    coordinator = index();
    const { code, stdout } = await coordinator.finished;
    expect(code).toBe(0);
    const report = JSON.parse(stdout) as IndexReport;
    expect(report.embedded).toBeLessThan(report.counts.passages);
    expect(await isVisible('killed')).toBe(true);
    const alone = fresh('alone');
    expect(await runHere(['index', DOCS, '--out', alone])).toMatchObject({ code: 0 });
    expect(bytesOf(out)).toEqual(bytesOf(alone));
    working.process.kill('SIGTERM');
    const ended = await working.finished;
    expect(ended).toMatchObject({ code: 0, stdout: '' });
    expect(ended.stderr).toMatch(/ends; it made \d+ pieces\./);
  });

  it.each([
    [['--workers'], 'which one?'],
    [
      ['--workers', '--backend', 'pgvector=postgres://x@localhost/y', '--no-wait'],
      'Leave out one of the two.',
    ],
  ])('%j: one sentence and exit code 2', async (args, message) => {
    const ended = await runHere(['index', DOCS, '--out', fresh('usage'), ...args]);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(message);
  });
});
