/** HTTP with a hub: what a file is, and its bytes from some place on. */
import type { Readable } from 'node:stream';
import { type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { messageOf, Passing, PragauraError, type RetryPolicy, withRetries } from '../../common/index.ts';
import { COMMIT } from './cache.ts';
import { type Address, aborted, checkAborted, RETRIES, refusal } from './refusals.ts';
import { checkedEndpoint, checkToken, type HubSettings, proxies } from './settings.ts';

/** What the hub says of a file before it is fetched. */
export interface FileOnHub extends Address {
  commit: string;
  /** For large files their sha256, for small ones the hash that git gives them; some mirrors have other ones. */
  etag: string;
  bytes: number;
}

export interface Body {
  /** Where in the file the bytes begin: 0 when the server does not serve parts. */
  from: number;
  stream: Readable;
}

export interface HubOptions {
  signal?: AbortSignal | undefined;
  announce?: (message: string) => void;
  retries?: RetryPolicy;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 5;
/** Names a file in the cache: no slash, no leading dot. */
const SAFE_ETAG = /^[\w-][\w.-]{0,127}$/;

type Reply = Dispatcher.ResponseData;

export class Hub {
  readonly settings: HubSettings;
  readonly #dispatcher: EnvHttpProxyAgent;
  readonly #options: HubOptions;

  /** Throws CONFIGURATION for an endpoint, a token or a proxy that is none: whoever makes a hub is going to ask it. */
  constructor(settings: HubSettings, options: HubOptions = {}) {
    this.settings = { ...settings, endpoint: checkedEndpoint(settings.endpoint) };
    checkToken(settings.token);
    this.#options = options;
    const { idleMs } = settings;
    // Reads NO_PROXY too; Node's own fetch knows nothing of proxies.
    this.#dispatcher = new EnvHttpProxyAgent({
      ...proxies(),
      headersTimeout: idleMs,
      bodyTimeout: idleMs,
      connect: { timeout: idleMs },
    });
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  /** Runs `attempt` with this hub's patience; see `withRetries`. */
  async patiently<T>(attempt: () => Promise<T>): Promise<T> {
    return await withRetries(this.#options.retries ?? RETRIES, attempt, { ...this.#options, aborted });
  }

  /**
   * Throws HUB_UNAVAILABLE when there is no such file, no access or no answer; what looks as if it might pass is
   * tried again.
   */
  async look(repo: string, revision: string, path: string): Promise<FileOnHub> {
    const address = { repo, revision, path };
    return await this.patiently(async () => {
      const reply = await this.#send('HEAD', address, this.#url(address), 0, isSameOrigin);
      await reply.body.dump();
      const header = (name: string): string | undefined => one(reply.headers[name]);
      const commit = header('x-repo-commit') ?? '';
      const etag = (header('x-linked-etag') ?? header('etag') ?? '')
        .replace(/^W\//, '')
        .replace(/^"|"$/g, '');
      const bytes = Number(header('x-linked-size') ?? header('content-length') ?? Number.NaN);
      if (COMMIT.test(revision) && COMMIT.test(commit) && commit !== revision) {
        throw refusal(address, this.settings, `answers with another commit, ${commit}`);
      }
      if (COMMIT.test(commit) && SAFE_ETAG.test(etag) && Number.isSafeInteger(bytes) && bytes >= 0) {
        return { ...address, commit, etag, bytes };
      }
      throw new PragauraError('HUB_UNAVAILABLE', `${this.settings.endpoint} does not answer as a hub does.`, {
        hint: 'Does HF_ENDPOINT name a Hugging Face hub or a full mirror of it? Is there a proxy that strips headers?',
      });
    });
  }

  /** The bytes of a file from `from` on; throws `Passing` or HUB_UNAVAILABLE. */
  async open(file: FileOnHub, from: number): Promise<Body> {
    const address = { ...file, revision: file.commit };
    const reply = await this.#send('GET', address, this.#url(address), from, () => true);
    if (reply.statusCode === 206 && from > 0) {
      const [, start, , total] =
        /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(one(reply.headers['content-range']) ?? '') ?? [];
      if (Number(start) === from && (total === '*' || Number(total) === file.bytes))
        return { from, stream: reply.body };
      discard(reply.body);
      throw refusal(address, this.settings, 'sends another part than the one asked for');
    }
    return { from: 0, stream: reply.body };
  }

  #url({ repo, revision, path }: Address): URL {
    const parts = path.split('/').map(encodeURIComponent).join('/');
    return new URL(`${this.settings.endpoint}/${repo}/resolve/${encodeURIComponent(revision)}/${parts}`);
  }

  /**
   * Follows redirects that `follow` allows. The token goes to the endpoint's own origin only, and no redirect leads
   * from https to http.
   */
  async #send(
    method: 'HEAD' | 'GET',
    address: Address,
    url: URL,
    from: number,
    follow: (from: URL, to: URL) => boolean,
  ): Promise<Reply> {
    let at = url;
    for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
      const reply = await this.#once(method, address, at, from);
      const location = REDIRECTS.has(reply.statusCode) ? one(reply.headers.location) : undefined;
      if (location === undefined) {
        if (reply.statusCode < 300) return reply;
        await reply.body.dump();
        throw refusal(address, this.settings, reply.statusCode, reply.headers);
      }
      const next = URL.canParse(location, at.href) ? new URL(location, at) : null;
      if (
        next === null ||
        !/^https?:$/.test(next.protocol) ||
        (at.protocol === 'https:' && next.protocol !== 'https:')
      ) {
        discard(reply.body);
        throw refusal(address, this.settings, 'redirects to an address that is not safe');
      }
      if (!follow(at, next)) return reply;
      await reply.body.dump();
      at = next;
    }
    throw refusal(address, this.settings, 'redirects without end');
  }

  async #once(method: 'HEAD' | 'GET', address: Address, url: URL, from: number): Promise<Reply> {
    const { token, endpoint } = this.settings;
    const { signal } = this.#options;
    checkAborted(signal);
    try {
      return await request(url, {
        method,
        dispatcher: this.#dispatcher,
        signal: signal ?? null,
        headers: {
          'user-agent': 'pragaura',
          'accept-encoding': 'identity',
          ...(from > 0 ? { range: `bytes=${from}-` } : {}),
          ...(token !== undefined && isSameOrigin(url, new URL(endpoint))
            ? { authorization: `Bearer ${token}` }
            : {}),
        },
      });
    } catch (error) {
      if (signal?.aborted) throw aborted(error);
      throw unreachable(address, url, error);
    }
  }
}

/** What a broken connection is made into: it may pass. */
export function unreachable(address: Address, url: URL | null, error: unknown, progress = false): Passing {
  const host = url === null ? 'the server' : url.host;
  const reason = messageOf(error) || String((error as { code?: unknown }).code);
  return new Passing(
    new PragauraError(
      'HUB_UNAVAILABLE',
      `${address.path} of ${address.repo}: no answer from ${host} (${reason}).`,
      {
        hint: 'Is there a network, a proxy (HTTPS_PROXY) or a mirror (HF_ENDPOINT)? The same command goes on where it stopped.',
        cause: error,
      },
    ),
    { progress },
  );
}

function isSameOrigin(a: URL, b: URL): boolean {
  return a.origin === b.origin;
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** Drops the rest of a body; what it says of being dropped is of no interest. */
export function discard(stream: Readable): void {
  stream.on('error', () => {});
  stream.destroy();
}
