import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { cachedGenerator } from './cached-generator.ts';
import { type GenerateCall, type Message, openGenerator } from './generator.ts';
import { openLocalGenerator } from './local-generator.ts';
import { costOf, loadPrices } from './prices.ts';
import { GeneratorServer } from './testing/server.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-generator-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let server: GeneratorServer;
let url: string;
let dir: string;
beforeEach(async () => {
  server = new GeneratorServer();
  url = await server.start();
  dir = mkdtempSync(path.join(folder, 'cache-'));
});
afterEach(() => server.stop());

async function generated(question = 'Who?', call: Partial<GenerateCall> = {}, model = 'm') {
  const retries = { tries: 1, firstDelayMs: 1, longestDelayMs: 1 };
  const generator = cachedGenerator(openGenerator({ url, model, retries, limits: { idleMs: 2_000 } }), dir);
  const messages: Message[] = [{ role: 'user', content: question }];
  let text = '';
  let requests = 0;
  const onRequest = () => {
    requests += 1;
  };
  const pieces = generator.generate(messages, { maxTokens: 10, onRequest, ...call });
  let next = await pieces.next();
  for (; !next.done; next = await pieces.next()) text += next.value;
  return { text, requests, ...next.value };
}

const files = () =>
  readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

it('asks the same once, and anew what differs in anything', async () => {
  server.replies = [{ text: 'Ada did.' }];
  const first = await generated();
  expect(first).toMatchObject({ text: 'Ada did.', requests: 1, ending: 'stop', usage: { promptTokens: 11 } });
  expect(await generated()).toEqual({ ...first, requests: 0 });
  for (const other of [
    generated('Why?'),
    generated('Who?', { maxTokens: 11 }),
    generated('Who?', { temperature: 0.7, seed: 1 }),
    generated('Who?', { temperature: 0.7, seed: 2 }),
    generated('Who?', {}, 'n'),
  ]) {
    expect((await other).requests).toBe(1);
  }
  expect(files()).toHaveLength(6);
});

it('keeps no answer that broke off, nor one whose caller went', async () => {
  server.replies = [{ text: 'Ada did it all.', breakAfter: 2 }];
  await expect(generated()).rejects.toMatchObject({ code: 'GENERATOR_UNAVAILABLE' });
  server.replies = [{ text: 'Ada did it all.' }];
  const generator = cachedGenerator(openGenerator({ url, model: 'm' }), dir);
  for await (const _ of generator.generate([{ role: 'user', content: 'Who?' }], { maxTokens: 10 })) break;
  expect(files()).toEqual([]);
});

it('asks anew for what it cannot read, and mends it', async () => {
  server.replies = [{ text: 'Ada did.' }];
  await generated();
  const [{ parentPath, name }] = files() as [ReturnType<typeof files>[0]];
  const file = path.join(parentPath, name);
  const whole = readFileSync(file, 'utf8');
  for (const broken of [
    '',
    whole.slice(0, 20),
    whole.replace('Ada', '"'),
    whole.replace(/"key":"./, '"key":"x'),
  ]) {
    writeFileSync(file, broken);
    expect(await generated()).toMatchObject({ text: 'Ada did.', requests: 1 });
    expect(readFileSync(file, 'utf8')).toBe(whole);
  }
});

it('what an answer costs is what the server counted, or our own count', async () => {
  const file = path.join(folder, 'prices.json');
  writeFileSync(file, '{"currency":"EUR","perTokens":1000,"models":{"m":{"prompt":1,"generated":4}}}');
  const prices = await loadPrices(file);
  const spent = { promptTokens: 500, generatedTokens: 50, requests: 1 };
  const usage = { promptTokens: 400, generatedTokens: null };
  expect(costOf(prices, 'm', spent, usage)).toEqual({ amount: (400 + 50 * 4) / 1000, currency: 'EUR' });
  expect(costOf(prices, 'm', { ...spent, requests: 0 }, usage)).toEqual({ amount: 0, currency: 'EUR' });
  expect(costOf(prices, 'toString', spent, usage)).toBeNull();
  expect(costOf(undefined, 'm', spent, usage)).toBeNull();
  writeFileSync(file, '{"currency":"EUR"}');
  await expect(loadPrices(file)).rejects.toMatchObject({ code: 'CONFIGURATION' });
  await expect(loadPrices(folder)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('a model in a file needs the file, and what runs it', async () => {
  await expect(openLocalGenerator({ file: path.join(folder, 'none.gguf') })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await expect(openLocalGenerator({ file: folder })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const file = path.join(folder, 'some.gguf');
  writeFileSync(file, 'GGUF');
  // Not among what is installed here; with it: npm run local-model.
  await expect(openLocalGenerator({ file })).rejects.toMatchObject({
    code: 'CONFIGURATION',
    hint: expect.stringContaining('npm install node-llama-cpp@3'),
  });
});
