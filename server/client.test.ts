/** A client that is generated from the OpenAPI file: it compiles, and a program with it works against a real server. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { generateSource } from 'oazapfts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../common/testing/packed.ts';
import { demoIndex } from '../router/testing/demo-index.ts';
import { openScorers, type Scorers } from '../scorers/index.ts';
import { openLog } from '../workers/health/log.ts';
import type { Server } from './server.ts';
import { testServer } from './testing/serve.ts';

const run = promisify(execFile);
const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-client-'));
// Below the project, so that its packages are found.
const client = path.join(ROOT, '.pragaura', 'client');
let scorers: Scorers;
let server: Server;

const PROGRAM = `
import { HttpError, ok } from '@oazapfts/runtime';
import * as pragaura from './client.js';

pragaura.defaults.baseUrl = process.argv[2]!;
const query = 'Who leads the platform team?';
const decision = await ok(pragaura.decide({ query }));
const ranking = await ok(pragaura.retrieve({ query, k: 2 }));
const { collections } = await ok(pragaura.listCollections());
const name = collections[0]!.name;
let job = await ok(pragaura.putDocument(name, 'house/kiln.md', new Blob(['The kiln is fired at 1240 degrees.'])));
while (job.state !== 'done') job = await ok(pragaura.getJob(job.id));
const { documents } = await ok(pragaura.listDocuments(name, { limit: 1000 }));
const wrong = await ok(pragaura.getDocument(name, 'none.md')).catch((error: HttpError) => error);
console.log(
  JSON.stringify({
    action: decision.action,
    quote: decision.answer?.quotes[0]?.text,
    hits: ranking.hits.length,
    served: job.served,
    listed: documents.some(({ id }) => id === 'house/kiln.md'),
    problem: wrong instanceof HttpError ? wrong.data.code : null,
  }),
);
`;

beforeAll(async () => {
  const index = path.join(folder, 'index');
  await demoIndex(index);
  scorers = await openScorers({ threads: 2 });
  const log = openLog({ level: 'silent', write: () => {} });
  server = await testServer({ collections: [{ name: 'demo', index, scorers }], scorers, log, writable: {} });
});
afterAll(async () => {
  await server?.close(0);
  await scorers?.close();
  rmSync(folder, { recursive: true, force: true });
  rmSync(client, { recursive: true, force: true });
});

it('in TypeScript', async () => {
  mkdirSync(client, { recursive: true });
  writeFileSync(path.join(client, 'client.ts'), await generateSource(`${server.url}/openapi.json`));
  writeFileSync(path.join(client, 'program.ts'), PROGRAM);
  writeFileSync(path.join(client, 'package.json'), '{"type":"module"}');
  const options = [
    '--ignoreConfig',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--types',
    'node',
  ];
  const tsc = path.join(ROOT, 'node_modules/.bin/tsc');
  const { stdout: faults } = await run(tsc, [...options, path.join(client, 'program.ts')], {
    cwd: ROOT,
  }).catch((error: { stdout: string }) => error);
  expect(faults).toBe('');
  const { stdout } = await run(process.execPath, [path.join(client, 'program.js'), server.url]);
  expect(JSON.parse(stdout)).toEqual({
    action: 'ANSWER',
    quote: expect.stringMatching(/\w/),
    hits: 2,
    served: true,
    listed: true,
    problem: 'NOT_FOUND',
  });
});
