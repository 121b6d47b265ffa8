import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { connectRedis, disconnectRedis, type RedisClient } from '../queue/index.ts';
import { type RedisServer, type RedisServerOptions, startRedis } from '../testing/redis.ts';
import { requireFitRedis } from './fitness.ts';
import { openLog } from './log.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function connected(server: RedisServer, scheme = 'redis'): Promise<RedisClient> {
  const client = await connectRedis(server.url.replace('redis', scheme), 'producer');
  ends.push(() => disconnectRedis(client));
  return client;
}

async function started(options: RedisServerOptions): Promise<RedisServer> {
  const server = await startRedis(options);
  ends.push(() => server.close());
  return server;
}

/** The checks that were said something of, or the error. */
async function looked(client: RedisClient, where: string, allowVolatile = false, now?: () => number) {
  const written: string[] = [];
  const log = openLog({ write: (line) => written.push(line), level: 'debug' });
  const options = {
    where,
    allowVolatile,
    side: 'worker' as const,
    log,
    ...(now === undefined ? {} : { now }),
  };
  const error = await requireFitRedis(client, options).then(
    () => null,
    (thrown: unknown) => thrown as Error & { code: string; hint: string },
  );
  const warned = written.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn');
  return { error, warned: warned.map(({ check }) => check), lines: written.length };
}

test('with an append-only file all is well', async () => {
  const server = await started({ aof: true, password: 'hush' });
  const { error, warned, lines } = await looked(await connected(server), server.url);
  expect(error).toBeNull();
  expect(warned).toEqual([]);
  expect(lines).toBe(6);
});

test('without persistence it is refused, or allowed with a warning; the password is never said', async () => {
  const server = await started({ password: 'hush' });
  const client = await connected(server);
  const { error } = await looked(client, server.url);
  expect(error).toMatchObject({ code: 'QUEUE_UNUSABLE', message: expect.stringContaining('memory only') });
  expect(`${error!.message} ${error!.hint}`).not.toContain('hush');
  expect(error!.hint).toContain('--allow-volatile');
  expect(await looked(client, server.url, true)).toMatchObject({ error: null, warned: ['persistence'] });
});

test('snapshots alone are warned of', async () => {
  const server = await started({});
  const client = await connected(server);
  await client.call('CONFIG', 'SET', 'save', '3600 1');
  expect(await looked(client, 'here')).toMatchObject({ error: null, warned: ['persistence'] });
});

test('where settings cannot be read, what is not known is warned of', async () => {
  const server = await started({ args: ['--rename-command', 'CONFIG', ''] });
  expect(await looked(await connected(server), 'here')).toMatchObject({
    error: null,
    warned: ['persistence'],
  });
});

test('evicting keys under a limit is refused', async () => {
  const server = await started({ aof: true, maxmemory: '50mb', args: ['--maxmemory-policy', 'allkeys-lru'] });
  const { error } = await looked(await connected(server), 'here');
  expect(error).toMatchObject({
    code: 'QUEUE_UNUSABLE',
    message: expect.stringMatching(/50 MiB.*allkeys-lru/),
  });
});

test('a replica is refused', async () => {
  const primary = await started({ aof: true });
  const replica = await started({ aof: true, args: ['--replicaof', '127.0.0.1', String(primary.port)] });
  const { error } = await looked(await connected(replica), 'here');
  expect(error).toMatchObject({ code: 'QUEUE_UNUSABLE', message: expect.stringContaining('replica') });
});

test('a clock an hour off is refused', async () => {
  const server = await started({ aof: true });
  const { error } = await looked(await connected(server), 'here', false, () => Date.now() - 3_600_000);
  expect(error).toMatchObject({ code: 'QUEUE_UNUSABLE', message: expect.stringContaining('3600.0 s') });
});

test('every primary of a cluster is looked at', async () => {
  const server = await started({ cluster: true, args: ['--cluster-announce-ip', '127.0.0.1'] });
  const node = await connected(server);
  while (!String(await node.call('CLUSTER', 'INFO')).startsWith('cluster_state:ok')) await sleep(50);
  const { error } = await looked(await connected(server, 'redis+cluster'), 'here');
  expect(error).toMatchObject({ code: 'QUEUE_UNUSABLE', message: expect.stringContaining('memory only') });
});
