import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pull } from './pull.ts';
import { modelOf, scratch, settingsFor } from './testing/scratch.ts';
import { sha256 } from './testing/server.ts';
import {
  blobOf,
  contentOf,
  failure,
  folderOf,
  hub,
  partial,
  partialOf,
  pointerOf,
  quick,
  weights,
} from './testing/small-model.ts';

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

  it.each([
    ['get', 429],
    ['get', 503],
    ['cdn', 429],
    ['cdn', 500],
  ] as const)('is asked for again where %s answers %d in place of the bytes', async (on, status) => {
    const settings = settingsFor(hub.url);
    hub.faults = [{ on, status }];
    await pull(modelOf(), settings, quick());
    expect(contentOf(settings)).toBe(sha256(weights));
    expect(hub.seen.filter((one) => one.on === 'get').length).toBeGreaterThanOrEqual(3);
  });

  it.each(['get', 'cdn'] as const)('404 of %s in place of the bytes is refused', async (on) => {
    const settings = settingsFor(hub.url);
    hub.faults = [{ on, status: 404, times: 99 }];
    expect(await failure(settings)).toMatchObject({ message: expect.stringContaining('404') });
    expect(existsSync(pointerOf(settings))).toBe(false);
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

  it('counts what is gained anew, after other bytes were left', async () => {
    const settings = settingsFor(hub.url);
    partial(settings, randomBytes(290_000));
    hub.faults = [{ on: 'cdn' }, { on: 'cdn', times: 3, breakAfter: 50_000 }];
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

  it('is given up when the same bytes come again and again', async () => {
    const settings = settingsFor(hub.url);
    const again = [50_000, 80_000].map((breakAfter) => ({
      on: 'cdn' as const,
      ignoreRange: true,
      breakAfter,
    }));
    hub.faults = [{ on: 'cdn', breakAfter: 150_000 }, ...structuredClone([...again, ...again, ...again])];
    expect(await failure(settings)).toMatchObject({ code: 'HUB_UNAVAILABLE' });
    expect(hub.count('cdn')).toBe(3);
  });

  it('is not waited for when no byte comes', async () => {
    const settings = settingsFor(hub.url, { idleMs: 200 });
    hub.faults = [{ on: 'cdn', stallAfter: 100_000 }];
    await pull(modelOf(), settings, quick());
    expect(hub.count('cdn')).toBe(2);
    expect(contentOf(settings)).toBe(sha256(weights));
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
    const lock = join(locks, `${sha256(weights)}.pragaura.lock`);
    writeFileSync(lock, other);
    const stop = new AbortController();
    const said: string[] = [];
    const announce = (message: string): void => {
      said.push(message);
      stop.abort();
    };
    const error = await failure(settings, modelOf(), { signal: stop.signal, announce });
    expect(error.code).toBe('ABORTED');
    expect(said).toEqual([
      expect.stringMatching(/by process 1 on elsewhere; waiting for it\. If no such process runs, remove /),
    ]);
    expect(said[0]).toContain(lock);
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

  it('also where it is the link that cannot be made', async () => {
    const settings = settingsFor(hub.url);
    mkdirSync(folderOf(settings), { recursive: true });
    writeFileSync(join(folderOf(settings), 'snapshots'), '');
    expect(await failure(settings)).toMatchObject({
      code: 'WRITE_FAILED',
      hint: expect.stringContaining('HF_HUB_CACHE'),
    });
  });

  it('or its name that is taken: nothing is left beside it', async () => {
    const settings = settingsFor(hub.url);
    mkdirSync(pointerOf(settings), { recursive: true });
    expect(await failure(settings)).toMatchObject({ code: 'WRITE_FAILED' });
    expect(readdirSync(dirname(pointerOf(settings)))).toEqual(['model.onnx']);
  });

  it('or no folder', async () => {
    const file = join(scratch(), 'file');
    writeFileSync(file, '');
    const settings = settingsFor(hub.url, { cacheDir: join(file, 'hub') });
    expect(await failure(settings)).toMatchObject({ code: 'WRITE_FAILED' });
  });
});
