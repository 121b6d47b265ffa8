import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordsOf, runHere } from '../../cli/testing/cli.ts';
import type { Decision } from '../../router/index.ts';
import type { Generation } from '../generate.ts';
import { GeneratorServer } from '../testing/server.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-generate-'));
const index = path.join(folder, 'index');
const server = new GeneratorServer();
let url: string;
beforeAll(async () => {
  const document =
    '# Bridge\n\nThe bridge was opened in 1932.\n\nThe bridge is painted red every ten years.\n';
  writeFileSync(path.join(folder, 'bridge.md'), document);
  const { code, stderr } = await runHere(['index', path.join(folder, 'bridge.md'), '--out', index]);
  expect([code, stderr]).toMatchObject([0, expect.anything()]);
  url = await server.start();
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const QUERIES = [
  { id: 'a', query: 'When was the bridge opened?' },
  { id: 'b', query: 'Who is the king of Norway?' },
];

async function generate(
  ...more: string[]
): Promise<{ id: string; decision: Decision; generation: Generation | null }[]> {
  const options = [
    '--index',
    index,
    '--generator',
    url,
    '--model',
    'm',
    '--threads',
    '1',
    '--window',
    '1',
    ...more,
  ];
  const { code, stdout } = await runHere(['generate', ...options], {
    input: QUERIES.map((query) => JSON.stringify(query)).join('\n'),
    env: { PRAGAURA_GENERATOR_KEY: 'secret' },
  });
  expect(code).toBe(0);
  return recordsOf(stdout);
}

test('answers are worded by the endpoint, refusals never reach it', async () => {
  server.replies = [{ text: 'The bridge was opened in 1932 [1]. It has four towers [1].' }];
  const [answered, refused] = await generate();
  expect(answered!.decision.action).toBe('ANSWER');
  expect(answered!.generation).toMatchObject({
    status: 'generated',
    text: 'The bridge was opened in 1932 [1].',
  });
  expect(refused!.decision.action).not.toBe('ANSWER');
  expect(refused!.generation).toBeNull();
  expect(server.asked).toHaveLength(1);
  expect(server.asked[0]).toMatchObject({ authorization: 'Bearer secret', body: { model: 'm' } });
  expect(server.asked[0]!.body.messages[1]!.content).toContain('When was the bridge opened?');
});

test('what whoever asks may not read is sent to no endpoint', async () => {
  const policy = path.join(folder, 'policy.cedar');
  writeFileSync(policy, 'permit (principal in Role::"administrator", action == Action::"read", resource);');
  server.replies = [{ text: 'The bridge was opened in 1932 [1].' }];
  const before = server.asked.length;
  const [hidden] = await generate('--policy-file', policy);
  expect([hidden!.generation, hidden!.decision.evidence, server.asked.length]).toEqual([null, [], before]);
  const [shown] = await generate('--policy-file', policy, '--trust-local');
  expect(shown!.generation).toMatchObject({ status: 'generated' });
});

test('a wrong key leaves the quotes, and says why', async () => {
  server.replies = [{ status: 401 }];
  const [answered] = await generate();
  expect(answered!.generation).toMatchObject({
    status: 'quotes',
    text: answered!.decision.answer!.text,
    reason: 'GENERATOR_FAILED',
    failure: { code: 'GENERATOR_UNAVAILABLE', hint: expect.stringContaining('PRAGAURA_GENERATOR_KEY') },
  });
});
