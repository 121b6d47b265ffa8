/** The queue: where it is, what it is called, and what lies in it. */
export { configurationOf, madeOf } from './configuration.ts';
export { configurationIn, liveWorkers, untilServed } from './configurations.ts';
export { connectRedis, disconnectRedis, type RedisClient, START_PATIENCE_MS } from './connect.ts';
export { type JobState, Lane, type Tries } from './lane.ts';
export { digestOf, jobIdOf, keysOf, laneName } from './names.ts';
export { isPassing, type Patience, retrying } from './retrying.ts';
export { type Announcement, QueueStore, type Retention, resultFrom } from './store.ts';
export { parseTarget } from './target.ts';
