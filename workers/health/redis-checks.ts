/** Whether a Redis can be trusted with a queue. Pure: facts in, findings out. */
import { PragauraError } from '../../common/index.ts';
import type { RedisFacts } from './redis-facts.ts';

export interface RedisFinding {
  check: 'version' | 'role' | 'persistence' | 'eviction' | 'memory' | 'clock';
  /** `refuse`: a worker or submitter does not start. `warn`: said loudly, on every start. */
  status: 'ok' | 'warn' | 'refuse';
  detail: string;
  fix?: string;
}

/** A submitter whose clock is off hurts nobody: it goes by the clock of Redis. */
export type Side = 'worker' | 'submitter';

/** The oldest Redis that BullMQ recommends; older ones lack commands that moving a job atomically needs. */
const OLDEST = [6, 2, 0] as const;
/** Deadlines go by the clock of Redis; the delays before retries and the ages of what is kept go by ours. */
const SKEW_WARN_MS = 1000;
const SKEW_REFUSE_MS = 60_000;
const ALMOST_FULL = 0.8;

function older(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [i, least] of OLDEST.entries()) {
    const part = parts[i];
    if (part === undefined || !Number.isFinite(part)) return true;
    if (part !== least) return part < least;
  }
  return false;
}

function version(facts: RedisFacts): RedisFinding {
  const name =
    facts.server === 'redis' || facts.ownVersion === facts.version
      ? `${facts.server} ${facts.version}`
      : `${facts.server} ${facts.ownVersion} (as Redis ${facts.version})`;
  if (older(facts.version)) {
    return {
      check: 'version',
      status: 'refuse',
      detail: `${name} is older than Redis ${OLDEST.join('.')}`,
      fix: `Use Redis ${OLDEST.join('.')} or newer, or any Valkey.`,
    };
  }
  return { check: 'version', status: 'ok', detail: name };
}

function role(facts: RedisFacts): RedisFinding {
  if (facts.role !== 'master') {
    return {
      check: 'role',
      status: 'refuse',
      detail: `it is a replica (${facts.role}), which takes no writes`,
      fix: 'Connect to the primary, or through Sentinel.',
    };
  }
  return { check: 'role', status: 'ok', detail: facts.cluster ? 'primary of a cluster' : 'primary' };
}

function persistence(facts: RedisFacts, allowVolatile: boolean): RedisFinding {
  const check = 'persistence';
  if ((facts.aof && !facts.aofWriteOk) || (!facts.aof && !facts.snapshotOk)) {
    return {
      check,
      status: 'refuse',
      detail: 'its last write to disk failed: a restart loses what came since',
      fix: 'Look into the log of the Redis server: is its disk full?',
    };
  }
  if (facts.aof && facts.appendFsync === 'no') {
    return {
      check,
      status: 'warn',
      detail:
        'it has an append-only file but leaves syncing to the system: a power cut can lose 30 s of jobs',
      fix: 'Set "appendfsync everysec" or "always".',
    };
  }
  if (facts.aof) {
    const loses = facts.appendFsync === 'always' ? 'nothing' : 'at most a second of jobs';
    return { check, status: 'ok', detail: `append-only file; a power cut loses ${loses}` };
  }
  if (facts.snapshots === null) {
    return {
      check,
      status: 'warn',
      detail:
        'it has no append-only file, and does not say whether it writes snapshots: a restart may lose jobs',
      fix: 'Turn the append-only file on.',
    };
  }
  if (facts.snapshots !== '') {
    return {
      check,
      status: 'warn',
      detail: `it only writes snapshots (save ${facts.snapshots}): a crash loses every job since the last one`,
      fix: 'Turn the append-only file on: "appendonly yes".',
    };
  }
  return {
    check,
    status: allowVolatile ? 'warn' : 'refuse',
    detail: 'it keeps everything in memory only: a restart loses every job and every result',
    fix: 'Start it with "--appendonly yes", or say --allow-volatile where losing the queue does not matter.',
  };
}

function eviction(facts: RedisFacts): RedisFinding {
  const check = 'eviction';
  if (facts.evictionPolicy === 'noeviction') return { check, status: 'ok', detail: 'noeviction' };
  const limited = facts.maxMemory > 0;
  return {
    check,
    status: limited ? 'refuse' : 'warn',
    detail: limited
      ? `at ${mebibytes(facts.maxMemory)} it throws keys away (${facts.evictionPolicy}), jobs among them`
      : `it would throw keys away (${facts.evictionPolicy}), if it had a memory limit`,
    fix: 'Set "maxmemory-policy noeviction"; a full Redis then refuses new jobs and keeps the others.',
  };
}

function memory(facts: RedisFacts): RedisFinding {
  const { maxMemory, usedMemory } = facts;
  if (maxMemory === 0) return { check: 'memory', status: 'ok', detail: `${mebibytes(usedMemory)}, no limit` };
  const detail = `${mebibytes(usedMemory)} of ${mebibytes(maxMemory)}`;
  if (usedMemory <= ALMOST_FULL * maxMemory) return { check: 'memory', status: 'ok', detail };
  return {
    check: 'memory',
    status: 'warn',
    detail: `${detail}: soon it refuses new jobs`,
    fix: 'Raise maxmemory, collect results, or shorten their retention.',
  };
}

function clock({ clock: { offsetMs, uncertaintyMs } }: RedisFacts, side: Side): RedisFinding {
  const seconds = (offsetMs / 1000).toFixed(1);
  const sure = Math.abs(offsetMs) - uncertaintyMs;
  if (sure < SKEW_WARN_MS) {
    return { check: 'clock', status: 'ok', detail: `${Math.round(offsetMs)} ms from ours` };
  }
  return {
    check: 'clock',
    status: side === 'worker' && sure >= SKEW_REFUSE_MS ? 'refuse' : 'warn',
    detail: `its clock is ${seconds} s from ours: delays and ages are off by as much`,
    fix: 'Set both clocks by NTP.',
  };
}

const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;

/** Every check, in the order in which they matter. `allowVolatile`: a Redis without persistence is only warned of. */
export function checkRedis(
  facts: RedisFacts,
  options: { allowVolatile: boolean; side: Side },
): RedisFinding[] {
  return [
    version(facts),
    role(facts),
    persistence(facts, options.allowVolatile),
    eviction(facts),
    memory(facts),
    clock(facts, options.side),
  ];
}

/** Throws QUEUE_UNUSABLE with all that refuses; QUEUE_UNAVAILABLE for a server that is still loading its data. */
export function refuseUnfit(where: string, facts: RedisFacts, findings: readonly RedisFinding[]): void {
  if (facts.loading) {
    throw new PragauraError('QUEUE_UNAVAILABLE', `Redis at ${where} is still loading its data.`, {
      hint: 'Try again when it has come up.',
    });
  }
  const refused = findings.filter(({ status }) => status === 'refuse');
  if (refused.length === 0) return;
  throw new PragauraError(
    'QUEUE_UNUSABLE',
    `Redis at ${where} cannot hold the queue: ${refused.map(({ detail }) => detail).join('; ')}.`,
    { hint: refused.map(({ fix }) => fix).join(' ') },
  );
}
