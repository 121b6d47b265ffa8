import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pull } from './pull.ts';
import { modelOf, REPO, scratch, settingsFor, TOKENIZER, WEIGHTS } from './testing/scratch.ts';
import { gitHash, sha256 } from './testing/server.ts';
import {
  blobOf,
  contentOf,
  FIRST,
  failure,
  folderOf,
  hub,
  newer,
  pointerOf,
  quick,
  SECOND,
  tokenizer,
  weights,
} from './testing/small-model.ts';

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

describe('the cache', () => {
  it('keeps what another tool uses, though it is not what was trusted', async () => {
    const settings = settingsFor(hub.url);
    await pull(modelOf(), settings, quick());
    const changed = Buffer.from(tokenizer.map((byte) => byte ^ 1));
    const repository = hub.repositories.get(REPO)!;
    repository.commits[SECOND] = { [WEIGHTS]: weights, [TOKENIZER]: changed };
    repository.refs.main = SECOND;
    await pull(modelOf(), { ...settings, trustFile: join(scratch(), 'other.json') }, quick());
    hub.seen.length = 0;
    const error = await failure(settings);
    expect(error.code).toBe('MODEL_UNUSABLE');
    expect(error.message).toContain('than when it was first pulled');
    for (const commit of [FIRST, SECOND]) expect(error.hint).toContain(`small-model@${commit}`);
    expect(hub.count('get')).toBe(0);
    expect(contentOf(settings, TOKENIZER, SECOND)).toBe(sha256(changed));
    // The same where the other one is fetched first.
    const elsewhere = { ...settings, cacheDir: scratch() };
    expect((await failure(elsewhere)).hint).toBe(error.hint);
    expect(existsSync(blobOf(elsewhere, gitHash(changed)))).toBe(false);
  });

  it('is not believed about a file that is short, where the hub promises no hash', async () => {
    const settings = settingsFor(hub.url);
    mkdirSync(dirname(blobOf(settings)), { recursive: true });
    writeFileSync(blobOf(settings, 'opaque'), weights.subarray(0, 1000));
    hub.faults = [{ on: 'look', headers: { 'x-linked-etag': '"opaque"' } }];
    const [file] = await pull(modelOf(), settings, quick());
    expect(file).toMatchObject({ bytes: 300_000, sha256: sha256(weights), fetched: true });
    expect(contentOf(settings)).toBe(sha256(weights));
  });

  it('is hashed until Ctrl-C', async () => {
    const settings = settingsFor(hub.url);
    await pull(modelOf(), settings, quick());
    const error = await failure(settings, modelOf(), { signal: AbortSignal.abort() });
    expect(error).toMatchObject({ code: 'ABORTED', hint: expect.stringContaining('goes on') });
  });

  it('that cannot be read is named', async () => {
    const settings = settingsFor(hub.url);
    await pull(modelOf(), settings, quick());
    rmSync(pointerOf(settings));
    // Opens, and gives no byte, for root too.
    symlinkSync('/proc/self/mem', pointerOf(settings));
    const wanted = { code: 'MODEL_UNUSABLE', hint: expect.stringContaining('HF_HUB_CACHE') };
    const error = await failure(settings);
    expect(error).toMatchObject(wanted);
    expect(error.message).toContain(`${pointerOf(settings)} cannot be read`);
    const nowhere = { ...settings, cacheDir: join(scratch(), 'x'.repeat(300)) };
    for (const revision of ['main', FIRST]) {
      expect(await failure(nowhere, modelOf({ revision }))).toMatchObject(wanted);
    }
  });

  it('is mended where a branch is a loop of links', async () => {
    const settings = settingsFor(hub.url);
    const ref = join(folderOf(settings), 'refs', 'main');
    mkdirSync(dirname(ref), { recursive: true });
    symlinkSync('main', ref);
    await pull(modelOf(), settings, quick());
    expect(readFileSync(ref, 'utf8')).toBe(FIRST);
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

  it('says how to trust anew what came with another content of the same commit', async () => {
    const settings = settingsFor(hub.url);
    await pull(modelOf(), settings, quick());
    hub.repositories.get(REPO)!.commits[FIRST]![WEIGHTS] = newer;
    const error = await failure({ ...settings, cacheDir: scratch() });
    expect(error.hint).toContain(`remove "${REPO}@main:${WEIGHTS}" from ${settings.trustFile}`);
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

  it('can be stopped while another process writes the record', async () => {
    const settings = settingsFor(hub.url);
    const lock = `${settings.trustFile}.lock`;
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(lock, JSON.stringify({ pid: 1, host: 'elsewhere', born: '1' }));
    const stop = new AbortController();
    const error = await failure(settings, modelOf(), {
      signal: stop.signal,
      onProgress: (path, done, total) => {
        if (path === TOKENIZER && done === total) setTimeout(() => stop.abort(), 100);
      },
    });
    expect(error.code).toBe('ABORTED');
    expect(existsSync(settings.trustFile)).toBe(false);
  });

  it('is not taken twice, when a branch moves between two first pulls', async () => {
    const settings = settingsFor(hub.url);
    const said: string[] = [];
    let other: Promise<unknown> | undefined;
    hub.faults = [{ on: 'look', status: 503, headers: { 'retry-after': '1' } }];
    const announce = (message: string): void => {
      said.push(message);
      // Once it waits for the hub: it knows by now that nobody has trusted anything yet.
      other ??= pull(modelOf(), settings, quick()).then(() => {
        hub.repositories.get(REPO)!.refs.main = SECOND;
      });
    };
    const error = await failure(settings, modelOf(), { announce });
    await other;
    expect(error).toMatchObject({ code: 'MODEL_UNUSABLE', hint: expect.stringContaining('branch moved') });
    expect(said.join()).not.toContain('trusted');
    const again = await failure(settings);
    for (const commit of [FIRST, SECOND]) expect(again.hint).toContain(`small-model@${commit}`);
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

describe('offline', () => {
  it('says what is missing and how to get it', async () => {
    const settings = settingsFor(hub.url, { offline: 'TRANSFORMERS_OFFLINE' });
    const error = await failure(settings);
    expect(error).toMatchObject({
      code: 'MODEL_UNUSABLE',
      hint: expect.stringMatching(/^TRANSFORMERS_OFFLINE is set: .*pragaura models pull small-model/),
    });
    for (const word of [WEIGHTS, TOKENIZER, REPO, settings.cacheDir]) expect(error.message).toContain(word);
    expect(hub.seen).toEqual([]);
  });

  it('uses what is there', async () => {
    const settings = settingsFor(hub.url);
    await pull(modelOf(), settings, quick());
    hub.seen.length = 0;
    const unknown = { ...settings, offline: 'HF_HUB_OFFLINE', trustFile: join(scratch(), 'trusted.json') };
    const pulled = await pull(modelOf(), unknown, quick());
    expect(pulled.map(({ vouched }) => vouched)).toEqual(['first', 'first']);
    expect(hub.seen).toEqual([]);
  });
});
