/** Where the hub is, where its files are kept, and whether it may be asked: the variables of huggingface_hub. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { PragauraError } from '../../errors.ts';

export interface HubSettings {
  /** As it was given, see `checkedEndpoint`. */
  endpoint: string;
  /** The folder of `models--…`, shared with every other tool that keeps to the layout. */
  cacheDir: string;
  /** Hashes of files that were trusted on their first use. Ours alone, and outlives the cache. */
  trustFile: string;
  token: string | undefined;
  offline: boolean;
  /** Milliseconds without a byte after which a connection counts as broken. */
  idleMs: number;
}

const YES = /^(1|on|yes|true)$/i;
const DEFAULT_IDLE_S = 30;

/**
 * HF_ENDPOINT, HF_HUB_CACHE (or HUGGINGFACE_HUB_CACHE), HF_HOME, XDG_CACHE_HOME, HF_TOKEN, HF_HUB_OFFLINE (or
 * TRANSFORMERS_OFFLINE), HF_HUB_DOWNLOAD_TIMEOUT; and XDG_STATE_HOME for our own record of trust. A token is taken
 * from the environment only. Nothing is checked here: files that are here already need no hub.
 */
export function hubSettings(env: NodeJS.ProcessEnv = process.env): HubSettings {
  const given = (...names: string[]): string | undefined =>
    names.map((name) => env[name]?.trim()).find((value) => value !== undefined && value !== '');
  const folder = (path: string): string => resolve(path.replace(/^~(?=\/|$)/, homedir()));

  const caches = given('XDG_CACHE_HOME') ?? join(homedir(), '.cache');
  const home = given('HF_HOME') ?? join(caches, 'huggingface');
  const state = given('XDG_STATE_HOME') ?? join(homedir(), '.local', 'state');
  const seconds = Number(given('HF_HUB_DOWNLOAD_TIMEOUT') ?? DEFAULT_IDLE_S);
  return {
    endpoint: given('HF_ENDPOINT') ?? 'https://huggingface.co',
    cacheDir: folder(given('HF_HUB_CACHE', 'HUGGINGFACE_HUB_CACHE') ?? join(home, 'hub')),
    trustFile: join(folder(state), 'pragaura', 'trusted-models.json'),
    token: given('HF_TOKEN'),
    offline: [given('HF_HUB_OFFLINE'), given('TRANSFORMERS_OFFLINE')].some(
      (v) => v !== undefined && YES.test(v),
    ),
    idleMs: 1000 * (seconds > 0 && Number.isFinite(seconds) ? seconds : DEFAULT_IDLE_S),
  };
}

/** Without a slash at its end. Throws CONFIGURATION for an endpoint that is no http(s) address. */
export function checkedEndpoint(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '') {
    return endpoint.replace(/\/+$/, '');
  }
  throw new PragauraError('CONFIGURATION', `HF_ENDPOINT is no address of a hub: ${endpoint}`, {
    hint: 'For example https://huggingface.co, or the mirror that your network reaches.',
  });
}
