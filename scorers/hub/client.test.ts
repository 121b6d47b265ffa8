import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { retryAfter } from '../../common/index.ts';
import { Hub, type HubOptions } from './client.ts';
import type { HubSettings } from './settings.ts';
import { REPO, settingsFor, WEIGHTS } from './testing/scratch.ts';
import { HubServer } from './testing/server.ts';

const COMMIT = 'c'.repeat(40);
const bytes = Buffer.alloc(5000, 7);

let server: HubServer;
beforeAll(async () => {
  server = await HubServer.start();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.seen.length = 0;
  server.faults = [];
  server.repositories.clear();
  server.repositories.set(REPO, { commits: { [COMMIT]: { [WEIGHTS]: bytes } }, refs: { main: COMMIT } });
});

const RETRIES = { tries: 3, firstDelayMs: 1, longestDelayMs: 1500 };

async function look(
  what: { repo?: string; revision?: string; path?: string } = {},
  settings: Partial<HubSettings> = {},
  options: HubOptions = {},
) {
  const hub = new Hub(settingsFor(server.url, settings), { retries: RETRIES, ...options });
  try {
    return await hub.look(what.repo ?? REPO, what.revision ?? 'main', what.path ?? WEIGHTS);
  } finally {
    await hub.close();
  }
}

const refused = (...args: Parameters<typeof look>) =>
  look(...args).then(
    () => {
      throw new Error('was answered');
    },
    (error: unknown) => error as { code: string; message: string; hint: string },
  );

describe('a refusal says what mends it', () => {
  it.each([
    ['repository', { repo: 'acme/nothing' }, 'refuses (401, there is no HF_TOKEN)', 'spelt right'],
    ['revision', { revision: 'v9' }, 'has no revision v9 (404)', '/commits/main'],
    ['file', { path: 'onnx/other.onnx' }, 'has no such file at revision main (404)', '/tree/main'],
  ])('no such %s', async (_, what, message, hint) => {
    const error = await refused(what);
    expect(error.code).toBe('HUB_UNAVAILABLE');
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
    expect(server.seen).toHaveLength(1);
  });

  it('no such repository, asked with a token', async () => {
    const error = await refused({ repo: 'acme/nothing' }, { token: server.token });
    expect(error.message).toContain('has no such repository');
  });

  it('a token that is missing or wrong', async () => {
    server.repositories.get(REPO)!.private = true;
    expect((await refused()).message).toContain('there is no HF_TOKEN');
    const wrong = await refused({}, { token: 'hf_wrong' });
    expect(wrong.message).toContain('HF_TOKEN is not accepted');
    expect(`${wrong.message}${wrong.hint}`).not.toContain('hf_wrong');
    expect(await look({}, { token: server.token })).toMatchObject({ commit: COMMIT, bytes: 5000 });
  });

  it('a gate', async () => {
    server.repositories.get(REPO)!.gated = true;
    expect((await refused()).hint).toContain(`Accept the conditions at ${server.url}/${REPO}`);
  });
});

describe('what may pass', () => {
  it.each([429, 500, 502, 503, 504])('%s is tried again', async (status) => {
    server.faults = [{ on: 'look', status, times: 2 }];
    const said: string[] = [];
    expect(await look({}, {}, { announce: (message) => said.push(message) })).toMatchObject({
      commit: COMMIT,
    });
    expect(said).toHaveLength(2);
    expect(said[0]).toContain(`(${status}). Trying again in`);
  });

  it('is not tried for ever', async () => {
    server.faults = [{ on: 'look', status: 503, times: 99 }];
    expect((await refused()).message).toContain('is in trouble (503)');
    expect(server.seen).toHaveLength(RETRIES.tries);
  });

  it('waits as long as the hub asks, within bounds', async () => {
    const said: string[] = [];
    server.faults = [{ on: 'look', status: 429, headers: { 'retry-after': '1' } }];
    const start = performance.now();
    await look({}, {}, { announce: (message) => said.push(message) });
    expect(performance.now() - start).toBeGreaterThanOrEqual(990);
    expect(said[0]).toContain('Trying again in 1.0 s');
    server.faults = [{ on: 'look', status: 429, headers: { 'retry-after': '3600' } }];
    server.seen.length = 0;
    expect((await refused()).hint).toContain('Try again in 3600 s');
    expect(server.seen).toHaveLength(1);
  });

  it('a connection that is refused', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const error = await refused({}, { endpoint: `http://127.0.0.1:${port}` });
    expect(error).toMatchObject({ code: 'HUB_UNAVAILABLE', hint: expect.stringContaining('HF_ENDPOINT') });
    expect(error.message).toContain(`no answer from 127.0.0.1:${port}`);
  });

  it('Ctrl-C ends the wait', async () => {
    const stop = new AbortController();
    server.faults = [{ on: 'look', status: 429, headers: { 'retry-after': '1' } }];
    const error = await refused({}, {}, { signal: stop.signal, announce: () => stop.abort() });
    expect(error.code).toBe('ABORTED');
    expect(server.seen).toHaveLength(1);
  });
});

describe('what is no hub, or no honest one', () => {
  it.each([
    ['a page', { 'x-repo-commit': 'x', 'x-linked-etag': '"y"' }],
    ['an etag that leads out of the cache', { 'x-linked-etag': '"../../../etc/cron.d/evil"' }],
    ['an etag that hides', { 'x-linked-etag': '".hidden"' }],
    ['no etag', { 'x-linked-etag': '""' }],
    ['a size that is none', { 'x-linked-size': '-1' }],
    ['a commit that leads out of the cache', { 'x-repo-commit': '../../../../etc' }],
  ])('%s', async (_, headers) => {
    server.faults = [{ on: 'look', headers }];
    const error = await refused();
    expect(error).toMatchObject({ code: 'HUB_UNAVAILABLE', hint: expect.stringContaining('HF_ENDPOINT') });
    expect(error.message).toContain('does not answer as a hub does');
  });

  it('another commit than the one that was asked for', async () => {
    server.faults = [{ on: 'look', headers: { 'x-repo-commit': 'd'.repeat(40) } }];
    const error = await refused({ revision: COMMIT });
    expect(error.code).toBe('HUB_UNAVAILABLE');
    expect(error.message).toContain(`answers with another commit, ${'d'.repeat(40)}`);
  });

  it.each(['file:///etc/passwd', 'http://'])('a redirect to %s', async (location) => {
    server.faults = [{ on: 'look', status: 302, headers: { location } }];
    expect((await refused()).message).toContain('redirects to an address that is not safe');
  });

  it('a redirect to itself', async () => {
    const location = `/${REPO}/resolve/main/${WEIGHTS}`;
    server.faults = [{ on: 'look', status: 302, times: 99, headers: { location } }];
    expect((await refused()).message).toContain('redirects without end');
  });
});

describe('a proxy', () => {
  it('is used, also for the hub itself', async () => {
    const asked: string[] = [];
    const proxy = createServer();
    proxy.on('connect', (request, socket, head) => {
      asked.push(request.url ?? '');
      const [host = '', port = ''] = (request.url ?? '').split(':');
      import('node:net').then(({ connect }) => {
        const upstream = connect(Number(port), host, () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          upstream.write(head);
          upstream.pipe(socket).pipe(upstream);
        });
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    vi.stubEnv('NO_PROXY', '');
    try {
      expect(await look()).toMatchObject({ commit: COMMIT });
      expect(asked).toEqual([new URL(server.url).host]);
      vi.stubEnv('NO_PROXY', '127.0.0.1');
      await look();
      expect(asked).toHaveLength(1);
      vi.stubEnv('NO_PROXY', '');
      vi.stubEnv('HTTP_PROXY', `127.0.0.1:${(proxy.address() as AddressInfo).port}`);
      await look();
      expect(asked).toHaveLength(2);
    } finally {
      vi.unstubAllEnvs();
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    }
  });
});

it.each([
  ['7', 7000],
  ['0', 0],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 7000],
  ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
  ['soon', undefined],
  [undefined, undefined],
  ['-1', 0],
] as const)('Retry-After: %s', (header, expected) => {
  expect(retryAfter(header, Date.parse('Sun, 06 Nov 1994 08:49:30 GMT'))).toBe(expected);
});
