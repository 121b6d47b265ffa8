import { expect, test } from 'vitest';
import { checkRedis, refuseUnfit, type Side } from './redis-checks.ts';
import { measureClock, parseInfo, type RedisFacts } from './redis-facts.ts';

const GOOD: RedisFacts = {
  server: 'redis',
  version: '7.0.15',
  ownVersion: '7.0.15',
  role: 'master',
  loading: false,
  cluster: false,
  maxMemory: 0,
  usedMemory: 2 ** 20,
  evictionPolicy: 'noeviction',
  aof: true,
  appendFsync: 'everysec',
  snapshots: '3600 1',
  aofWriteOk: true,
  snapshotOk: true,
  clock: { offsetMs: 3, uncertaintyMs: 1 },
};

function status(changes: Partial<RedisFacts>, check: string, allowVolatile = false, side: Side = 'worker') {
  const found = checkRedis({ ...GOOD, ...changes }, { allowVolatile, side });
  return found.find((finding) => finding.check === check)!.status;
}

test('a good Redis passes every check', () => {
  const findings = checkRedis(GOOD, { allowVolatile: false, side: 'worker' });
  expect(findings.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'ok']);
  expect(() => refuseUnfit('here', GOOD, findings)).not.toThrow();
});

test.each([
  ['5.0.14', 'refuse'],
  ['6.0.16', 'refuse'],
  ['6.2.0', 'ok'],
  ['6.2', 'refuse'],
  ['7.0.15', 'ok'],
  ['10.0.0', 'ok'],
  ['nonsense', 'refuse'],
])('version %s: %s', (version, expected) => {
  expect(status({ version }, 'version')).toBe(expected);
});

test('a replica is refused', () => {
  expect(status({ role: 'slave' }, 'role')).toBe('refuse');
});

const MEMORY_ONLY = { aof: false, snapshots: '' };
test.each([
  ['nothing on disk', MEMORY_ONLY, false, 'refuse'],
  ['nothing on disk, allowed', MEMORY_ONLY, true, 'warn'],
  ['snapshots only', { aof: false }, false, 'warn'],
  ['snapshots cannot be read', { aof: false, snapshots: null }, false, 'warn'],
  ['synced by the system', { appendFsync: 'no' }, false, 'warn'],
  ['synced always', { appendFsync: 'always' }, false, 'ok'],
  ['fsync cannot be read', { appendFsync: null, snapshots: null }, false, 'ok'],
  ['append-only file failing', { aofWriteOk: false }, true, 'refuse'],
  ['snapshots failing', { aof: false, snapshotOk: false }, false, 'refuse'],
  ['snapshots failing beside a sound append-only file', { snapshotOk: false }, false, 'ok'],
] as const)('persistence, %s', (_, changes, allowed, expected) => {
  expect(status(changes, 'persistence', allowed)).toBe(expected);
});

test('evicting keys is refused where memory is limited, warned of where not', () => {
  expect(status({ evictionPolicy: 'allkeys-lru', maxMemory: 1000 }, 'eviction')).toBe('refuse');
  expect(status({ evictionPolicy: 'volatile-ttl' }, 'eviction')).toBe('warn');
});

test('an almost full Redis is warned of', () => {
  expect(status({ maxMemory: 100, usedMemory: 80 }, 'memory')).toBe('ok');
  expect(status({ maxMemory: 100, usedMemory: 81 }, 'memory')).toBe('warn');
});

test.each([
  [999, 1, 'worker', 'ok'],
  [-1002, 1, 'worker', 'warn'],
  [3_600_000, 5, 'worker', 'refuse'],
  [-3_600_000, 5, 'worker', 'refuse'],
  [3_600_000, 5, 'submitter', 'warn'],
  // A slow answer says little about a clock.
  [4000, 5000, 'worker', 'ok'],
] as const)('clock %i ms off, give or take %i, for a %s: %s', (offsetMs, uncertaintyMs, side, expected) => {
  expect(status({ clock: { offsetMs, uncertaintyMs } }, 'clock', false, side)).toBe(expected);
});

test('all that is wrong is said at once', () => {
  const facts = { ...GOOD, ...MEMORY_ONLY, version: '5.0.0', role: 'slave' };
  const refuse = () =>
    refuseUnfit('redis://x:1', facts, checkRedis(facts, { allowVolatile: false, side: 'worker' }));
  expect(refuse).toThrow(/redis:\/\/x:1.*5\.0\.0.*replica.*memory only/);
  expect(refuse).toThrow(expect.objectContaining({ code: 'QUEUE_UNUSABLE', exitCode: 78 }));
});

test('a Redis that loads is to be waited for', () => {
  const facts = { ...GOOD, loading: true };
  expect(() => refuseUnfit('here', facts, [])).toThrow(
    expect.objectContaining({ code: 'QUEUE_UNAVAILABLE', exitCode: 69 }),
  );
});

test('INFO is read whatever its line ends', () => {
  const info = parseInfo('# Server\r\nredis_version:7.2.4\r\nvalkey_version:8.0.1\r\nempty:\r\n\nnonsense');
  expect([...info]).toEqual([
    ['redis_version', '7.2.4'],
    ['valkey_version', '8.0.1'],
    ['empty', ''],
  ]);
});

test('the clock is read from the sample that took the least', async () => {
  let now = 0;
  const trips = [400, 20, 100, 60, 300];
  const server = {
    time: async () => {
      const trip = trips.shift()!;
      const at = now + trip / 2 + 5000;
      now += trip;
      return [String(Math.floor(at / 1000)), String((at % 1000) * 1000)];
    },
  };
  const { offsetMs, uncertaintyMs } = await measureClock(server, () => now);
  expect(offsetMs).toBeCloseTo(5000, 6);
  expect(uncertaintyMs).toBe(10);
});
