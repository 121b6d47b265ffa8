/** The start-up checks of a queue's Redis, as commands run them. */
import { type Log, withoutCredentials } from './log.ts';
import { checkRedis, refuseUnfit, type Side } from './redis-checks.ts';
import { type RedisServer, readRedisFacts } from './redis-facts.ts';

/** A single server, or a cluster of which every primary is looked at; clients of ioredis fit. */
export type RedisServers = RedisServer | { nodes(role: 'master'): RedisServer[] };

/**
 * Asks Redis what it is and logs what is to be said of it, warnings as warnings. Throws QUEUE_UNUSABLE when it cannot
 * hold a queue (too old, a replica, evicting, keeping nothing on disk, a clock far off), QUEUE_UNAVAILABLE while it
 * loads its data. `where`: for messages, without a password.
 */
export async function requireFitRedis(
  client: RedisServers,
  options: { where: string; allowVolatile: boolean; side: Side; log: Log; now?: () => number },
): Promise<void> {
  const { where, log } = options;
  const servers = 'nodes' in client ? client.nodes('master') : [client];
  for (const server of servers) {
    const facts = await readRedisFacts(server, options.now);
    const findings = checkRedis(facts, options);
    for (const { check, status, detail, fix } of findings) {
      const fields = { check, detail, fix };
      if (status === 'ok') log.debug('redis.check', fields);
      else if (status === 'warn') log.warn('redis.check', fields);
    }
    refuseUnfit(withoutCredentials(where), facts, findings);
  }
}
