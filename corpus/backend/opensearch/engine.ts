/** Requests to an OpenSearch: whole answers, or typed errors. */
import { Client, errors } from '@opensearch-project/opensearch';
import { messageOf, PragauraError } from '../../../common/index.ts';
import { cancelled } from '../cancelled.ts';
import type { Address } from './address.ts';

/** Milliseconds that a read may take where its caller sets no time, and one that writes. */
const READ_MS = 10_000;
const WRITE_MS = 120_000;
/** Major version from which on mappings and k-NN filters are as they are used here. */
const LEAST_MAJOR = 3;
const PLUGIN = 'opensearch-knn';

export interface Asked {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: object;
  /** Lines of a request of several. */
  lines?: readonly object[];
  query?: Record<string, string | number | boolean>;
  /** A status that is an answer and no error. */
  allowed?: number;
  /** It changes something: it may take longer and is not sent twice. */
  writes?: true;
  signal?: AbortSignal | undefined;
  /** Milliseconds that a read may take. Whoever says so tries again by himself; else other nodes are asked when one fails. */
  ms?: number | undefined;
}

export interface Reply<T> {
  status: number;
  body: T;
}

export class Engine {
  readonly shown: string;
  readonly client: Client;
  readonly #others: number;

  /** Connects when it is first asked. */
  constructor({ nodes, shown }: Pick<Address, 'nodes' | 'shown'>) {
    this.client = new Client({ nodes: nodes.map(({ href }) => href.replace(/\/$/, '')) });
    this.#others = Math.max(1, nodes.length - 1);
    this.shown = shown;
  }

  /** Throws BACKEND_UNAVAILABLE, BACKEND_UNUSABLE and ABORTED. */
  async ask<T>({ method, path, body, lines, query, allowed, writes, signal, ms }: Asked): Promise<Reply<T>> {
    if (signal?.aborted) throw cancelled(signal);
    const request = this.client.transport.request(
      {
        method,
        path,
        ...(body && { body }),
        ...(lines && { bulkBody: lines as object[] }),
        ...(query && { querystring: query }),
      },
      {
        requestTimeout: ms ?? (writes ? WRITE_MS : READ_MS),
        maxRetries: writes || ms !== undefined ? 0 : this.#others,
        ...(allowed && { ignore: [allowed] }),
      },
    );
    // What it returns is a promise, which would be thrown at the process where it is not caught.
    const stop = () => {
      (request as { abort?(): void }).abort?.();
    };
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const { statusCode, body: answer } = await request;
      return { status: statusCode ?? 0, body: answer as T };
    } catch (error) {
      throw signal?.aborted ? cancelled(signal) : this.typed(error);
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Throws BACKEND_UNAVAILABLE where nothing answers, BACKEND_UNUSABLE where it is none, too old, or has no k-NN. */
  async check(): Promise<{ version: string }> {
    const { body } = await this.ask<{ version?: { distribution?: string; number?: string } }>({
      method: 'GET',
      path: '/',
    });
    const { distribution, number: version = '' } = body?.version ?? {};
    if (distribution !== 'opensearch') {
      throw new PragauraError('BACKEND_UNUSABLE', `What answers at ${this.shown} is no OpenSearch.`, {
        hint: 'Name an OpenSearch with --backend opensearch=URL.',
      });
    }
    if (!(Number(version.split('.')[0]) >= LEAST_MAJOR)) {
      throw new PragauraError(
        'BACKEND_UNUSABLE',
        `The OpenSearch at ${this.shown} is of version ${version}.`,
        {
          hint: `Versions from ${LEAST_MAJOR}.0 on can hold an index.`,
        },
      );
    }
    const { body: rows } = await this.ask<{ component: string }[]>({
      method: 'GET',
      path: '/_cat/plugins',
      query: { format: 'json', h: 'component' },
    });
    if (!rows.some(({ component }) => component === PLUGIN)) {
      throw new PragauraError('BACKEND_UNUSABLE', `The OpenSearch at ${this.shown} has no k-NN plugin.`, {
        hint: `Install it on every node, in the engine's version: bin/opensearch-plugin install ${PLUGIN}`,
      });
    }
    return { version };
  }

  close(): Promise<void> {
    return this.client.close();
  }

  unavailable(message: string, hint: string, cause?: unknown): PragauraError {
    return new PragauraError('BACKEND_UNAVAILABLE', message, { hint, ...(cause !== undefined && { cause }) });
  }

  /** For an answer that says nothing of a part of the index. */
  notWhole(what: string): PragauraError {
    return this.unavailable(
      `The OpenSearch at ${this.shown} did not look at all of the index: ${what}.`,
      'See its health (GET /_cluster/health) and its log, and ask again.',
    );
  }

  #readOnly(cause?: unknown): PragauraError {
    return this.unavailable(
      `The OpenSearch at ${this.shown} takes no more writes: a disk is over its watermark, or an index is set read-only.`,
      'Make room on its disks; it lifts the block by itself below the watermark, or set index.blocks.read_only_allow_delete to null.',
      cause,
    );
  }

  /** For one of several writes that was not done. */
  refused(error: object | undefined): PragauraError {
    if (isBlock(error)) return this.#readOnly();
    return this.unavailable(
      `The OpenSearch at ${this.shown} refused to write: ${JSON.stringify(error).slice(0, 300)}`,
      'See its disks and its log, and try again.',
    );
  }

  /** Whatever a request threw, as what it means. */
  typed(error: unknown): PragauraError {
    const at = `The OpenSearch at ${this.shown}`;
    if (error instanceof errors.TimeoutError) {
      return this.unavailable(
        `${at} took too long to answer.`,
        'See whether it is overloaded, and ask again.',
        error,
      );
    }
    if (!(error instanceof errors.ResponseError)) {
      return this.unavailable(
        `${at} does not answer: ${messageOf(error)}.`,
        'Start it, or name another one with --backend opensearch=URL.',
        error,
      );
    }
    const status = error.statusCode ?? 0;
    if (status === 401 || status === 403) {
      if (isBlock(error.body)) return this.#readOnly(error);
      return new PragauraError('BACKEND_UNUSABLE', `${at} refuses who asks (${status}).`, {
        hint: 'Give a user that may read and write its indexes: opensearch=https://USER:PASSWORD@HOST:PORT, best in PRAGAURA_BACKEND.',
        cause: error,
      });
    }
    if (status === 404) {
      return this.unavailable(
        `${at} does not have it any more: ${reasonIn(error)}`,
        'The index has newer generations, or was deleted: open it again.',
        error,
      );
    }
    const busy = status === 429 ? ' is overloaded' : ` answers ${status}`;
    return this.unavailable(`${at}${busy}: ${reasonIn(error)}`, 'See its log, and ask again.', error);
  }
}

function reasonIn({ body, message }: { body?: unknown; message: string }): string {
  const { error } = (body ?? {}) as { error?: { type?: string; reason?: string } | string };
  return typeof error === 'object' ? `${error.type}: ${error.reason}`.slice(0, 300) : message.slice(0, 300);
}

/** Whether that is said of an index that takes no writes. */
function isBlock(body: unknown): boolean {
  return JSON.stringify(body ?? '').includes('cluster_block_exception');
}
