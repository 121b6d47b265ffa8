/** A calibration over HTTP: put, taken up at once, kept for the next server, refused where it does not fit. */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { runCli, startCli } from '../cli/testing/cli.ts';
import { verifyLog } from '../governance/index.ts';
import { demoIndex } from '../router/testing/demo-index.ts';
import { calibrate } from './testing/calibrate.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-calibrations-'));
const demo = path.join(folder, 'demo');
const made = path.join(folder, 'made.json');
/** A program by itself: an artifact is for the build that made it. */
let server: { url: string; close(): Promise<void> } | null = null;
let index: string;
let file: string;

beforeAll(async () => {
  await demoIndex(demo);
  await calibrate(demo, made);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  const own = mkdtempSync(path.join(folder, 'own-'));
  index = path.join(own, 'index');
  file = path.join(own, 'c.json');
  cpSync(demo, index, { recursive: true });
});
afterEach(async () => {
  await server?.close();
  server = null;
});

async function serve(...args: string[]): Promise<void> {
  const child = startCli(['serve', '--index', `demo=${index}`, '--port', '0', '--threads', '1', ...args]);
  await child.until(({ stdout }) => stdout.endsWith('\n'));
  server = {
    url: child.stdout.trim(),
    close: async () => {
      child.process.kill('SIGTERM');
      expect((await child.finished).code).toBe(0);
    },
  };
}

const artifact = () => JSON.parse(readFileSync(made, 'utf8'));
const at = ({ url }: { url: string } = server!) => `${url}/v1/collections/demo/calibration`;
const put = (body: unknown, where = at()) =>
  fetch(where, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const problem = async (response: Promise<Response>) => {
  const { status, code } = await (await response).json();
  return [status, code];
};
// biome-ignore lint/suspicious/noExplicitAny: what a server says is of any shape.
async function decision({ url }: { url: string } = server!): Promise<any> {
  const response = await fetch(`${url}/v1/decisions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'Who leads the platform team?' }),
  });
  return response.json();
}

it('decides from then on, is given out, and is on the audit log', async () => {
  const audit = `${file}.audit`;
  await serve('--writable', '--calibration', file, '--audit', audit);
  expect(await problem(fetch(at()))).toEqual([404, 'NOT_FOUND']);
  expect((await decision()).guarantee.status).toBe('NOT_CALIBRATED');
  expect((await put(artifact())).status).toBe(200);
  const { guarantee, versions } = await decision();
  expect(guarantee.status).toBe('CALIBRATED');
  expect(versions.calibration).not.toBeNull();
  expect(await (await fetch(at())).json()).toEqual(artifact());
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(artifact());
  await server!.close();
  server = null;
  expect(await verifyLog(audit)).toMatchObject({ verdict: 'whole' });
  expect(readFileSync(audit, 'utf8')).toContain('"kind":"calibration.replaced"');
});

it('decides at the next server too, and none is needed to start the first', async () => {
  const without = await runCli(['serve', '--index', index, '--calibration', file, '--port', '0']);
  expect([without.code, without.stderr]).toEqual([66, expect.stringContaining('cannot be read')]);
  await serve('--writable', '--calibration', file);
  expect(await (await put(artifact())).json()).toMatchObject({ name: 'demo', calibrated: true });
  await server!.close();
  await serve('--calibration', file);
  expect((await decision()).guarantee.status).toBe('CALIBRATED');
});

it('is refused where it was changed or made for another index, and nothing changes', async () => {
  await serve('--writable', '--calibration', file);
  expect((await put(artifact())).status).toBe(200);
  const before = readFileSync(file, 'utf8');
  expect(await problem(put({ ...artifact(), nonsense: 1 }))).toEqual([422, 'CALIBRATION_UNUSABLE']);
  expect(await problem(put({ schema: 'x' }))).toEqual([422, 'CALIBRATION_UNUSABLE']);
  expect(await problem(put([]))).toEqual([400, 'INVALID_INPUT']);
  const note = { method: 'PUT', body: 'The kiln is fired at 1240 degrees.' };
  const job = await (await fetch(`${server!.url}/v1/collections/demo/documents/kiln.txt`, note)).json();
  let state = job;
  while (!/done|failed/.test(state.state)) {
    await sleep(50);
    state = await (await fetch(`${server!.url}/v1/jobs/${job.id}`)).json();
  }
  // Another index than the one that is calibrated: the old one goes on.
  expect(state).toMatchObject({ state: 'done', served: false });
  expect((await decision()).guarantee.status).toBe('CALIBRATED');
  expect(await problem(put(artifact()))).toEqual([422, 'CALIBRATION_MISMATCH']);
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect(readdirSync(path.dirname(file)).sort()).toEqual(['c.json', 'index']);
});

it('is not taken where none is kept', async () => {
  await serve();
  expect(await problem(put(artifact()))).toEqual([403, 'NOT_PERMITTED']);
  await server!.close();
  await serve('--writable');
  expect(await problem(put(artifact()))).toEqual([403, 'NOT_PERMITTED']);
  expect(existsSync(file)).toBe(false);
});
