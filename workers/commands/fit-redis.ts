/** The start-up checks of Redis, for commands that are no workers: what they warn of is said in words. */
import { plainLine } from '../../common/index.ts';
import { requireFitRedis } from '../health/index.ts';
import { parseTarget, type RedisClient } from '../queue/index.ts';

export function fitRedis(redis: string, allowVolatile: boolean, say: (message: string) => void) {
  const warn = (_: string, { detail }: { detail?: unknown } = {}) =>
    say(`pragaura: ${plainLine(String(detail))}`);
  const log = { debug: () => {}, info: () => {}, warn, error: warn };
  const where = parseTarget(redis).shown;
  return (client: RedisClient) => requireFitRedis(client, { where, allowVolatile, side: 'submitter', log });
}
