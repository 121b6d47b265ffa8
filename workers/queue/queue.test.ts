/** Names, addresses and connections of a queue; on a real Redis where one is needed. */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { PragauraError } from '../../common/index.ts';
import { freePort } from '../../common/testing/free-port.ts';
import type { ValidFor } from '../../router/index.ts';
import { startBadWire } from '../faults/bad-wire.ts';
import { fakeDecider } from '../testing/fake-decider.ts';
import { submitted, until } from '../testing/queue.ts';
import { type RedisServer, type RedisServerOptions, startRedis, startSentinel } from '../testing/redis.ts';
import { openWorker } from '../worker/index.ts';
import {
  configurationOf,
  connectRedis,
  digestOf,
  disconnectRedis,
  isPassing,
  jobIdOf,
  parseTarget,
  retrying,
} from './index.ts';

const servers: RedisServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));
const redis = async (options?: RedisServerOptions) => {
  const server = await startRedis(options);
  servers.push(server);
  return server;
};
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('it did not fail'),
    (error: PragauraError) => error,
  );

describe('job ids', () => {
  it('are never of digits only, have no colon, and are the same for the same three names only', () => {
    const name = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(':', '1', '7', '"', '{') }));
    fc.assert(
      fc.property(fc.tuple(name, name, name), fc.tuple(name, name, name), (one, other) => {
        const id = jobIdOf(...one);
        expect(id).toMatch(/^q[A-Za-z0-9_-]{24}$/);
        expect(id === jobIdOf(...other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
    expect(jobIdOf('a', 'b:c', 'd')).not.toBe(jobIdOf('a:b', 'c', 'd'));
  });

  it('do not depend on the text; digests do, and on nothing that is not asked', () => {
    const query = { id: 'x', query: 'Who?', filters: { docId: ['d'] } };
    expect(digestOf({ ...query, id: 'y' })).toBe(digestOf(query));
    expect(digestOf({ ...query, metadata: { topic: 'a' } })).toBe(digestOf(query));
    const more = [
      { defaults: false as const },
      { defaults: { plan: null } },
      { conditions: { region: 'EU' } },
    ];
    for (const other of [{ query: 'Whom?' }, { filters: {} }, { deadlineMs: 5 }, { history: [] }, ...more]) {
      expect(digestOf({ ...query, ...other })).not.toBe(digestOf(query));
    }
  });
});

describe('a configuration', () => {
  const parts = {
    index: 'i',
    models: { a: '1', b: '2' },
    arithmetic: 'exact',
    profiles: 'p',
    layers: 'l',
    vocabulary: null,
    graph: null,
    planner: null,
  };
  const versions = { ...parts, calibration: null };
  const budget = { docsScored: 1, rerankPairs: 2, nliPairs: 3, contextTokens: 4, ms: null };
  const validFor: ValidFor = {
    ...parts,
    policy: 'act',
    budget,
    decider: 'thresholds',
    utilities: null,
    sampler: null,
  };
  const hash = configurationOf({ versions, validFor, cautious: null });

  it('is the same in whatever order its parts are named', () => {
    const models = { b: '2', a: '1' };
    expect(
      configurationOf({
        versions: { ...versions, models },
        validFor: { ...validFor, models },
        cautious: null,
      }),
    ).toBe(hash);
  });

  it.each([
    ['index', { validFor: { ...validFor, index: 'j' } }],
    ['models', { validFor: { ...validFor, models: { a: '1' } } }],
    ['arithmetic', { validFor: { ...validFor, arithmetic: 'saturating' } }],
    ['policy', { validFor: { ...validFor, policy: 'uniform' as const } }],
    ['set of layers', { validFor: { ...validFor, layers: 'm' } }],
    ['vocabulary', { validFor: { ...validFor, vocabulary: 'v' } }],
    ['graph', { validFor: { ...validFor, graph: 'g' } }],
    ['decider', { validFor: { ...validFor, decider: 'planner' as const } }],
    ['planner', { validFor: { ...validFor, planner: 'q' } }],
    ['budget', { validFor: { ...validFor, budget: { ...budget, ms: 9 } } }],
    ['calibration', { versions: { ...versions, calibration: 'c' } }],
    ['caution', { cautious: 0.5 }],
  ])('is another one with another %s', (_, change) => {
    expect(configurationOf({ versions, validFor, cautious: null, ...change })).not.toBe(hash);
  });
});

describe('a Redis URL', () => {
  it.each([
    [
      'redis://h',
      { kind: 'single', nodes: [{ host: 'h', port: 6379 }], db: 0, tls: false, shown: 'redis://h:6379' },
    ],
    [
      'rediss://u:p%40%2F@h:7/3',
      { username: 'u', password: 'p@/', db: 3, tls: true, shown: 'rediss://h:7/3' },
    ],
    ['redis://:p@[::1]:7', { password: 'p', nodes: [{ host: '::1', port: 7 }] }],
    [
      'redis+sentinel://:p@a,b:5/main?db=2&sentinelPassword=s',
      {
        kind: 'sentinel',
        master: 'main',
        db: 2,
        sentinelPassword: 's',
        nodes: [
          { host: 'a', port: 26379 },
          { host: 'b', port: 5 },
        ],
        shown: 'redis+sentinel://a:26379,b:5/main',
      },
    ],
    ['redis+cluster://a:1,b:2', { kind: 'cluster', shown: 'redis+cluster://a:1,b:2' }],
  ])('%s is understood', (url, expected) => {
    expect(parseTarget(url)).toMatchObject(expected);
  });

  it.each([
    'http://:secret@h',
    'h:6379',
    'redis://:secret@h:99999',
    'redis://:secret@a,b',
    'redis://:secret@h/x',
    'redis://:secret%@h',
    'redis://secret@h',
    'redis+sentinel://:secret@a',
    'redis+cluster://:secret@a/1',
  ])('%s is refused, without repeating it', (url) => {
    try {
      parseTarget(url);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'USAGE' });
      expect((error as Error).message).not.toContain('secret');
    }
  });
});

describe('a connection', () => {
  it('fails with what is wrong where nothing listens or the password is none', async () => {
    const nobody = await failure(connectRedis(`redis://:secret@127.0.0.1:${await freePort()}`, 'worker'));
    expect(nobody).toMatchObject({
      code: 'QUEUE_UNAVAILABLE',
      message: expect.stringContaining('nothing listens'),
    });
    expect(nobody.message).not.toContain('secret');
    const { port } = await redis({ password: 'right' });
    const wrong = await failure(connectRedis(`redis://:wrong@127.0.0.1:${port}`, 'producer'));
    expect(wrong).toMatchObject({
      code: 'QUEUE_UNAVAILABLE',
      message: expect.stringContaining('refuses the password'),
    });
    const none = await failure(connectRedis(`redis://127.0.0.1:${port}`, 'producer'));
    expect(none).toMatchObject({
      code: 'QUEUE_UNAVAILABLE',
      message: expect.stringContaining('wants a password'),
    });
    const client = await connectRedis(`redis://:right@127.0.0.1:${port}`, 'producer');
    expect(await client.ping()).toBe('PONG');
    await disconnectRedis(client);
  });

  it('is waited for as long as it is told to, but not where the password is wrong', async () => {
    const { port } = await redis({ password: 'right' });
    const wire = await startBadWire(port);
    const at = (password: string) => `redis://:${password}@127.0.0.1:${wire.port}`;
    wire.refuse();
    const said: string[] = [];
    const say = (message: string) => said.push(message);
    const connecting = connectRedis(at('right'), 'producer', { say });
    await Promise.race([connecting, until(() => said.length > 0)]);
    wire.clear();
    const client = await connecting;
    expect(await client.ping()).toBe('PONG');
    await disconnectRedis(client);
    await expect(connectRedis(at('wrong'), 'producer', { say })).rejects.toThrow('refuses the password');
    expect(said).toEqual([expect.stringContaining('trying again')]);
    await wire.close();
    const stopped = connectRedis(at('right'), 'producer', { signal: AbortSignal.abort() });
    await expect(stopped).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('waits out what passes and nothing else', async () => {
    let tries = 0;
    const done = await retrying(async () => {
      if (++tries < 3) throw new Error('OOM command not allowed');
      return 'done';
    }, {});
    expect([done, tries]).toEqual(['done', 3]);
    // How ioredis ends a transaction of which some replies had come.
    expect(isPassing(new Error('Command aborted due to connection close'))).toBe(true);
    expect(isPassing(new Error('WRONGTYPE Operation against a key'))).toBe(false);
    // How Redis 6.2 says what it refused inside of a script.
    const inScript = (reply: string) =>
      new Error(`ERR Error running script (call to f_0a1b): @user_script:4: @user_script: 4: ${reply}`);
    expect(isPassing(inScript("-OOM command not allowed when used memory > 'maxmemory'."))).toBe(true);
    expect(isPassing(inScript("-READONLY You can't write against a read only replica."))).toBe(true);
    expect(isPassing(inScript('-WRONGTYPE Operation against a key'))).toBe(false);
    expect(isPassing(inScript('Wrong number of args, not OOM'))).toBe(false);
    const impatient = failure(retrying(() => Promise.reject(new Error('LOADING')), { ms: 0 }));
    expect(await impatient).toMatchObject({ code: 'QUEUE_UNAVAILABLE' });
    const stopped = failure(
      retrying(() => Promise.reject(new Error('LOADING')), { signal: AbortSignal.abort() }),
    );
    expect(await stopped).toMatchObject({ code: 'ABORTED' });
  });
});

describe('a Cluster or a Sentinel', () => {
  it.each(['cluster', 'sentinel'])('%s carries a queue', async (kind) => {
    const server = await redis({ cluster: kind === 'cluster' });
    const sentinel = kind === 'sentinel' ? await startSentinel(server) : null;
    const url = sentinel?.url ?? `redis+cluster://127.0.0.1:${server.port}`;
    const decider = fakeDecider();
    const worker = await openWorker({ redis: url, queue: 'test', decider });
    const lines = Array.from({ length: 20 }, (_, i) => ({ id: `${i}`, query: 'Who?' }));
    const { code, records } = await submitted(lines, {
      redis: url,
      configuration: decider.configuration,
      wait: true,
    });
    await worker.drain(1_000);
    await sentinel?.close();
    expect(code).toBe(0);
    expect(records.map(({ id }) => id)).toEqual(lines.map(({ id }) => id));
  });
});
