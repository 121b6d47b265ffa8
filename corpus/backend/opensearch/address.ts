import { PragauraError } from '../../../common/index.ts';

/** Where an OpenSearch is, and how indexes are laid out there. */
export interface Address {
  /** With credentials, where there are any. */
  node: URL;
  /** Without them. */
  shown: string;
  shards: number;
  /** Copies of each shard; null: one where there is a second node. */
  replicas: number | null;
}

const EXAMPLE =
  'For example --backend opensearch=http://localhost:9200, or opensearch=https://USER:PASSWORD@HOST:9200?shards=3&replicas=1';

function wrong(message: string): PragauraError {
  return new PragauraError('USAGE', message, { hint: EXAMPLE });
}

/** The whole number of a parameter. Throws USAGE. */
function numberIn(url: URL, name: string, least: number, most: number): number | null {
  const text = url.searchParams.get(name);
  if (text === null) return null;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw wrong(`--backend: ${name} is a whole number from ${least} to ${most}.`);
}

/** "opensearch=URL" as what it says. Throws USAGE, in which no credentials are. */
export function addressFrom(backend: string): Address {
  const [, engine, address] = /^([a-z]+)=(.+)$/s.exec(backend) ?? [];
  if (engine !== 'opensearch' || address === undefined) {
    throw wrong('--backend names an engine and where it is; engines are: opensearch.');
  }
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw wrong('--backend: that is no http or https URL.');
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'shards' && name !== 'replicas');
  if (unknown !== undefined) throw wrong(`--backend: there is no parameter "${unknown}".`);
  if (url.pathname !== '/')
    throw wrong('--backend: the URL ends with the port; --index or --out names the index.');
  const shards = numberIn(url, 'shards', 1, 1_024) ?? 1;
  const replicas = numberIn(url, 'replicas', 0, 16);
  const node = new URL(url);
  node.search = '';
  node.hash = '';
  const shown = new URL(node);
  shown.username = '';
  shown.password = '';
  return { node, shown: shown.href.replace(/\/$/, ''), shards, replicas };
}

/**
 * The alias of an index: the last part of the path by which it is named. Throws USAGE for what OpenSearch cannot name an
 * index by.
 */
export function aliasOf(index: string): string {
  const name = index
    .replace(/[\\/]+$/, '')
    .split(/[\\/]/)
    .at(-1)!;
  if (/^[a-z0-9][a-z0-9._-]{0,99}$/.test(name)) return name;
  throw new PragauraError('USAGE', `OpenSearch cannot have an index called "${name}".`, {
    hint: 'Names there have small letters, digits, ".", "_" and "-", and begin with a letter or digit.',
  });
}
