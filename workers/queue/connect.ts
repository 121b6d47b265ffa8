/** Connections to Redis. ioredis is named in this file and nowhere else. */
import { Cluster, Redis } from 'ioredis';
import { messageOf, PragauraError } from '../../common/index.ts';
import { type Patience, retrying } from './retrying.ts';
import { parseTarget, type RedisTarget } from './target.ts';

export type RedisClient = Redis | Cluster;

/**
 * `worker`: commands wait for a connection that was lost, for as long as it takes; BullMQ needs that of a worker.
 * `producer`: they fail at once, and whoever asked decides what to do.
 */
export type Role = 'worker' | 'producer';

/** No data for so long while a reply is owed: the connection is half open, and a new one is made. Longer than any blocking command. */
const SOCKET_TIMEOUT_MS = 20_000;
const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;
const MOST_BETWEEN_TRIES_MS = 2_000;

const retryStrategy = (times: number) => Math.min(50 * 2 ** Math.min(times, 10), MOST_BETWEEN_TRIES_MS);

/** How long a command that begins waits for its Redis: one that is restarted is back by then, one that is missing is missed soon. */
export const START_PATIENCE_MS = 2_000;

/**
 * Connects and resolves when Redis answers; tries once, or as long as `patience` says. Connections that are lost later
 * are made again without end. Throws QUEUE_UNAVAILABLE when nothing answers, or with another error than it should;
 * USAGE for a URL that is none; ABORTED.
 */
export async function connectRedis(
  url: string,
  role: Role,
  patience: Patience = { ms: 0 },
): Promise<RedisClient> {
  const target = parseTarget(url);
  try {
    return await retrying(() => connected(target, role), patience);
  } catch (error) {
    if (!PragauraError.isInstance(error)) throw unavailable(target, error);
    throw error.code === 'QUEUE_UNAVAILABLE' ? unavailable(target, error.cause) : error;
  }
}

/** Throws what Redis or the way to it says. */
async function connected(target: RedisTarget, role: Role): Promise<RedisClient> {
  const client = clientFor(target, role);
  let last: unknown;
  const remember = (error: unknown) => {
    last = innermost(error);
  };
  client.on('error', remember);
  try {
    await inTime(client.connect());
    await inTime(client.ping());
  } catch (error) {
    client.disconnect();
    throw last ?? innermost(error);
  }
  client.off('error', remember);
  // Without a listener ioredis prints; whoever uses the client listens for more.
  client.on('error', () => {});
  return client;
}

/** Ends a connection: at once where it is broken, after the replies that are owed where it is not. */
export async function disconnectRedis(client: RedisClient): Promise<void> {
  if (client.status === 'ready' || client.status === 'connect') {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, 1_000);
    });
    await Promise.race([client.quit().catch(() => {}), patience]);
    clearTimeout(timer);
  }
  client.disconnect();
}

/** A Cluster that cannot be used is tried for ever. */
async function inTime(promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('its answer timed out')), CONNECT_TIMEOUT_MS);
  });
  promise.catch(() => {});
  await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function clientFor(target: RedisTarget, role: Role): RedisClient {
  const common = {
    lazyConnect: true,
    enableOfflineQueue: role === 'worker',
    maxRetriesPerRequest: role === 'worker' ? null : 1,
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAlive: KEEP_ALIVE_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    retryStrategy,
    ...(target.username === undefined ? {} : { username: target.username }),
    ...(target.password === undefined ? {} : { password: target.password }),
    ...(target.tls ? { tls: {} } : {}),
  };
  if (target.kind === 'cluster') {
    const { lazyConnect: _, enableOfflineQueue: __, retryStrategy: ___, ...ofNode } = common;
    return new Cluster(target.nodes, {
      lazyConnect: true,
      enableOfflineQueue: role === 'worker',
      clusterRetryStrategy: retryStrategy,
      redisOptions: ofNode,
    });
  }
  if (target.kind === 'sentinel') {
    return new Redis({
      ...common,
      sentinels: target.nodes,
      name: target.master!,
      db: target.db,
      sentinelRetryStrategy: retryStrategy,
      ...(target.tls ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
      ...(target.sentinelPassword === undefined ? {} : { sentinelPassword: target.sentinelPassword }),
    });
  }
  return new Redis({ ...common, ...target.nodes[0]!, db: target.db });
}

/** A cluster wraps what its nodes failed with. */
function innermost(error: unknown): unknown {
  const { lastNodeError, errors } = Object(error) as { lastNodeError?: unknown; errors?: unknown[] };
  return lastNodeError ?? errors?.[0] ?? error;
}

function unavailable({ shown }: RedisTarget, cause: unknown): PragauraError {
  const message = messageOf(cause);
  const code = String((cause as { code?: unknown })?.code ?? '');
  const say = (why: string, hint: string) =>
    new PragauraError('QUEUE_UNAVAILABLE', `Redis at ${shown} ${why}`, { hint, cause });
  if (/^WRONGPASS|invalid password|invalid username-password/i.test(message)) {
    return say('refuses the password.', 'Put the right one into the URL: redis://:PASSWORD@HOST:PORT');
  }
  if (/^NOAUTH/.test(message)) {
    return say(
      'wants a password.',
      'Put it into the URL: redis://:PASSWORD@HOST:PORT, best through REDIS_URL.',
    );
  }
  if (code === 'ECONNREFUSED')
    return say('is not there: nothing listens.', 'Start one, or name another with --redis URL.');
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return say('cannot be found: the host is not known.', 'Check --redis URL.');
  return say(
    `cannot be used: ${message}`,
    'Is it a Redis, and is it the right port? Name another with --redis URL.',
  );
}
