import { PragauraError } from '../../../common/index.ts';
import { engineIn, nameOf } from '../address.ts';

/** Where an OpenSearch is, and how indexes are laid out there. */
export interface Address {
  /** Nodes of one cluster; the first credentials among them are sent to each. */
  nodes: URL[];
  /** Without credentials. */
  shown: string;
  shards: number;
  /** Copies of each shard; null: one where there is a second node. */
  replicas: number | null;
}

const EXAMPLE =
  'For example --backend opensearch=http://localhost:9200, or opensearch=https://USER:PASSWORD@A:9200,https://B:9200?shards=3&replicas=1';

function wrong(message: string): PragauraError {
  return new PragauraError('USAGE', message, { hint: EXAMPLE });
}

/** The whole number of a parameter. Throws USAGE. */
function numberIn(parameters: URLSearchParams, name: string, least: number, most: number): number | null {
  const text = parameters.get(name);
  if (text === null) return null;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw wrong(`--backend: ${name} is a whole number from ${least} to ${most}.`);
}

/** "opensearch=URL" or "opensearch=URL,URL" as what it says. Throws USAGE, in which no credentials are. */
export function addressFrom(backend: string): Address {
  const { address: addresses } = engineIn(backend);
  const [urls = '', query = '', ...rest] = addresses.split('?');
  if (rest.length > 0) throw wrong('--backend: parameters stand once, behind the last URL.');
  const nodes = urls.split(',').map(nodeFrom);
  const parameters = new URLSearchParams(query);
  const unknown = [...parameters.keys()].find((name) => name !== 'shards' && name !== 'replicas');
  if (unknown !== undefined) throw wrong(`--backend: there is no parameter "${unknown}".`);
  const shards = numberIn(parameters, 'shards', 1, 1_024) ?? 1;
  const replicas = numberIn(parameters, 'replicas', 0, 16);
  const twice = nodes.find(({ host }, i) => nodes.findIndex((other) => other.host === host) !== i);
  if (twice !== undefined) throw wrong(`--backend names ${twice.host} twice.`);
  return { nodes, shown: nodes.map(shownOf).join(','), shards, replicas };
}

function nodeFrom(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw wrong('--backend: that is no http or https URL, or one of several is none.');
  if (url.pathname !== '/')
    throw wrong('--backend: a URL ends with the port; --index or --out names the index.');
  url.hash = '';
  return url;
}

function shownOf(node: URL): string {
  const shown = new URL(node);
  shown.username = '';
  shown.password = '';
  return shown.href.replace(/\/$/, '');
}

/**
 * The alias of an index: the last part of the path by which it is named. Throws USAGE for what OpenSearch cannot name an
 * index by.
 */
export function aliasOf(index: string): string {
  const name = nameOf(index);
  if (/^[a-z0-9][a-z0-9._-]{0,99}$/.test(name)) return name;
  throw new PragauraError('USAGE', `OpenSearch cannot have an index called "${name}".`, {
    hint: 'Names there have small letters, digits, ".", "_" and "-", and begin with a letter or digit.',
  });
}
