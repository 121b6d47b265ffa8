/** A hub and its content network on this machine, with the faults that real ones have. Tests only. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
export const gitHash = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

/** Above this many bytes a file lies on the content network, named by its sha256; below on the hub, by its git hash. */
const SMALL = 1000;

export interface Repository {
  /** Files by commit, and the commit of each branch and tag. */
  commits: Record<string, Record<string, Uint8Array>>;
  refs: Record<string, string>;
  gated?: boolean;
  private?: boolean;
}

export interface Fault {
  /** `look`: HEAD on the hub; `get`: GET on the hub; `cdn`: GET on the content network. */
  on: 'look' | 'get' | 'cdn';
  /** How often; default once. */
  times?: number;
  status?: number;
  headers?: Record<string, string>;
  /** The connection breaks after so many bytes of the answer. */
  breakAfter?: number;
  /** No byte comes after so many. */
  stallAfter?: number;
  /** Answers with the whole file though a part was asked for. */
  ignoreRange?: boolean;
  /** Other bytes of the same length. */
  corrupt?: boolean;
  /** Bytes too many. */
  longer?: number;
}

export interface Seen {
  on: Fault['on'];
  path: string;
  range: string | undefined;
  authorization: string | undefined;
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });
}

export class HubServer {
  readonly repositories = new Map<string, Repository>();
  readonly seen: Seen[] = [];
  faults: Fault[] = [];
  /** What private repositories open to. */
  token = 'hf_right';
  url = '';
  #cdn = '';
  readonly #hubServer = createServer((request, response) => this.#hub(request, response));
  readonly #cdnServer = createServer((request, response) => this.#content(request, response));

  static async start(): Promise<HubServer> {
    const hub = new HubServer();
    hub.url = await listen(hub.#hubServer);
    hub.#cdn = await listen(hub.#cdnServer);
    return hub;
  }

  async stop(): Promise<void> {
    for (const server of [this.#hubServer, this.#cdnServer]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  count(on: Fault['on']): number {
    return this.seen.filter((request) => request.on === on).length;
  }

  #see(on: Fault['on'], { url, headers }: IncomingMessage): Fault | undefined {
    this.seen.push({ on, path: url ?? '', range: headers.range, authorization: headers.authorization });
    const fault = this.faults.find((one) => one.on === on && (one.times ?? 1) > 0);
    if (fault !== undefined) fault.times = (fault.times ?? 1) - 1;
    return fault;
  }

  #hub(request: IncomingMessage, response: ServerResponse): unknown {
    const fault = this.#see(request.method === 'HEAD' ? 'look' : 'get', request);
    const refuse = (status: number, code: string): unknown =>
      response.writeHead(status, { 'x-error-code': code }).end();
    if (fault?.status !== undefined) {
      response.writeHead(fault.status, fault.headers ?? {}).end();
      return;
    }
    const [, repo = '', revision = '', path = ''] =
      /^\/(?:cache\/)?([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(decodeURI(request.url ?? '')) ?? [];
    const repository = this.repositories.get(repo);
    const isKnown = request.headers.authorization === `Bearer ${this.token}`;
    if (repository === undefined || (repository.private && !isKnown))
      return refuse(isKnown ? 404 : 401, 'RepoNotFound');
    if (repository.gated && !isKnown) return refuse(401, 'GatedRepo');
    const commit = repository.refs[decodeURIComponent(revision)] ?? revision;
    const files = repository.commits[commit];
    if (files === undefined) return refuse(404, 'RevisionNotFound');
    const bytes = files[path];
    if (bytes === undefined) return refuse(404, 'EntryNotFound');
    response.setHeader('x-repo-commit', commit);
    if (bytes.length > SMALL) {
      const sha = sha256(bytes);
      response.setHeader('x-linked-etag', `"${sha}"`).setHeader('x-linked-size', bytes.length);
      for (const [name, value] of Object.entries(fault?.headers ?? {})) response.setHeader(name, value);
      const location = `${this.#cdn}/${repo}/${commit}/${path}?signature=abc`;
      response
        .writeHead(302, {
          etag: '"of-the-redirect"',
          ...(response.hasHeader('location') ? {} : { location }),
        })
        .end();
    } else if (request.url?.startsWith('/cache/')) {
      for (const [name, value] of Object.entries(fault?.headers ?? {})) response.setHeader(name, value);
      response.setHeader('etag', response.getHeader('etag') ?? `"${gitHash(bytes)}"`);
      this.#serve(request, response, bytes, fault);
    } else response.writeHead(307, { location: `/cache${request.url}` }).end();
  }

  #content(request: IncomingMessage, response: ServerResponse): void {
    const fault = this.#see('cdn', request);
    const [, repo = '', commit = '', path = ''] =
      /^\/([^/]+\/[^/]+)\/([^/]+)\/([^?]+)/.exec(request.url ?? '') ?? [];
    const bytes = this.repositories.get(repo)?.commits[commit]?.[path];
    if (fault?.status !== undefined) response.writeHead(fault.status, fault.headers ?? {}).end();
    else if (bytes === undefined) response.writeHead(404).end();
    else this.#serve(request, response.setHeader('etag', '"of-the-content-network"'), bytes, fault);
  }

  #serve(
    request: IncomingMessage,
    response: ServerResponse,
    whole: Uint8Array,
    fault: Fault | undefined,
  ): unknown {
    let bytes: Buffer = Buffer.from(whole);
    if (fault?.corrupt) bytes = Buffer.from(bytes.map((byte) => byte ^ 1));
    if (fault?.longer !== undefined) bytes = Buffer.concat([bytes, Buffer.alloc(fault.longer)]);
    const [, from = ''] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
    if (from !== '' && !fault?.ignoreRange) {
      if (Number(from) >= bytes.length) return response.writeHead(416).end();
      response.setHeader('content-range', `bytes ${from}-${bytes.length - 1}/${bytes.length}`).statusCode =
        206;
      bytes = bytes.subarray(Number(from));
    }
    response.setHeader('content-length', bytes.length);
    if (request.method === 'HEAD') return response.end();
    const limit = fault?.breakAfter ?? fault?.stallAfter;
    if (limit === undefined) return response.end(bytes);
    response.write(bytes.subarray(0, limit), () => {
      if (fault?.breakAfter !== undefined) setImmediate(() => response.destroy());
    });
  }
}
