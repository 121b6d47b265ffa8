/** Requests that do not fit, made from the OpenAPI file by schemathesis. */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PragauraError } from '../../common/index.ts';
import { type Metrics, metricsOf, type Watched, watchServer, withServe } from './server-process.ts';

export interface MalformedReport {
  /** As it names itself. */
  fuzzer: string;
  /** That the server answered, by status. */
  statuses: Record<string, number>;
  /** The server answered after the last of them, and had not ended meanwhile. */
  alive: boolean;
  /** The fuzzer found nothing wrong. */
  clean: boolean;
  seconds: number;
  memory: Watched;
}

/** Paths of the contract that take something. */
const OPERATIONS = 20;

/** It knows no lines of JSON: any text is sent in their place. */
const HOOKS = 'import schemathesis\n\nschemathesis.serializer.alias("application/x-ndjson", "text/plain")\n';

/** Throws NOT_FOUND where `command` cannot be started. */
export async function checkFuzzer(command: string): Promise<string> {
  const { code, output } = await run(command, '.', ['--version']);
  if (code === 0) return output.trim();
  throw new PragauraError(
    'NOT_FOUND',
    `${command} --version ended with ${code}: ${output.slice(0, 200)}`,
    INSTALL,
  );
}

const INSTALL = {
  hint: 'Install it (python3 -m venv fuzz && fuzz/bin/pip install schemathesis) and name it with --schemathesis.',
};

/** About so many requests, as the fuzzer divides them, to a server over a copy of the index, which takes documents too. */
export async function measureMalformed(
  index: string,
  command: string,
  requests: number,
): Promise<MalformedReport> {
  const fuzzer = await checkFuzzer(command);
  const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-malformed-'));
  const own = path.join(folder, 'index');
  cpSync(index, own, { recursive: true });
  // Names of collections that are none are refused before anything else is looked at.
  const settings = 'hooks = "hooks.py"\n\n[parameters]\n"path.collection" = "bench"\n';
  writeFileSync(path.join(folder, 'schemathesis.toml'), settings);
  writeFileSync(path.join(folder, 'hooks.py'), HOOKS);
  return withServe(own, ['--writable'], async ({ url, process: server }) => {
    const before = answeredIn(await metricsOf(url));
    const stop = await watchServer(url);
    const began = performance.now();
    const { code, output } = await run(command, folder, [
      ...['run', `${url}/openapi.json`, '--mode', 'negative', '--phases', 'coverage,fuzzing'],
      ...['--checks', 'not_a_server_error', '--continue-on-failure', '--no-shrink', '--seed', '1'],
      ...['--max-examples', String(Math.ceil(requests / OPERATIONS)), '--suppress-health-check', 'all'],
      // Threads of the fuzzer come into each other's way on some versions of Python.
      ...['--request-timeout', '60', '--workers', '1'],
    ]);
    const seconds = (performance.now() - began) / 1_000;
    if (code !== 0) process.stderr.write(output);
    const statuses = less(answeredIn(await metricsOf(url)), before);
    return { fuzzer, statuses, alive: !server.ended, clean: code === 0, seconds, memory: await stop() };
  }).finally(() => rmSync(folder, { recursive: true, force: true }));
}

/** What was answered, by status; of what we look at ourselves nothing. */
function answeredIn(metrics: Metrics): Record<string, number> {
  const statuses: Record<string, number> = {};
  for (const [series, value] of metrics) {
    if (!series.startsWith('pragaura_http_request_seconds_count') || series.includes('route="/metrics"'))
      continue;
    const status = /status="(\d+)"/.exec(series)?.[1];
    if (status !== undefined) statuses[status] = (statuses[status] ?? 0) + value;
  }
  return statuses;
}

function less(after: Record<string, number>, before: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(after)
      .map(([status, many]): [string, number] => [status, many - (before[status] ?? 0)])
      .filter(([, many]) => many > 0),
  );
}

function run(
  command: string,
  cwd: string,
  args: readonly string[],
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    // It leaves a folder of its own where it runs.
    const program = command.includes(path.sep) ? path.resolve(command) : command;
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString('utf8');
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (cause) =>
      reject(new PragauraError('NOT_FOUND', `${command} cannot be started.`, { ...INSTALL, cause })),
    );
    child.once('close', (code) => resolve({ code, output }));
  });
}
