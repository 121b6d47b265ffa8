/** What a Redis server says of itself, as far as a queue must know it. */

/** The few commands that are needed; a single connection of ioredis fits. */
export interface RedisServer {
  info(): Promise<string>;
  config(subcommand: 'GET', pattern: string): Promise<unknown>;
  time(): Promise<readonly (number | string)[]>;
}

/** The server's clock minus ours, in milliseconds, give or take `uncertaintyMs`. */
export interface ClockOffset {
  offsetMs: number;
  uncertaintyMs: number;
}

export interface RedisFacts {
  /** `redis`, or whichever of its relatives it says it is. */
  server: string;
  /** The version of the Redis that it is compatible with. */
  version: string;
  /** The relative's own version; that of Redis where it is Redis. */
  ownVersion: string;
  role: string;
  loading: boolean;
  cluster: boolean;
  /** Bytes; 0 for no limit. */
  maxMemory: number;
  usedMemory: number;
  evictionPolicy: string;
  aof: boolean;
  /** `everysec`, `always`, `no`; null where the server does not let it be read. */
  appendFsync: string | null;
  /** When snapshots are written, as in `save`; empty for never; null where it may not be read. */
  snapshots: string | null;
  aofWriteOk: boolean;
  snapshotOk: boolean;
  clock: ClockOffset;
}

const CLOCK_SAMPLES = 5;

/** Fields of `INFO`, whatever the section. */
export function parseInfo(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const at = line.indexOf(':');
    if (at > 0 && !line.startsWith('#')) fields.set(line.slice(0, at), line.slice(at + 1).trim());
  }
  return fields;
}

/** One value of `CONFIG GET`; null where the command is not allowed, as on many hosted servers. */
async function setting(server: RedisServer, name: string): Promise<string | null> {
  try {
    const reply = await server.config('GET', name);
    return Array.isArray(reply) && reply.length >= 2 ? String(reply[1]) : null;
  } catch {
    return null;
  }
}

/** The offset from the sample that was under way for the shortest time: it is off by half of that at most. */
export async function measureClock(
  server: Pick<RedisServer, 'time'>,
  now: () => number = Date.now,
): Promise<ClockOffset> {
  let best: ClockOffset | null = null;
  for (let i = 0; i < CLOCK_SAMPLES; i += 1) {
    const sent = now();
    const [seconds, micros] = await server.time();
    const received = now();
    const uncertaintyMs = Math.max(1, (received - sent) / 2);
    const offsetMs = Number(seconds) * 1000 + Number(micros) / 1000 - (sent + received) / 2;
    if (best === null || uncertaintyMs < best.uncertaintyMs) best = { offsetMs, uncertaintyMs };
  }
  return best!;
}

/** Asks one server. Errors of the connection are thrown as they come. */
export async function readRedisFacts(server: RedisServer, now?: () => number): Promise<RedisFacts> {
  const info = parseInfo(await server.info());
  const text = (name: string, fallback = '') => info.get(name) ?? fallback;
  const relative = ['valkey', 'dragonfly', 'keydb'].find((name) => info.has(`${name}_version`));
  const version = text('redis_version', '0.0.0');
  const loading = text('loading') === '1';
  return {
    server: relative ?? text('server_name', 'redis'),
    version,
    ownVersion: relative === undefined ? version : text(`${relative}_version`),
    role: text('role', 'master'),
    loading,
    cluster: text('cluster_enabled') === '1',
    maxMemory: Number(text('maxmemory', '0')),
    usedMemory: Number(text('used_memory', '0')),
    evictionPolicy: text('maxmemory_policy', 'noeviction'),
    aof: text('aof_enabled') === '1',
    appendFsync: await setting(server, 'appendfsync'),
    snapshots: await setting(server, 'save'),
    aofWriteOk: text('aof_last_write_status', 'ok') === 'ok',
    snapshotOk: text('rdb_last_bgsave_status', 'ok') === 'ok',
    clock: await measureClock(server, now),
  };
}
