/** Where Redis is: from a URL to what is connected to, and to words that hold no password. */
import { PragauraError } from '../../common/index.ts';

export const DEFAULT_REDIS = 'redis://127.0.0.1:6379';

export interface RedisTarget {
  kind: 'single' | 'sentinel' | 'cluster';
  nodes: { host: string; port: number }[];
  tls: boolean;
  username: string | undefined;
  password: string | undefined;
  /** Number of the database; a Cluster has one only. */
  db: number;
  /** Sentinel: the name of the master. */
  master: string | undefined;
  /** Sentinel: the password of the sentinels themselves. */
  sentinelPassword: string | undefined;
  /** Safe to log. */
  shown: string;
}

const HINT =
  'Write redis://HOST:PORT, rediss:// for TLS, redis+sentinel://HOST:PORT,HOST:PORT/MASTER or redis+cluster://HOST:PORT,HOST:PORT.';
const KINDS = new Map<string, { kind: RedisTarget['kind']; tls: boolean; port: number }>([
  ['redis', { kind: 'single', tls: false, port: 6379 }],
  ['rediss', { kind: 'single', tls: true, port: 6379 }],
  ['redis+sentinel', { kind: 'sentinel', tls: false, port: 26379 }],
  ['rediss+sentinel', { kind: 'sentinel', tls: true, port: 26379 }],
  ['redis+cluster', { kind: 'cluster', tls: false, port: 6379 }],
  ['rediss+cluster', { kind: 'cluster', tls: true, port: 6379 }],
]);
const SHAPE = /^([a-z+]+):\/\/(?:([^@/?]*)@)?([^/?@]+)(?:\/([^?]*))?(?:\?(.*))?$/i;

/** Throws USAGE for what is no such URL; the message never repeats the URL, which may hold a password. */
export function parseTarget(url: string): RedisTarget {
  const match = SHAPE.exec(url.trim());
  const scheme = match && KINDS.get(match[1]!.toLowerCase());
  if (!match || !scheme) throw wrong('it is no Redis URL');
  const [, , credentials, hosts, path = '', query = ''] = match;
  const nodes = hosts!.split(',').map((host) => nodeFrom(host, scheme.port));
  if (scheme.kind === 'single' && nodes.length > 1) throw wrong('it names several hosts');
  const [username, password] = credentialsFrom(credentials);
  const master = scheme.kind === 'sentinel' ? decoded(path) : undefined;
  if (master === '') throw wrong('it does not name the master after the hosts of the sentinels');
  const parameters = new URLSearchParams(query);
  const db = databaseFrom(scheme.kind === 'single' ? path : (parameters.get('db') ?? ''));
  if (scheme.kind === 'cluster' && (db !== 0 || path !== '')) throw wrong('a Cluster has one database only');
  const tail = scheme.kind === 'sentinel' ? `/${path}` : db === 0 ? '' : `/${db}`;
  return {
    kind: scheme.kind,
    nodes,
    tls: scheme.tls,
    username,
    password,
    db,
    master,
    sentinelPassword: parameters.get('sentinelPassword') ?? undefined,
    shown: `${match[1]}://${nodes.map(({ host, port }) => `${host}:${port}`).join(',')}${tail}`,
  };
}

function wrong(why: string): PragauraError {
  return new PragauraError('USAGE', `The Redis URL does not fit: ${why}.`, { hint: HINT });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong('a "%" in it is not followed by two hexadecimal digits');
  }
}

function nodeFrom(text: string, port: number): { host: string; port: number } {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/i.exec(text);
  const number = Number(match?.[3] ?? port);
  if (!match || number < 1 || number > 65_535) throw wrong('a host in it is not HOST or HOST:PORT');
  return { host: (match[1] ?? match[2])!, port: number };
}

function credentialsFrom(text: string | undefined): [string | undefined, string | undefined] {
  if (text === undefined || text === '') return [undefined, undefined];
  const colon = text.indexOf(':');
  if (colon === -1) throw wrong('a password has a colon in front, redis://:PASSWORD@HOST');
  return [colon === 0 ? undefined : decoded(text.slice(0, colon)), decoded(text.slice(colon + 1))];
}

function databaseFrom(text: string): number {
  if (text === '') return 0;
  if (!/^\d{1,5}$/.test(text)) throw wrong('its database is no number');
  return Number(text);
}
