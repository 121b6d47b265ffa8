/** A collection that lies in an engine: the same decisions, a new generation taken up, the engine gone. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli, startCli } from '../cli/testing/cli.ts';
import { FILES, QUESTIONS } from '../corpus/backend/testing/decisions.ts';
import { type RunningPostgres, startPostgres } from '../corpus/backend/testing/start-postgres.ts';
import { indexDocuments, publish } from '../corpus/index.ts';
import { Scratch } from '../corpus/testing/support.ts';

let engine: RunningPostgres;
const scratch = new Scratch();
const dir = path.join(scratch.folder(), '..', 'harbour');
beforeAll(async () => {
  engine = await startPostgres();
});
afterAll(() => {
  scratch.clear();
});

async function put(files: Record<string, string>): Promise<void> {
  await indexDocuments([scratch.folder(files)], { out: dir, keepMissing: true });
  await publish(dir, engine.backend);
}

it('is served as a folder is, and goes on with its newest generation until the engine is gone', async () => {
  await put(FILES);
  const child = startCli(['serve', '--index', 'harbour', '--backend', engine.backend, '--port', '0']);
  await child.until(({ stdout }) => stdout.endsWith('\n'));
  const url = child.stdout.trim();
  const decide = async (query: string) => {
    const body = JSON.stringify({ id: 'q', query });
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${url}/v1/decisions`, { method: 'POST', headers, body })).json();
  };
  const state = async () => {
    const { collections } = (await (await fetch(`${url}/v1/collections`)).json()) as {
      collections: { index: string; stale: boolean }[];
    };
    return collections[0]!;
  };

  expect(await decide(QUESTIONS[0]!)).toMatchObject({
    action: 'ANSWER',
    answer: { text: expect.stringContaining('1874') },
  });

  const before = await state();
  await put({ 'mole.md': '# The mole\n\nThe mole of the harbour is 900 metres long.\n' });
  while ((await state()).index === before.index) await sleep(200);
  const { evidence } = await decide('How long is the mole of the harbour?');
  expect(evidence[0].docId).toContain('mole.md');

  await engine.stop();
  while (!(await state()).stale) await sleep(200);
  expect(await decide(QUESTIONS[0]!)).toMatchObject({
    action: 'ABSTAIN',
    abstention: { reason: 'INDEX_UNAVAILABLE' },
  });
  child.process.kill('SIGTERM');
  expect((await child.finished).code).toBe(0);
});

it('takes no documents and goes by no policy', async () => {
  const serve = ['serve', '--index', 'harbour', '--backend', 'pgvector=postgres://localhost/docs'];
  for (const more of [['--writable'], ['--policy-file', 'policy.cedar']]) {
    const { code, stderr } = await runCli([...serve, ...more]);
    expect(code).toBe(2);
    expect(stderr).toContain('engine');
    expect(stderr).toContain(more[0]);
  }
});
