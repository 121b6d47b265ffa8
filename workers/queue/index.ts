/** The queue: where it is, what it is called, and what lies in it. */
export { type ConfigurationParts, configurationOf } from './configuration.ts';
export { configurationIn, liveWorkers } from './configurations.ts';
export { connectRedis, disconnectRedis, type RedisClient } from './connect.ts';
export { type DeadLetter, Lane, type LaneCounts, TRIES, type Tries } from './lane.ts';
export { DEFAULT_QUEUE, digestOf, jobIdOf, keysOf, laneName } from './names.ts';
export { isPassing, retrying } from './retrying.ts';
export { type Announcement, QueueStore, type Retention } from './store.ts';
export { DEFAULT_REDIS, parseTarget } from './target.ts';
