import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PullOptions, pull } from './pull.ts';
import type { HubSettings } from './settings.ts';
import { modelOf, REPO, scratch, settingsFor, TOKENIZER, WEIGHTS } from './testing/scratch.ts';
import { gitHash, HubServer, sha256 } from './testing/server.ts';

const FIRST = 'a'.repeat(40);
const SECOND = 'b'.repeat(40);
const weights = randomBytes(300_000);
const newer = randomBytes(300_000);
const tokenizer = Buffer.from('{"a": "small file"}');

let hub: HubServer;
beforeAll(async () => {
  hub = await HubServer.start();
});
afterAll(() => hub.stop());
beforeEach(() => {
  hub.seen.length = 0;
  hub.faults = [];
  hub.repositories.set(REPO, {
    commits: {
      [FIRST]: { [WEIGHTS]: weights, [TOKENIZER]: tokenizer },
      [SECOND]: { [WEIGHTS]: newer, [TOKENIZER]: tokenizer },
    },
    refs: { main: FIRST, 'refs/pr/1': SECOND },
  });
});

const folderOf = (settings: HubSettings) => join(settings.cacheDir, 'models--acme--small-model');
const blobOf = (settings: HubSettings, name = sha256(weights)) => join(folderOf(settings), 'blobs', name);
const partialOf = (settings: HubSettings) => `${blobOf(settings)}.pragaura.incomplete`;
const pointerOf = (settings: HubSettings, path = WEIGHTS, commit = FIRST) =>
  join(folderOf(settings), 'snapshots', commit, path);
/** By its hash: comparing large buffers byte by byte takes seconds. */
const contentOf = (...args: Parameters<typeof pointerOf>) => sha256(readFileSync(pointerOf(...args)));
const quick = (options: PullOptions = {}): PullOptions => ({
  retries: { tries: 3, firstDelayMs: 1, longestDelayMs: 1500 },
  ...options,
});
const failure = (settings: HubSettings, named = modelOf(), options: PullOptions = {}) =>
  pull(named, settings, quick(options)).then(
    () => {
      throw new Error('was pulled');
    },
    (error: unknown) => error as { code: string; message: string; hint: string },
  );

function partial(settings: HubSettings, content: Uint8Array): void {
  mkdirSync(dirname(partialOf(settings)), { recursive: true });
  writeFileSync(partialOf(settings), content);
}

describe('a pull', () => {
  it('lays the cache out as huggingface_hub does', async () => {
    const settings = settingsFor(hub.url);
    const progress: [string, number, number][] = [];
    const pulled = await pull(modelOf(), settings, quick({ onProgress: (...call) => progress.push(call) }));
    expect(pulled).toEqual([
      {
        path: WEIGHTS,
        bytes: 300_000,
        sha256: sha256(weights),
        commit: FIRST,
        vouched: 'first',
        fetched: true,
      },
      {
        path: TOKENIZER,
        bytes: tokenizer.length,
        sha256: sha256(tokenizer),
        commit: FIRST,
        vouched: 'first',
        fetched: true,
      },
    ]);
    const folder = folderOf(settings);
    expect(readdirSync(folder).sort()).toEqual(['blobs', 'refs', 'snapshots']);
    expect(readdirSync(join(folder, 'blobs')).sort()).toEqual([sha256(weights), gitHash(tokenizer)].sort());
    expect(readFileSync(join(folder, 'refs', 'main'), 'utf8')).toBe(FIRST);
    expect(readlinkSync(pointerOf(settings))).toBe(`../../../blobs/${sha256(weights)}`);
    expect(readlinkSync(pointerOf(settings, TOKENIZER))).toBe(`../../blobs/${gitHash(tokenizer)}`);
    expect(contentOf(settings)).toBe(sha256(weights));
    expect(readdirSync(join(settings.cacheDir, '.locks', 'models--acme--small-model'))).toEqual([]);
    expect(progress.filter(([path]) => path === WEIGHTS).at(-1)).toEqual([WEIGHTS, 300_000, 300_000]);
  });

  it('asks the hub for nothing when all is there and known', async () => {
    const settings = settingsFor(hub.url);
    await pull(modelOf(), settings, quick());
    hub.seen.length = 0;
    const again = await pull(modelOf(), settings, quick());
    expect(again.map(({ vouched, fetched }) => ({ vouched, fetched }))).toEqual([
      { vouched: 'earlier', fetched: false },
      { vouched: 'earlier', fetched: false },
    ]);
    expect(hub.seen).toEqual([]);
  });

  it('uses what another tool has put into the cache', async () => {
    const settings = settingsFor(hub.url);
    for (const [path, bytes, up] of [
      [WEIGHTS, weights, '../../../'],
      [TOKENIZER, tokenizer, '../../'],
    ] as const) {
      const name = bytes === weights ? sha256(bytes) : gitHash(bytes);
      mkdirSync(dirname(blobOf(settings)), { recursive: true });
      mkdirSync(dirname(pointerOf(settings, path)), { recursive: true });
      writeFileSync(blobOf(settings, name), bytes);
      symlinkSync(`${up}blobs/${name}`, pointerOf(settings, path));
    }
    const known = modelOf({
      revision: FIRST,
      weights: { path: WEIGHTS, sha256: sha256(weights) },
      tokenizer: { path: TOKENIZER, sha256: sha256(tokenizer) },
    });
    const pulled = await pull(known, settings, quick());
    expect(pulled.map(({ vouched, fetched }) => `${vouched} ${fetched}`)).toEqual([
      'locked false',
      'locked false',
    ]);
    expect(hub.seen).toEqual([]);
    // With hashes that nobody vouches for, the hub is asked what they are, and no byte is fetched again.
    await pull(modelOf({ revision: FIRST }), settings, quick());
    expect([hub.count('cdn'), hub.count('get')]).toEqual([0, 0]);
  });

  it('sends the token to the hub and to nobody else', async () => {
    hub.repositories.get(REPO)!.private = true;
    await pull(modelOf(), settingsFor(hub.url, { token: hub.token }), quick());
    for (const { on, authorization } of hub.seen) {
      expect(authorization).toBe(on === 'cdn' ? undefined : `Bearer ${hub.token}`);
    }
    expect(hub.count('cdn')).toBe(1);
  });

  it('takes a revision with a slash in its name', async () => {
    const settings = settingsFor(hub.url);
    await pull(modelOf({ revision: 'refs/pr/1' }), settings, quick());
    expect(readFileSync(join(folderOf(settings), 'refs', 'refs', 'pr', '1'), 'utf8')).toBe(SECOND);
    expect(contentOf(settings, WEIGHTS, SECOND)).toBe(sha256(newer));
  });

  it('takes all files from one commit, though the branch moves meanwhile', async () => {
    const settings = settingsFor(hub.url);
    let moved = false;
    await pull(
      modelOf(),
      settings,
      quick({
        onProgress: () => {
          if (!moved) hub.repositories.get(REPO)!.refs.main = SECOND;
          moved = true;
        },
      }),
    );
    expect(moved).toBe(true);
    expect(readdirSync(join(folderOf(settings), 'snapshots'))).toEqual([FIRST]);
  });
});

describe('what stops half-way', () => {
  it('is gone on with in the same run, with the bytes that came', async () => {
    const settings = settingsFor(hub.url);
    hub.faults = [
      { on: 'cdn', breakAfter: 100_000 },
      { on: 'cdn', breakAfter: 100_000 },
    ];
    await pull(modelOf(), settings, quick());
    const ranges = hub.seen.filter(({ on }) => on === 'cdn').map(({ range }) => range);
    expect(ranges).toHaveLength(3);
    expect(ranges[0]).toBeUndefined();
    expect(ranges[2]).toMatch(/^bytes=[1-9]\d*-$/);
    expect(contentOf(settings)).toBe(sha256(weights));
  });

  it('is gone on with by the next run after Ctrl-C', async () => {
    const settings = settingsFor(hub.url);
    const stop = new AbortController();
    hub.faults = [{ on: 'cdn', stallAfter: 120_000 }];
    const error = await failure(settings, modelOf(), {
      signal: stop.signal,
      onProgress: (_, done) => {
        if (done >= 60_000) stop.abort();
      },
    });
    expect(error).toMatchObject({ code: 'ABORTED', hint: expect.stringContaining('goes on') });
    const kept = readFileSync(partialOf(settings)).length;
    expect(kept).toBeGreaterThanOrEqual(60_000);
    expect(existsSync(blobOf(settings))).toBe(false);
    hub.seen.length = 0;
    await pull(modelOf(), settings, quick());
    expect(hub.seen.find(({ on }) => on === 'cdn')!.range).toBe(`bytes=${kept}-`);
    expect(contentOf(settings)).toBe(sha256(weights));
  });

  it('begins anew where the server does not serve parts', async () => {
    const settings = settingsFor(hub.url);
    partial(settings, weights.subarray(0, 1000));
    hub.faults = [{ on: 'cdn', ignoreRange: true }];
    await pull(modelOf(), settings, quick());
    expect(hub.count('cdn')).toBe(1);
    expect(contentOf(settings)).toBe(sha256(weights));
  });

  it.each([
    ['other bytes', randomBytes(5000)],
    ['more bytes than there are', randomBytes(400_000)],
    ['as many other bytes', randomBytes(300_000)],
  ])('is fetched anew when what was left is %s', async (_, left) => {
    const settings = settingsFor(hub.url);
    partial(settings, left);
    await pull(modelOf(), settings, quick());
    expect(contentOf(settings)).toBe(sha256(weights));
  });

  it('is given up after a bounded number of tries, and kept', async () => {
    const settings = settingsFor(hub.url);
    hub.faults = [
      { on: 'cdn', breakAfter: 50_000 },
      { on: 'cdn', times: 9, breakAfter: 0 },
    ];
    const error = await failure(settings);
    expect(error).toMatchObject({ code: 'HUB_UNAVAILABLE', hint: expect.stringContaining('goes on') });
    expect(hub.count('cdn')).toBeLessThanOrEqual(4);
    expect(existsSync(blobOf(settings))).toBe(false);
    expect(existsSync(pointerOf(settings))).toBe(false);
  });

  it('is not waited for when no byte comes', async () => {
    const settings = settingsFor(hub.url, { idleMs: 200 });
    hub.faults = [{ on: 'cdn', stallAfter: 100_000 }];
    await pull(modelOf(), settings, quick());
    expect(hub.count('cdn')).toBe(2);
    expect(contentOf(settings)).toBe(sha256(weights));
  });
});

describe('other bytes than promised', () => {
  it.each([
    ['large', 'cdn', WEIGHTS],
    ['small', 'get', TOKENIZER],
  ] as const)('of a %s file are thrown away', async (_, on, path) => {
    const settings = settingsFor(hub.url);
    hub.faults = [{ on, corrupt: true, times: 9 }];
    const error = await failure(settings);
    expect(error).toMatchObject({ code: 'MODEL_UNUSABLE', message: expect.stringContaining(path) });
    expect(existsSync(pointerOf(settings, path))).toBe(false);
    expect(
      readdirSync(join(folderOf(settings), 'blobs')).filter((name) => name.includes('incomplete')),
    ).toEqual([]);
    expect(existsSync(settings.trustFile)).toBe(false);
  });

  it('that are too many are refused', async () => {
    const settings = settingsFor(hub.url);
    hub.faults = [{ on: 'cdn', longer: 10, times: 9 }];
    expect(await failure(settings)).toMatchObject({ code: 'MODEL_UNUSABLE' });
    expect(existsSync(blobOf(settings))).toBe(false);
  });

  it('are refused by the lock file though the hub promises them, before a byte is fetched', async () => {
    const settings = settingsFor(hub.url);
    const locked = modelOf({ weights: { path: WEIGHTS, bytes: 300_000, sha256: sha256(newer) } });
    const error = await failure(settings, locked);
    expect(error).toMatchObject({
      code: 'MODEL_UNUSABLE',
      hint: expect.stringContaining(`small-model@${FIRST}`),
    });
    expect(error.message).toContain(sha256(newer));
    expect(hub.count('cdn')).toBe(0);
    const shorter = modelOf({ weights: { path: WEIGHTS, bytes: 7, sha256: sha256(weights) } });
    expect((await failure(settings, shorter)).message).toContain('of 300000 bytes, not 7');
  });

  it('are refused by the lock file where the hub promises nothing', async () => {
    const settings = settingsFor(hub.url);
    hub.faults = [{ on: 'look', times: 9, headers: { 'x-linked-etag': '"some-other-name"' } }];
    const locked = modelOf({ weights: { path: WEIGHTS, sha256: sha256(newer) } });
    expect(await failure(settings, locked)).toMatchObject({ code: 'MODEL_UNUSABLE' });
    expect(hub.count('cdn')).toBe(1);
    expect(readdirSync(join(folderOf(settings), 'blobs'))).toEqual([]);
  });

  it('in the cache are replaced', async () => {
    const settings = settingsFor(hub.url);
    const said: string[] = [];
    await pull(modelOf(), settings, quick());
    truncateSync(blobOf(settings), 1000);
    await pull(modelOf(), settings, quick({ announce: (message) => said.push(message) }));
    expect(said.join()).toContain('damaged in the cache');
    expect(contentOf(settings)).toBe(sha256(weights));
  });
});

describe('trust on first use', () => {
  it('is announced, and holds later', async () => {
    const settings = settingsFor(hub.url);
    const said: string[] = [];
    await pull(modelOf(), settings, quick({ announce: (message) => said.push(message) }));
    expect(said).toHaveLength(2);
    expect(said[0]).toContain(`trusted from now on, for its first use, with sha256 ${sha256(weights)}`);
    hub.repositories.get(REPO)!.refs.main = SECOND;
    const elsewhere = { ...settings, cacheDir: scratch() };
    const error = await failure(elsewhere);
    expect(error).toMatchObject({ code: 'MODEL_UNUSABLE' });
    expect(error.message).toContain('than when it was first pulled');
    expect(error.hint).toContain(`small-model@${FIRST}`);
    expect(error.hint).toContain(`small-model@${SECOND}`);
    expect(hub.count('cdn')).toBe(1);
    // Asked for by name, the newer one is another thing.
    await pull(modelOf({ revision: SECOND }), elsewhere, quick());
    expect(contentOf(elsewhere, WEIGHTS, SECOND)).toBe(sha256(newer));
  });

  it('refuses a record that cannot be read, rather than trusting anew', async () => {
    const settings = settingsFor(hub.url);
    mkdirSync(dirname(settings.trustFile), { recursive: true });
    writeFileSync(settings.trustFile, '{"schema":"pragaura.trusted-models/1"');
    expect(await failure(settings)).toMatchObject({
      code: 'MODEL_UNUSABLE',
      message: expect.stringContaining(settings.trustFile),
    });
  });

  it('does not lose a record when several are written at once', async () => {
    const settings = settingsFor(hub.url);
    const revisions = ['main', FIRST, SECOND, 'refs/pr/1'];
    await Promise.all(revisions.map((revision) => pull(modelOf({ revision }), settings, quick())));
    const { files } = JSON.parse(readFileSync(settings.trustFile, 'utf8')) as { files: object };
    expect(Object.keys(files).sort()).toEqual(
      revisions.flatMap((r) => [`${REPO}@${r}:${WEIGHTS}`, `${REPO}@${r}:${TOKENIZER}`]).sort(),
    );
  });
});

describe('two at once', () => {
  it('fetch once', async () => {
    const settings = settingsFor(hub.url);
    const said: string[] = [];
    hub.faults = [{ on: 'cdn', breakAfter: 100_000 }];
    const announce = (message: string) => said.push(message);
    const both = await Promise.all([1, 2].map(() => pull(modelOf(), settings, quick({ announce }))));
    expect(both.map(([file]) => file!.fetched).sort()).toEqual([false, true]);
    expect(said.join('\n')).toContain(`is being pulled by process ${process.pid}`);
    expect(contentOf(settings)).toBe(sha256(weights));
  });

  it('do not wait for one that is gone', async () => {
    const settings = settingsFor(hub.url);
    const locks = join(settings.cacheDir, '.locks', 'models--acme--small-model');
    mkdirSync(locks, { recursive: true });
    const nobody = JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), born: '1' });
    writeFileSync(join(locks, `${sha256(weights)}.pragaura.lock`), nobody);
    await pull(modelOf(), settings, quick());
    expect(readdirSync(locks)).toEqual([]);
  });

  it('can be stopped while they wait', async () => {
    const settings = settingsFor(hub.url);
    const locks = join(settings.cacheDir, '.locks', 'models--acme--small-model');
    mkdirSync(locks, { recursive: true });
    const other = JSON.stringify({ pid: 1, host: 'elsewhere', born: '1' });
    writeFileSync(join(locks, `${sha256(weights)}.pragaura.lock`), other);
    const stop = new AbortController();
    const error = await failure(settings, modelOf(), { signal: stop.signal, announce: () => stop.abort() });
    expect(error.code).toBe('ABORTED');
  });
});

describe('no room', () => {
  it('says so, and leaves nothing that could pass for a model', async () => {
    const settings = settingsFor(hub.url);
    mkdirSync(dirname(partialOf(settings)), { recursive: true });
    symlinkSync('/dev/full', partialOf(settings));
    const error = await failure(settings);
    expect(error).toMatchObject({ code: 'WRITE_FAILED', hint: expect.stringContaining('HF_HUB_CACHE') });
    expect(error.message).toContain('the disk is full');
    expect(existsSync(pointerOf(settings))).toBe(false);
  });

  it('or no folder', async () => {
    const file = join(scratch(), 'file');
    writeFileSync(file, '');
    const settings = settingsFor(hub.url, { cacheDir: join(file, 'hub') });
    expect(await failure(settings)).toMatchObject({ code: 'WRITE_FAILED' });
  });
});

describe('offline', () => {
  it('says what is missing and how to get it', async () => {
    const settings = settingsFor(hub.url, { offline: true });
    const error = await failure(settings);
    expect(error).toMatchObject({
      code: 'MODEL_UNUSABLE',
      hint: expect.stringContaining('pragaura models pull small-model'),
    });
    for (const word of [WEIGHTS, TOKENIZER, REPO, settings.cacheDir]) expect(error.message).toContain(word);
    expect(hub.seen).toEqual([]);
  });

  it('uses what is there', async () => {
    const settings = settingsFor(hub.url);
    await pull(modelOf(), settings, quick());
    hub.seen.length = 0;
    const unknown = { ...settings, offline: true, trustFile: join(scratch(), 'trusted.json') };
    const pulled = await pull(modelOf(), unknown, quick());
    expect(pulled.map(({ vouched }) => vouched)).toEqual(['first', 'first']);
    expect(hub.seen).toEqual([]);
  });
});
