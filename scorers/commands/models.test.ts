import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hubSettings } from '../hub/settings.ts';
import {
  COMMIT,
  crossWeights,
  embedderWeights,
  HUB_CROSS,
  HUB_FILES,
  HUB_REPO,
  offer,
  withHubModel,
} from '../hub/testing/real-models.ts';
import { scratch } from '../hub/testing/scratch.ts';
import { HubServer } from '../hub/testing/server.ts';
import { openScorers } from '../runtime/open.ts';
import { defaultModelsDir } from '../runtime/registry.ts';
import { CROSS, EMBEDDER, modelsDir, remove } from '../runtime/testing/models-dir.ts';
import { sum, tensor, withComputedWeights } from '../runtime/testing/onnx.ts';
import type { Job } from '../types.ts';
import { listModels, renderList } from './list.ts';
import { pullModels } from './pull.ts';
import { type ModelCheck, verifyModels } from './verify.ts';

const shippedTokenizer = () => readFileSync(join(defaultModelsDir(), 'bert-uncased/tokenizer.json'));

let hub: HubServer;
beforeAll(async () => {
  hub = await HubServer.start();
});
afterAll(() => hub.stop());

let dir = '';
beforeEach(() => {
  dir = withHubModel();
  const folder = scratch();
  vi.stubEnv('HF_ENDPOINT', hub.url);
  vi.stubEnv('HF_HUB_CACHE', join(folder, 'hub'));
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
  hub.seen.length = 0;
  hub.faults = [];
  offer(hub);
});
afterEach(() => {
  vi.unstubAllEnvs();
  remove(dir);
});

async function pulled(...names: string[]): Promise<string[]> {
  const said: string[] = [];
  const say = (message: string) => said.push(message);
  await pullModels(dir, names, { say, signal: new AbortController().signal });
  return said;
}

const refusal = (name = HUB_CROSS) =>
  pulled(name).then(
    () => {
      throw new Error('can be used');
    },
    (error: unknown) => error as { code: string; message: string; hint: string },
  );

async function checks(...names: string[]): Promise<ModelCheck[]> {
  const all: ModelCheck[] = [];
  for await (const check of verifyModels(dir, names)) all.push(check);
  return all;
}

const listed = async () => (await listModels(dir)).find(({ name }) => name === HUB_CROSS)!;

const opened = (name: string) => {
  const jobs = ['rerank', 'read', 'nli'] as const satisfies Job[];
  const models = Object.fromEntries(jobs.map((job) => [job, name]));
  return openScorers({ modelsDir: dir, threads: 1, jobs, models });
};

const pointer = (path: string) =>
  join(hubSettings().cacheDir, 'models--acme--cross-encoder', 'snapshots', COMMIT, path);

describe('a model of a hub', () => {
  it('is absent, pulled, verified, and gives the scores that its weights give', async () => {
    expect(await listed()).toMatchObject({ where: 'absent', bytes: null, locked: false, hub: HUB_REPO });
    await expect(opened(HUB_CROSS)).rejects.toMatchObject({
      code: 'MODEL_UNUSABLE',
      hint: `pragaura models pull ${HUB_CROSS}`,
    });
    expect(hub.seen).toEqual([]);

    const said = await pulled(HUB_CROSS);
    expect(said.at(-1)).toMatch(/can be used: rerank, read, nli; tensors as named, \d+ known pairs right\.$/);
    expect(await listed()).toMatchObject({ where: 'cache', jobs: ['rerank', 'read', 'nli'], defaultFor: [] });
    expect((await listed()).bytes).toBeGreaterThan(crossWeights().length);
    expect((await checks(HUB_CROSS)).map(({ check, ok }) => `${check} ${ok}`)).toEqual([
      'files true',
      'labels true',
      'sums true',
      'runs true',
    ]);

    const pair = { query: 'When was the bridge opened?', passage: 'It was opened in 1932.' };
    const claim = { premise: pair.passage, hypothesis: 'The bridge was never opened.' };
    const results = [];
    const identities = [];
    for (const name of [HUB_CROSS, CROSS]) {
      const scorers = await opened(name);
      results.push([await scorers.rerank([pair]), await scorers.read([pair]), await scorers.nli([claim])]);
      expect(scorers.info.models.nli!.name).toBe(name);
      identities.push(scorers.info.models.nli!.sha256);
      await scorers.close();
    }
    expect(results[0]).toEqual(results[1]);
    // The same files, wherever they came from, are the same model.
    expect(identities[0]).toBe(identities[1]);
  });

  it('can be had and used at another revision, by its name', async () => {
    const name = `${HUB_CROSS}@${COMMIT}`;
    await pulled(name);
    const scorers = await opened(name);
    expect(scorers.info.models.rerank!.name).toBe(name);
    await scorers.close();
    // What was trusted at one revision is not trusted at another, though the bytes are in the cache.
    await expect(opened(HUB_CROSS)).rejects.toMatchObject({ code: 'MODEL_UNUSABLE' });
    for (const wrong of [`${HUB_CROSS}@../../x`, `${CROSS}@main`, `${HUB_CROSS}@`]) {
      await expect(opened(wrong)).rejects.toMatchObject({ code: 'CONFIGURATION' });
    }
  });

  it('that changed on the disk is refused', async () => {
    await pulled(HUB_CROSS);
    const bytes = crossWeights();
    bytes[12_345_678]! ^= 1;
    rmSync(pointer(HUB_FILES.weights));
    writeFileSync(pointer(HUB_FILES.weights), bytes);
    await expect(opened(HUB_CROSS)).rejects.toMatchObject({
      code: 'MODEL_UNUSABLE',
      message: expect.stringContaining('sha256'),
      hint: expect.stringContaining('models pull'),
    });
    const [files] = await checks(HUB_CROSS);
    expect(files).toMatchObject({ check: 'files', ok: false });
  });

  it('that another tool brought is not used before its hash is known', async () => {
    await pulled(HUB_CROSS);
    rmSync(hubSettings().trustFile);
    await expect(opened(HUB_CROSS)).rejects.toMatchObject({ message: expect.stringContaining('not pulled') });
    hub.seen.length = 0;
    await pulled(HUB_CROSS);
    expect(hub.count('cdn')).toBe(0);
    await (await opened(HUB_CROSS)).close();
  });

  it('offline: what is here works, what is not is named', async () => {
    vi.stubEnv('HF_HUB_OFFLINE', '1');
    const error = await refusal();
    expect(error).toMatchObject({ code: 'MODEL_UNUSABLE', hint: expect.stringContaining('HF_HUB_OFFLINE') });
    for (const path of Object.values(HUB_FILES)) expect(error.message).toContain(path);
    vi.stubEnv('HF_HUB_OFFLINE', '0');
    await pulled(HUB_CROSS);
    vi.stubEnv('HF_HUB_OFFLINE', '1');
    await (await opened(HUB_CROSS)).close();
    expect((await pulled(HUB_CROSS)).at(-1)).toContain('can be used');
  });
});

describe('a tokenizer of another kind', () => {
  const unigram = readFileSync(new URL('../runtime/testing/unigram.json', import.meta.url));
  const same = (text: string) => ({ text, near: text, far: `${text} The harbour freezes over in January.` });

  it('runs, and so does pooling by the first token', async () => {
    const vectors: Float32Array[] = [];
    for (const pooling of ['cls', 'mean']) {
      remove(dir);
      dir = withHubModel((model) => {
        delete model.config;
        const known = ['Ada sleeps.', 'Who wrote it?', 'A dog.'].map(same);
        model.jobs = { embed: { output: 'last_hidden_state', pooling, dimension: 384, known } };
      });
      vi.stubEnv('HF_HUB_CACHE', scratch());
      vi.stubEnv('XDG_STATE_HOME', scratch());
      offer(hub, { [HUB_FILES.weights]: embedderWeights(), [HUB_FILES.tokenizer]: unigram });
      await pulled(HUB_CROSS);
      const scorers = await openScorers({
        modelsDir: dir,
        threads: 1,
        jobs: ['embed'],
        models: { embed: HUB_CROSS },
      });
      const [vector] = await scorers.embed(['The bridge was opened.']);
      vectors.push(vector!);
      expect(vector!.reduce((sum, x) => sum + x * x, 0)).toBeCloseTo(1, 5);
      await scorers.close();
    }
    expect(vectors[0]).not.toEqual(vectors[1]);
  });

  it('is refused for a reader, which must say where the answer stands', async () => {
    offer(hub, { [HUB_FILES.tokenizer]: unigram });
    expect((await refusal()).message).toContain('cannot tell where an answer ends');
  });
});

describe('a pull ends with an error when what came', () => {
  it.each<[string, () => Record<string, Uint8Array>, RegExp]>([
    ['is another model', () => ({ [HUB_FILES.weights]: embedderWeights() }), /outputs/],
    [
      'is half a model',
      () => ({ [HUB_FILES.weights]: crossWeights().subarray(0, 11_000_000) }),
      /no ONNX file/,
    ],
    ['is a page', () => ({ [HUB_FILES.weights]: Buffer.from('<html>sign in</html>') }), /no ONNX file/],
    [
      'keeps its weights elsewhere',
      () => ({ [HUB_FILES.weights]: sum(tensor({ file: '../model.onnx_data' })) }),
      /keeps weights in another file/,
    ],
    [
      'asks for other inputs',
      () => ({ [HUB_FILES.weights]: sum(tensor({ inside: [1, 2, 3, 4] })) }),
      /unknown inputs: x/,
    ],
    ['has no tokenizer that can be used', () => ({ [HUB_FILES.tokenizer]: Buffer.from('{}') }), /tokenizer/],
    [
      'has its labels in another order',
      () => ({
        [HUB_FILES.config]: Buffer.from('{"id2label":{"0":"contradiction","1":"neutral","2":"entailment"}}'),
      }),
      /labels: .*contradiction, neutral, entailment/,
    ],
    ['has no names for its labels', () => ({ [HUB_FILES.config]: Buffer.from('{}') }), /no id2label/],
  ])('%s', async (_, files, message) => {
    offer(hub, files());
    const error = await refusal();
    expect(error.code).toBe('MODEL_UNUSABLE');
    expect(error.message).toMatch(message);
    const broken = (await checks(HUB_CROSS)).filter(({ ok }) => !ok);
    expect(broken).toHaveLength(1);
  });

  it('broke on its way, and is pulled like the first time once the hub has it whole', async () => {
    offer(hub, { [HUB_FILES.config]: Buffer.from('<html>sign in</html>') });
    expect((await refusal()).message).toMatch(/id2label/);
    offer(hub);
    expect((await pulled(HUB_CROSS)).at(-1)).toContain('can be used');
  });

  it('has labels that both files name wrongly: the known pairs find it', async () => {
    remove(dir);
    dir = withHubModel((model) => {
      model.jobs.nli.labels = ['contradiction', 'neutral', 'entailment'];
    });
    offer(hub, {
      [HUB_FILES.config]: Buffer.from('{"id2label":{"0":"contradiction","1":"neutral","2":"entailment"}}'),
    });
    expect((await refusal()).message).toMatch(/known pairs come out wrong: nli/);
  });
});

describe('list', () => {
  it('says what is shipped and what each is for', async () => {
    const models = await listModels(dir);
    expect(models.find(({ name }) => name === EMBEDDER)).toMatchObject({
      where: 'shipped',
      jobs: ['embed'],
      defaultFor: ['embed'],
      licence: 'Apache-2.0',
      locked: true,
    });
    const text = renderList(models);
    expect(text).toMatch(new RegExp(`^${EMBEDDER} +embed\\* +shipped +2\\d\\.\\d MB  Apache-2\\.0$`, 'm'));
    expect(text).toContain(`(${HUB_REPO}; some hashes are recorded by the first pull)`);
  });

  it('gives a model the same size before and after its pull', async () => {
    remove(dir);
    dir = withHubModel((model) => {
      model.weights.bytes = crossWeights().length;
      model.tokenizer.bytes = shippedTokenizer().length;
    });
    const before = await listed();
    await pulled(HUB_CROSS);
    const after = await listed();
    expect([before.where, after.where]).toEqual(['absent', 'cache']);
    expect(after.bytes).toBe(before.bytes);
    expect(after.bytes).toBe(crossWeights().length + shippedTokenizer().length);
  });

  it('counts a cache that cannot be read as empty, and says why', async () => {
    vi.stubEnv('HF_HUB_CACHE', join(scratch(), 'x'.repeat(300)));
    const said: string[] = [];
    const models = await listModels(dir, undefined, (message) => said.push(message));
    const places = Object.fromEntries(models.map(({ name, where }) => [name, where]));
    expect(places).toMatchObject({ [EMBEDDER]: 'shipped', [HUB_CROSS]: 'absent' });
    expect(said).toContainEqual(
      expect.stringMatching(
        new RegExp(`^${HUB_CROSS} counts as absent: .*the name is too long.*HF_HUB_CACHE`),
      ),
    );
  });

  it('says that a shipped file is gone', async () => {
    rmSync(join(dir, EMBEDDER, 'model.int8.onnx'));
    expect((await listModels(dir)).find(({ name }) => name === EMBEDDER)!.where).toBe('absent');
  });
});

describe('verify', () => {
  it('looks at all that is here, and at nothing else unless it is named', async () => {
    const all = await checks();
    expect(all.map(({ model, check, ok }) => `${model} ${check} ${ok}`)).toEqual([
      `${EMBEDDER} files true`,
      `${EMBEDDER} sums true`,
      `${EMBEDDER} runs true`,
      `${CROSS} files true`,
      `${CROSS} sums true`,
      `${CROSS} runs true`,
    ]);
    expect(await checks(HUB_CROSS)).toEqual([
      {
        model: HUB_CROSS,
        check: 'files',
        ok: false,
        detail: 'not here',
        fix: `pragaura models pull ${HUB_CROSS}`,
      },
    ]);
    await expect(checks('nothing')).rejects.toMatchObject({ code: 'CONFIGURATION' });
  });

  it('warns of 8-bit products that are cut off on some processors, and counts them as no fault', async () => {
    const file = `${EMBEDDER}/model.int8.onnx`;
    const { bytes, output } = withComputedWeights(readFileSync(join(defaultModelsDir(), file)));
    const other = modelsDir(
      (lock) => {
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        Object.assign(lock.models[EMBEDDER].weights, { bytes: bytes.length, sha256 });
      },
      { [file]: bytes },
    );
    const found: ModelCheck[] = [];
    for await (const check of verifyModels(other, [EMBEDDER])) found.push(check);
    remove(other);
    expect(found.map(({ check, ok }) => `${check} ${ok}`)).toEqual(['files true', 'sums true', 'runs true']);
    expect(found[1]!.detail).toBe(
      `CARE: 1 8-bit products (${output}) are cut off on processors without VNNI: scores differ there`,
    );
  });

  it('says why where the cache cannot be read', async () => {
    vi.stubEnv('HF_HUB_CACHE', join(scratch(), 'x'.repeat(300)));
    const said: string[] = [];
    for await (const { ok } of verifyModels(dir, [], (message) => said.push(message))) expect(ok).toBe(true);
    expect(said).toContainEqual(expect.stringContaining(`${HUB_CROSS} counts as absent`));
    expect(await checks(HUB_CROSS)).toMatchObject([
      {
        ok: false,
        detail: expect.stringMatching(/^not here: .*the name is too long/),
        fix: expect.stringContaining('HF_HUB_CACHE'),
      },
    ]);
  });

  it('takes a branch that is a loop of links for one that was never pulled', async () => {
    const refs = join(hubSettings().cacheDir, 'models--acme--cross-encoder', 'refs');
    mkdirSync(refs, { recursive: true });
    symlinkSync('loop', join(refs, 'loop'));
    expect(await checks(`${HUB_CROSS}@loop`)).toMatchObject([{ ok: false, detail: 'not here' }]);
  });

  it('misses a shipped model that is gone, though nobody named it', async () => {
    rmSync(join(dir, EMBEDDER, 'model.int8.onnx'));
    const gone = { model: EMBEDDER, check: 'files', ok: false, detail: 'not here' };
    expect(await checks()).toContainEqual({ ...gone, fix: 'install the package anew' });
  });

  it('finds a swapped file', async () => {
    const weights = join(dir, CROSS, 'model.int8.onnx');
    const other = readFileSync(join(dir, EMBEDDER, 'model.int8.onnx'));
    rmSync(weights);
    writeFileSync(weights, other);
    const [files, ...rest] = await checks(CROSS);
    expect(files).toMatchObject({ ok: false, detail: expect.stringContaining(`has ${other.length} bytes`) });
    expect(rest).toEqual([]);
  });
});

it('a shipped model is not pulled', async () => {
  expect((await pulled(CROSS))[0]).toContain('nothing to pull');
  expect(hub.seen).toEqual([]);
});
