import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recordsOf, runCli, runHere, startCli } from '../../cli/testing/cli.ts';
import {
  crossWeights,
  HUB_CROSS,
  HUB_FILES,
  offer,
  withHubModel,
} from '../../scorers/hub/testing/real-models.ts';
import { scratch } from '../../scorers/hub/testing/scratch.ts';
import { HubServer, sha256 } from '../../scorers/hub/testing/server.ts';
import { CROSS, remove } from '../../scorers/runtime/testing/models-dir.ts';

let hub: HubServer;
let dir = '';
beforeAll(async () => {
  hub = await HubServer.start();
  dir = withHubModel();
});
afterAll(async () => {
  await hub.stop();
  remove(dir);
});
beforeEach(() => {
  hub.seen.length = 0;
  hub.faults = [];
  offer(hub);
});

function environment() {
  const folder = scratch();
  return {
    folder,
    blobs: join(folder, 'hub', 'models--acme--cross-encoder', 'blobs'),
    env: { HF_ENDPOINT: hub.url, HF_HUB_CACHE: join(folder, 'hub'), XDG_STATE_HOME: join(folder, 'state') },
  };
}

const pull = ['models', 'pull', HUB_CROSS, '--models-dir'];

describe('pragaura models', () => {
  it('pulls, lists and verifies; data on standard output, the rest beside it', async () => {
    const { env } = environment();
    const missing = await runHere(['models', 'verify', HUB_CROSS, '--models-dir', dir], { env });
    expect(missing).toMatchObject({ code: 69, stdout: expect.stringContaining('FAIL') });
    const pulled = await runHere([...pull, dir, '--json'], { env });
    expect(pulled.code).toBe(0);
    const [record] = recordsOf<{ schema: string; models: { files: { sha256: string }[] }[] }>(pulled.stdout);
    expect(record).toMatchObject({ schema: 'pragaura.pulled-models/1' });
    expect(record!.models[0]!.files[0]!.sha256).toBe(sha256(crossWeights()));
    expect(pulled.stderr).toContain('trusted from now on');
    const listed = await runHere(['models', 'list'], { env: { ...env, PRAGAURA_MODELS_DIR: dir } });
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toMatch(new RegExp(`^${HUB_CROSS} +rerank read nli +cache`, 'm'));
    const verified = await runHere(['models', 'verify', HUB_CROSS, '--models-dir', dir, '--json'], { env });
    expect(verified).toMatchObject({ code: 0, stderr: '' });
    expect(recordsOf(verified.stdout)).toMatchObject([{ schema: 'pragaura.model-checks/1', ok: true }]);
  });

  it('pulls once when two processes pull', async () => {
    const { env } = environment();
    hub.faults = [{ on: 'cdn', breakAfter: 1_000_000 }];
    const both = await Promise.all([1, 2].map(() => runCli([...pull, dir], { env })));
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    const weights = hub.seen.filter(({ on, path }) => on === 'cdn' && path.includes(HUB_FILES.weights));
    expect(weights.map(({ range }) => range === undefined)).toEqual([true, false]);
  });

  it('stops at Ctrl-C and goes on where it stopped', async () => {
    const { env, blobs } = environment();
    hub.faults = [{ on: 'cdn', stallAfter: 5_000_000 }];
    const child = startCli([...pull, dir], { env });
    const partial = join(blobs, `${sha256(crossWeights())}.pragaura.incomplete`);
    while (!existsSync(partial)) await new Promise((resolve) => setTimeout(resolve, 20));
    child.process.kill('SIGINT');
    const stopped = await child.finished;
    expect(stopped).toMatchObject({ code: 130, stdout: '' });
    expect(stopped.stderr).toContain('goes on where it stopped');
    expect(existsSync(partial)).toBe(true);
    hub.faults = [];
    expect((await runHere([...pull, dir], { env })).code).toBe(0);
    expect(readdirSync(blobs).some((name) => name.endsWith('incomplete'))).toBe(false);
  });

  it.each([
    [['models'], 2, 'list, verify, pull or dequantize'],
    [['models', 'pull'], 2, 'need at least 1'],
    [['models', 'pull', 'nothing'], 78, 'there is no model "nothing"'],
    [['models', 'list', '--models-dir', '/nowhere'], 69, '/nowhere/models.lock.json'],
  ] as const)('%j', async (args, code, words) => {
    const finished = await runHere(args);
    expect(finished).toMatchObject({ code, stdout: '' });
    expect(finished.stderr).toContain(words);
  });
});

describe('the model of a job', () => {
  const pairs = '{"id":"1","premise":"Ada sleeps.","hypothesis":"Ada is awake."}\n';

  it('comes from the command line, the file or the environment, and gives its own scores', async () => {
    const { env, folder } = environment();
    const config = join(folder, 'config.json');
    writeFileSync(
      config,
      JSON.stringify({ models: { nli: HUB_CROSS, embed: 'nothing' }, 'models-dir': dir }),
    );
    const absent = await runHere(['score', 'nli', '--config', config], { input: pairs, env });
    expect(absent).toMatchObject({ code: 69, stdout: '' });
    expect(absent.stderr).toContain(`pragaura models pull ${HUB_CROSS}`);
    expect((await runHere([...pull, dir], { env })).code).toBe(0);

    const shipped = await runCli(['score', 'nli'], { input: pairs });
    const ways = [
      await runHere(['score', 'nli', '--models-dir', dir, '--models.nli', HUB_CROSS], { input: pairs, env }),
      await runHere(['score', 'nli', '--config', config], { input: pairs, env }),
      await runHere(['score', 'nli', '--models-dir', dir], {
        input: pairs,
        env: { ...env, PRAGAURA_MODELS__NLI: HUB_CROSS },
      }),
    ];
    for (const way of ways) expect(way).toEqual({ ...shipped, code: 0 });
  });

  it('stands in the decision', async () => {
    const { env, folder } = environment();
    expect((await runHere([...pull, dir], { env })).code).toBe(0);
    writeFileSync(join(folder, 'bridge.md'), '# The bridge\n\nThe bridge was opened to traffic in 1932.\n');
    const index = join(folder, 'index');
    expect((await runHere(['index', join(folder, 'bridge.md'), '--out', index])).code).toBe(0);
    const args = ['ask', 'When was the bridge opened?', '--index', index, '--json', '--models-dir', dir];
    const asked = await runHere([...args, '--models.nli', HUB_CROSS], { env });
    const [decision] = recordsOf<{ versions: { models: Record<string, string> } }>(asked.stdout);
    // Of the same files and settings, wherever they came from.
    const identity = /@([0-9a-f]{64})$/.exec(decision!.versions.models.nli!)![1];
    expect(decision!.versions.models).toMatchObject({
      nli: `${HUB_CROSS}@${identity}`,
      rerank: `${CROSS}@${identity}`,
    });
  });

  it.each([
    ['--models.nli nothing', 78, 'there is no model "nothing"'],
    ['--models.nli pragaura-embedder', 78, 'cannot nli'],
    ['--models.embed pragaura-embedder', 2, 'Unknown argument: models.embed'],
    ['--models nothing', 2, '--models takes a job'],
    ['--models.nli a --models.nli b', 2, 'takes one NAME'],
  ])('score nli %s', async (options, code, words) => {
    const finished = await runHere(['score', 'nli', ...options.split(' ')], { input: pairs });
    expect(finished).toMatchObject({ code, stdout: '' });
    expect(finished.stderr).toContain(words);
  });
});
