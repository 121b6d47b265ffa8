/** Where the hub is, where its files are kept, and whether it may be asked: the variables of huggingface_hub. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { PragauraError } from '../../common/index.ts';

export interface HubSettings {
  /** As it was given, see `checkedEndpoint`. */
  endpoint: string;
  /** The folder of `models--…`, shared with every other tool that keeps to the layout. */
  cacheDir: string;
  /** Hashes of files that were trusted on their first use. Ours alone, and outlives the cache. */
  trustFile: string;
  token: string | undefined;
  /** The variable that forbids to ask the hub; null when none does. */
  offline: string | null;
  /** Milliseconds without a byte after which a connection counts as broken. */
  idleMs: number;
}

const YES = /^(1|on|yes|true)$/i;
const DEFAULT_IDLE_S = 30;

/**
 * HF_ENDPOINT, HF_HUB_CACHE (or HUGGINGFACE_HUB_CACHE), HF_HOME, XDG_CACHE_HOME, HF_TOKEN, HF_HUB_OFFLINE (or, where that
 * is not set, TRANSFORMERS_OFFLINE), HF_HUB_DOWNLOAD_TIMEOUT; and XDG_STATE_HOME for our own record of trust. A token is taken
 * from the environment only. Nothing is checked here: files that are here already need no hub.
 */
export function hubSettings(env: NodeJS.ProcessEnv = process.env): HubSettings {
  const given = (...names: string[]): string | undefined =>
    names.map((name) => env[name]?.trim()).find((value) => value !== undefined && value !== '');
  const folder = (path: string): string => resolve(path.replace(/^~(?=\/|$)/, homedir()));

  const caches = given('XDG_CACHE_HOME') ?? join(homedir(), '.cache');
  const home = given('HF_HOME') ?? join(caches, 'huggingface');
  const state = given('XDG_STATE_HOME') ?? join(homedir(), '.local', 'state');
  const offline = ['HF_HUB_OFFLINE', 'TRANSFORMERS_OFFLINE'].find((name) => given(name) !== undefined);
  const seconds = Number(given('HF_HUB_DOWNLOAD_TIMEOUT') ?? DEFAULT_IDLE_S);
  return {
    endpoint: given('HF_ENDPOINT') ?? 'https://huggingface.co',
    cacheDir: folder(given('HF_HUB_CACHE', 'HUGGINGFACE_HUB_CACHE') ?? join(home, 'hub')),
    trustFile: join(folder(state), 'pragaura', 'trusted-models.json'),
    token: given('HF_TOKEN'),
    offline: offline !== undefined && YES.test(given(offline)!) ? offline : null,
    idleMs: 1000 * (seconds > 0 && Number.isFinite(seconds) ? seconds : DEFAULT_IDLE_S),
  };
}

/** Without a slash at its end. Throws CONFIGURATION for an endpoint that is no http(s) address. */
export function checkedEndpoint(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  // Paths are added to it: after a ? or # they would count for nothing.
  const isPlain = !/[?#]/.test(endpoint) && url?.username === '' && url.password === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return endpoint.replace(/\/+$/, '');
  const shown = endpoint.replace(/^(\w+:\/\/)?.*@/s, '$1…@');
  throw new PragauraError('CONFIGURATION', `HF_ENDPOINT is no address of a hub: ${shown}`, {
    hint: 'For example https://huggingface.co, or the mirror that your network reaches; without user, ? and #.',
  });
}

/** Throws CONFIGURATION, without saying it, for a token that no request can carry. */
export function checkToken(token: string | undefined): void {
  if (token === undefined || /^[!-~]+$/.test(token)) return;
  throw new PragauraError('CONFIGURATION', 'HF_TOKEN holds characters that no token has.', {
    hint: 'A token is one word of letters, digits and _. Without HF_TOKEN what is public can be pulled.',
  });
}

/**
 * The proxies of HTTP_PROXY and HTTPS_PROXY, or of their lower-case twins, which come first; empty where there is none.
 * Throws CONFIGURATION, naming the variable and not its value, for an address that is none.
 */
export function proxies(env: NodeJS.ProcessEnv = process.env): { httpProxy: string; httpsProxy: string } {
  return { httpProxy: proxyOf(env, 'http_proxy'), httpsProxy: proxyOf(env, 'https_proxy') };
}

function proxyOf(env: NodeJS.ProcessEnv, variable: string): string {
  const name = env[variable] === undefined ? variable.toUpperCase() : variable;
  const given = env[name]?.trim() ?? '';
  if (given === '') return '';
  // As curl takes it.
  const address = given.includes('://') ? given : `http://${given}`;
  try {
    const { protocol, username, password } = new URL(address);
    decodeURIComponent(username + password);
    if (/^(?:https?|socks5?):$/.test(protocol)) return address;
  } catch {
    // Refused below: what was thrown may hold a password.
  }
  throw new PragauraError('CONFIGURATION', `${name} is no address of a proxy.`, {
    hint: 'For example http://proxy.example:3128; a % in its password is written %25.',
  });
}
