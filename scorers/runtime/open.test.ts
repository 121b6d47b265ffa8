import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { ScorersOptions } from '../types.ts';
import { OTHERWISE, openScorers } from './open.ts';
import { defaultModelsDir } from './registry.ts';
import { type AnyLock, CROSS, EMBEDDER, modelsDir, remove } from './testing/models-dir.ts';
import { inside, sum, tensor, withComputedWeights, withWeights } from './testing/onnx.ts';

const EMBEDDER_FILE = `${EMBEDDER}/model.int8.onnx`;
const CROSS_FILE = `${CROSS}/model.int8.onnx`;
const original = (path: string): Buffer => readFileSync(join(defaultModelsDir(), path));

let dirs: string[] = [];
function folder(...args: Parameters<typeof modelsDir>): string {
  const dir = modelsDir(...args);
  dirs.push(dir);
  return dir;
}
afterEach(() => {
  vi.unstubAllEnvs();
  for (const dir of dirs) remove(dir);
  dirs = [];
});

async function refusal(dir: string, options: ScorersOptions = {}) {
  return await openScorers({ modelsDir: dir, threads: 1, ...options }).then(
    async (scorers) => {
      await scorers.close();
      throw new Error('was opened');
    },
    (error: unknown) => error as { code: string; message: string; hint: string },
  );
}

/** Locks `bytes` as the weights of a model, as somebody would who means them. */
function locked(lock: AnyLock, model: string, bytes: Uint8Array): void {
  const { weights } = lock.models[model];
  weights.bytes = bytes.length;
  weights.sha256 = createHash('sha256').update(bytes).digest('hex');
}

test('the weights of the package stay within what was promised', () => {
  const { models }: AnyLock = JSON.parse(readFileSync(join(defaultModelsDir(), 'models.lock.json'), 'utf8'));
  const ours = [EMBEDDER, CROSS].map((name) => models[name]);
  const files = new Map(
    ours.flatMap(({ weights, tokenizer }) => [weights, tokenizer].map((f) => [f.path, f.bytes])),
  );
  const sum = [...files.values()].reduce((total, bytes) => total + bytes, 0);
  expect(sum).toBeGreaterThan(50e6);
  expect(sum).toBeLessThan(59e6); // of 60 MB; acts and planner have .6
});

test('a missing weights file', async () => {
  const error = await refusal(folder(undefined, { [CROSS_FILE]: null }));
  expect(error).toMatchObject({ code: 'MODEL_UNUSABLE', hint: expect.stringMatching(/install|put back/) });
  expect(error.message).toContain(CROSS_FILE);
});

test('a truncated weights file', async () => {
  const half = original(CROSS_FILE).subarray(0, 11_000_000);
  const error = await refusal(folder(undefined, { [CROSS_FILE]: half }));
  expect(error.code).toBe('MODEL_UNUSABLE');
  expect(error.message).toContain('has 11000000 bytes, not ');
});

test('swapped files', async () => {
  const swapped = { [CROSS_FILE]: original(EMBEDDER_FILE), [EMBEDDER_FILE]: original(CROSS_FILE) };
  expect(await refusal(folder(undefined, swapped))).toMatchObject({ code: 'MODEL_UNUSABLE' });
  const relocked = folder((lock) => {
    locked(lock, CROSS, swapped[CROSS_FILE]!);
    locked(lock, EMBEDDER, swapped[EMBEDDER_FILE]!);
  }, swapped);
  const error = await refusal(relocked);
  expect(error.code).toBe('MODEL_UNUSABLE');
  expect(error.message).toMatch(/outputs/);
});

test('one changed bit', async () => {
  const bytes = Buffer.from(original(CROSS_FILE));
  bytes[12_345_678]! ^= 1;
  const error = await refusal(folder(undefined, { [CROSS_FILE]: bytes }));
  expect(error).toMatchObject({ code: 'MODEL_UNUSABLE', message: expect.stringContaining('sha256') });
});

test('a changed tokenizer', async () => {
  const bytes = Buffer.from(original('bert-uncased/tokenizer.json'));
  bytes[200_000]! ^= 1;
  const error = await refusal(folder(undefined, { 'bert-uncased/tokenizer.json': bytes }));
  expect(error.message).toContain('bert-uncased/tokenizer.json');
});

test.each([
  ['contradiction', 'neutral', 'entailment'],
  ['neutral', 'entailment', 'contradiction'],
])('a wrong label order %s, %s, %s', async (...labels) => {
  const dir = folder((lock) => {
    lock.models[CROSS].jobs.nli.labels = labels;
  });
  const error = await refusal(dir, { jobs: ['nli'] });
  expect(error.code).toBe('MODEL_UNUSABLE');
  expect(error.message).toMatch(/known pairs.*nli/);
  expect(error.message).toContain(CROSS_FILE);
});

test('known pairs of every job are looked at', async () => {
  const spoil: [string, (lock: AnyLock) => void][] = [
    [
      'embed',
      (lock) =>
        Object.assign(lock.models[EMBEDDER].jobs.embed.known[2], {
          near: 'x',
          far: 'What is photosynthesis?',
        }),
    ],
    [
      'rerank',
      (lock) =>
        Object.assign(lock.models[CROSS].jobs.rerank.known[2], {
          better: 'x',
          worse: 'Oslo is the capital of Norway.',
        }),
    ],
    ['read', (lock) => Object.assign(lock.models[CROSS].jobs.read.known[2], { answer: 'Heavy rain' })],
  ];
  for (const [job, change] of spoil) {
    const error = await refusal(folder(change));
    expect(error.message).toContain(`known pairs come out wrong: ${job}`);
  }
});

test('start and end swapped', async () => {
  const dir = folder((lock) => {
    Object.assign(lock.models[CROSS].jobs.read, { start: 'end', end: 'start' });
  });
  expect(await refusal(dir, { jobs: ['read'] })).toMatchObject({ code: 'MODEL_UNUSABLE' });
});

test('what is not ONNX', async () => {
  const bytes = Buffer.from('<html>not found</html>');
  const error = await refusal(folder((lock) => locked(lock, CROSS, bytes), { [CROSS_FILE]: bytes }));
  expect(error.code).toBe('MODEL_UNUSABLE');
  expect(error.message).toContain(CROSS_FILE);
});

test('weights that lie in another file', async () => {
  const bytes = sum(tensor({ file: '../../etc/passwd', reversed: true }));
  const error = await refusal(folder((lock) => locked(lock, CROSS, bytes), { [CROSS_FILE]: bytes }));
  expect(error.code).toBe('MODEL_UNUSABLE');
  expect(error.message).toContain('keeps weights in another file');
});

test('an opset that the runtime does not know', async () => {
  const bytes = Buffer.from(original(CROSS_FILE));
  // `opset_import { domain: "" version: 17 }`, at the end of the file.
  const at = bytes.lastIndexOf(Buffer.from([0x42, 0x04, 0x0a, 0x00, 0x10, 17]));
  expect(at).toBeGreaterThan(bytes.length - 1000);
  bytes[at + 5] = 99;
  const error = await refusal(folder((lock) => locked(lock, CROSS, bytes), { [CROSS_FILE]: bytes }));
  expect(error.code).toBe('MODEL_UNUSABLE');
  expect(error.message).toContain(CROSS_FILE);
  expect(error.message).toMatch(/opset 99/i);
});

test('an output of another width than its job has', async () => {
  const wider = folder((lock) => {
    lock.models[EMBEDDER].jobs.embed.dimension = 768;
  });
  const error = await refusal(wider, { jobs: ['embed'] });
  expect(error).toMatchObject({
    code: 'MODEL_UNUSABLE',
    message: expect.stringContaining('last_hidden_state'),
  });
  const verdict = folder((lock) => {
    const { jobs } = lock.models[CROSS];
    Object.assign(jobs, { nli: undefined, read: undefined, rerank: { ...jobs.rerank, output: 'nli' } });
  });
  expect((await refusal(verdict, { jobs: ['rerank'] })).code).toBe('MODEL_UNUSABLE');
});

test('outputs that the lock file does not know, or that are missing', async () => {
  const unknown = folder((lock) => {
    delete lock.models[CROSS].jobs.nli;
  });
  expect((await refusal(unknown, { jobs: ['rerank'] })).message).toContain('unknown outputs: nli');
  const missing = folder((lock) => {
    lock.models[CROSS].jobs.nli.output = 'verdict';
  });
  expect((await refusal(missing, { jobs: ['nli'] })).message).toMatch(/outputs/);
});

test('a lock file that is missing, no JSON, of another schema, or that leads out of its folder', async () => {
  const dir = folder();
  for (const change of [
    (lock: AnyLock) => Object.assign(lock, { schema: 'pragaura.models/2' }),
    (lock: AnyLock) => Object.assign(lock.models[CROSS].weights, { path: '../../secret' }),
    (lock: AnyLock) => Object.assign(lock.models[CROSS].weights, { path: '/etc/passwd' }),
    (lock: AnyLock) =>
      Object.assign(lock.models[CROSS].jobs.nli, { labels: ['entailment', 'neutral', 'neutral'] }),
    (lock: AnyLock) => Object.assign(lock.models[CROSS], { surprise: true }),
    (lock: AnyLock) => lock.models[CROSS].jobs.nli.known.pop(),
    (lock: AnyLock) => {
      const { nli } = lock.models[CROSS].jobs;
      nli.known = [nli.known[0], nli.known[0], nli.known[0]];
    },
    (lock: AnyLock) => Object.assign(lock.models[CROSS], { config: { path: 'config.json' } }),
  ]) {
    expect(await refusal(folder(change))).toMatchObject({ code: 'MODEL_UNUSABLE' });
  }
  expect(await refusal(join(dir, 'nowhere'))).toMatchObject({ code: 'MODEL_UNUSABLE' });
});

test('a model that does not exist or cannot do the job', async () => {
  const dir = folder();
  for (const name of ['nothing', 'constructor', '__proto__', EMBEDDER]) {
    const error = await refusal(dir, { models: { nli: name } });
    expect(error).toMatchObject({
      code: 'CONFIGURATION',
      hint: expect.stringMatching(new RegExp(`for nli: .*${CROSS}`)),
    });
  }
});

test.each([0, -1, 1.5, Number.NaN])('%s threads', async (threads) => {
  expect(await refusal(folder(), { threads })).toMatchObject({ code: 'CONFIGURATION' });
});

/** Hears all that is announced but that the processor is an old one, which hangs on where this runs. */
function butTheProcessor(said: string[]): (message: string) => void {
  return (message) => {
    if (message !== OTHERWISE.unfused) said.push(message);
  };
}

test.each(['cuda', 'webgpu'] as const)(
  '%s where there is none falls back to cpu, announced once',
  async (provider) => {
    for (const name of ['VK_DRIVER_FILES', 'VK_ICD_FILENAMES']) vi.stubEnv(name, '/no/driver.json');
    vi.stubEnv('CUDA_VISIBLE_DEVICES', '');
    const said: string[] = [];
    const scorers = await openScorers({ provider, threads: 1, announce: butTheProcessor(said) });
    try {
      expect(said).toHaveLength(1);
      expect(said[0]).toMatch(new RegExp(`^${provider} is not available here \\(.+\\); running on cpu$`));
      expect(scorers.info).toMatchObject({ requestedProvider: provider, provider: 'cpu', threads: 1 });
      const [score] = await scorers.rerank([{ query: 'Who?', passage: 'Ada.' }]);
      expect(score!.score).toBeGreaterThan(0);
    } finally {
      await scorers.close();
    }
  },
);

test.each([
  ['failing', 'scoring failed: out of device memory'],
  ['dying', 'scoring failed: the inference thread ended'],
])('a device that takes all and is %s at its first run is left for the cpu too', async (end, reason) => {
  const said: string[] = [];
  const scorers = await openScorers(
    { provider: 'cuda', threads: 2, jobs: ['rerank'], announce: butTheProcessor(said) },
    new URL(`./testing/${end}-provider.mjs`, import.meta.url),
  );
  expect(said).toEqual([`cuda is not available here (${reason}); running on cpu`]);
  expect(scorers.info).toMatchObject({ provider: 'cpu', threads: 2 });
  await scorers.close();
});

test('a provider whose numbers are wrong falls back too', async () => {
  const said: string[] = [];
  const scorers = await openScorers(
    { provider: 'webgpu', threads: 1, jobs: ['nli'], announce: butTheProcessor(said) },
    new URL('./testing/wrong-provider.mjs', import.meta.url),
  );
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(
    /^webgpu is not available here \(its known pairs come out wrong: nli.*running on cpu$/,
  );
  expect(scorers.info.provider).toBe('cpu');
  await scorers.close();
});

test.each([
  [0.03, 'webgpu', []],
  [
    0.3,
    'cpu',
    [
      "webgpu is not available here (its scores are not the CPU's: a relevance logit is 0.30 off, 0.1 at most; " +
        'weights in float may do ("pragaura models dequantize")); running on cpu',
    ],
  ],
])(
  'a provider that gets the known pairs right with logits %s off runs on %s',
  async (shift, provider, expected) => {
    vi.stubEnv('PRAGAURA_TEST_SHIFT', `${shift}`);
    const said: string[] = [];
    const scorers = await openScorers(
      {
        provider: 'webgpu',
        jobs: ['rerank', 'read', 'nli'],
        announce: butTheProcessor(said),
        threads: 1,
      },
      new URL('./testing/shifted-provider.mjs', import.meta.url),
    );
    expect(said).toEqual(expected);
    expect(scorers.info.provider).toBe(provider);
    await scorers.close();
  },
);

const OLD_PROCESSOR = new URL('./testing/old-processor.mjs', import.meta.url);

test.each([
  ['unfused', 'this processor lacks AVX2 and FMA'],
  ['saturating', 'sums of 8-bit products are cut off on this processor'],
])(
  'sums that are %s are announced once, and stand in what is told of the scorers',
  async (arithmetic, why) => {
    vi.stubEnv('PRAGAURA_TEST_SUMS', JSON.stringify({ arithmetic, widened: false }));
    const said: string[] = [];
    const announce = (message: string) => said.push(message);
    const scorers = await openScorers({ threads: 2, jobs: ['embed'], announce }, OLD_PROCESSOR);
    await scorers.close();
    expect(said).toEqual([expect.stringContaining(why)]);
    expect(said[0]).not.toContain('models verify');
    expect(scorers.info).toMatchObject({ arithmetic, widened: false });
  },
);

test('a model whose weights cannot be taken as unsigned is told of where that is needed, and only there', async () => {
  const { bytes } = withComputedWeights(original(EMBEDDER_FILE));
  const dir = folder((lock) => locked(lock, EMBEDDER, bytes), { [EMBEDDER_FILE]: bytes });
  const opened = async (modelsDir: string | undefined, widened: boolean) => {
    vi.stubEnv('PRAGAURA_TEST_SUMS', JSON.stringify({ arithmetic: 'exact', widened }));
    const said: string[] = [];
    const options = {
      threads: 1,
      jobs: ['embed'],
      announce: (message: string) => said.push(message),
    } as const;
    const scorers = await openScorers({ ...options, ...(modelsDir && { modelsDir }) }, OLD_PROCESSOR);
    await scorers.close();
    return { said, arithmetic: scorers.info.arithmetic };
  };
  expect(await opened(dir, true)).toEqual({
    arithmetic: 'saturating',
    said: [expect.stringContaining('"pragaura models verify" says in which model')],
  });
  expect(await opened(dir, false)).toEqual({ arithmetic: 'exact', said: [] });
  expect(await opened(undefined, true)).toEqual({ arithmetic: 'exact', said: [] });
});

test('a runtime that does not start is no fault of a model', async () => {
  const thread = new URL('data:text/javascript,throw new Error("no native library")');
  await expect(openScorers({ threads: 1, jobs: ['embed'] }, thread)).rejects.toMatchObject({
    code: 'SCORING_FAILED',
    message: expect.stringContaining('no native library'),
    hint: expect.not.stringMatching(/models\.lock\.json|models verify/),
  });
});

test('close lets calls finish whose texts are still being encoded, and takes no more', async () => {
  const scorers = await openScorers({ threads: 1, jobs: ['embed'] });
  const [short, long] = [scorers.embed(['a']), scorers.embed(['a '.repeat(100_000)])];
  const closed = scorers.close();
  await expect(scorers.embed(['b'])).rejects.toMatchObject({ code: 'SCORING_FAILED' });
  expect((await Promise.all([short, long])).flat()).toHaveLength(2);
  await closed;
});

test('a missing file is no matter of the provider', async () => {
  const said: string[] = [];
  const dir = folder(undefined, { [CROSS_FILE]: null });
  const error = await refusal(dir, { provider: 'cuda', announce: (message) => said.push(message) });
  expect(error).toMatchObject({ code: 'MODEL_UNUSABLE', message: expect.stringContaining(CROSS_FILE) });
  expect(said).toEqual([]);
});

test('shipped models need no hub, whatever is said of one', async () => {
  vi.stubEnv('HF_ENDPOINT', 'no address');
  const scorers = await openScorers({ threads: 1, jobs: ['embed'] });
  expect(await scorers.embed(['a'])).toHaveLength(1);
  await scorers.close();
});

test('only the models of the jobs asked for are loaded', async () => {
  const dir = folder(undefined, { [CROSS_FILE]: null });
  const scorers = await openScorers({ modelsDir: dir, threads: 1, jobs: ['embed'] });
  expect(Object.keys(scorers.info.models)).toEqual(['embed']);
  expect(scorers.countTokens('unaffable days')).toBe(4);
  await expect(scorers.nli([{ premise: '', hypothesis: '' }])).rejects.toMatchObject({
    code: 'CONFIGURATION',
  });
  await scorers.close();
});

test('what is not finite is an error and never a score', async () => {
  const word = 18_112; // "bakery", which is in no known pair of the embedder
  const scale = (raw: Uint8Array): Uint8Array => {
    const changed = Buffer.from(raw);
    changed.writeFloatLE(Number.NaN, word * 4);
    return changed;
  };
  const spoilt = withWeights(original(EMBEDDER_FILE), (name, tensor) =>
    name === 'words.scale' ? inside(9, scale)(tensor) : tensor,
  );
  const dir = folder((lock) => locked(lock, EMBEDDER, spoilt), { [EMBEDDER_FILE]: spoilt });
  const scorers = await openScorers({ modelsDir: dir, threads: 1, jobs: ['embed'] });
  try {
    await expect(scorers.embed(['The bakery sells bread.'])).rejects.toThrow(
      'last_hidden_state is not finite',
    );
    const [vector] = await scorers.embed(['The shop sells bread.']);
    expect(vector!.every(Number.isFinite)).toBe(true);
  } finally {
    await scorers.close();
  }
});
