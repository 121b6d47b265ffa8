import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, mkdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { codeHash } from '../../calibration/index.ts';
import { abortOf, messageOf, writeWholeFile } from '../../common/index.ts';
import type { Run } from './matrix.ts';

export interface ExecuteOptions {
  /** Folder of the public data sets. */
  data: string;
  /** Folder in which every run keeps what it did. */
  folder: string;
  /** Run again what has been run. */
  fresh: boolean;
  /** The program: the same one that is running, in a process of its own. */
  main: string;
  say: (line: string) => void;
  signal?: AbortSignal;
}

/** What came of a run. `earlier`: nothing that it depends on has changed since it was run, so that it was not. */
export type Outcome =
  | { kind: 'done'; result: unknown; earlier: boolean; seconds: number }
  | { kind: 'failed'; why: string }
  | { kind: 'missing'; files: string[] }
  | { kind: 'interrupted' };

interface Record {
  schema: 'pragaura.repro-run/1';
  key: string;
  commands: string[][];
  seconds: number;
}

/** Runs one command of the matrix, and those before it, unless it was run before with the same program, models and data. Never throws for what the command does. */
export async function execute(
  run: Pick<Run, 'id' | 'before' | 'command' | 'result' | 'needs'>,
  options: ExecuteOptions,
): Promise<Outcome> {
  const { data, say, signal } = options;
  const files = await missingOf(run, data);
  if (files.length > 0) return { kind: 'missing', files };
  const folder = path.resolve(options.folder, run.id);
  const out = path.join(folder, 'out');
  const shared = path.resolve(options.folder, 'shared');
  const file = path.join(
    run.result === 'stdout' ? folder : out,
    run.result === 'stdout' ? 'stdout.json' : run.result,
  );
  const commands = [...run.before, run.command].map((command) =>
    command.map((part) =>
      part.replaceAll('{data}', data).replaceAll('{out}', out).replaceAll('{shared}', shared),
    ),
  );
  const key = await keyOf(run, data);
  const before = options.fresh ? null : await earlier(folder, key, file);
  if (before !== null) {
    say(`${run.id}: as run before`);
    return before;
  }
  await mkdir(out, { recursive: true });
  // What an earlier program wrote must not pass for what this one did.
  await rm(file, { force: true });
  const started = performance.now();
  let printed = '';
  for (const command of commands) {
    if (signal?.aborted) return { kind: 'interrupted' };
    say(`${run.id}: pragaura ${command.join(' ')}`);
    const { status, output } = await child(options.main, command, signal);
    if (signal?.aborted) return { kind: 'interrupted' };
    if (status !== '0') return { kind: 'failed', why: `pragaura ${command[0]} ended with ${status}` };
    printed = output;
  }
  const seconds = (performance.now() - started) / 1_000;
  if (run.result === 'stdout') await writeWholeFile(file, printed, 'Name another folder with --out.');
  try {
    const result: unknown = JSON.parse(await readFile(file, 'utf8'));
    const record: Record = { schema: 'pragaura.repro-run/1', key, commands, seconds };
    await writeWholeFile(
      path.join(folder, 'run.json'),
      `${JSON.stringify(record)}\n`,
      'Name another folder with --out.',
    );
    return { kind: 'done', result, earlier: false, seconds };
  } catch (error) {
    return { kind: 'failed', why: `its result ${run.result} cannot be read: ${messageOf(error)}` };
  }
}

/** What an earlier call left; null where it is not there or something has changed. */
async function earlier(folder: string, key: string, file: string): Promise<Outcome | null> {
  try {
    const record = JSON.parse(await readFile(path.join(folder, 'run.json'), 'utf8')) as Record;
    if (record.key !== key) return null;
    return {
      kind: 'done',
      result: JSON.parse(await readFile(file, 'utf8')),
      earlier: true,
      seconds: record.seconds,
    };
  } catch {
    // Never run, or its files were taken away: it is run.
    return null;
  }
}

async function missingOf({ needs }: Pick<Run, 'needs'>, data: string): Promise<string[]> {
  const there = await Promise.all(
    needs.map((file) =>
      access(path.join(data, file)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return needs.filter((_, place) => !there[place]);
}

const ROOMS = [
  'common',
  'cli',
  'corpus',
  'conversation',
  'router',
  'profiles',
  'scorers',
  'calibration',
  'bench',
];
/** What was found is no part of what finds it. */
const RESULTS = /\.results\.json$/;
let program: Promise<string> | undefined;

/** Hash of the command, the program with its models, and the data files that it needs. */
async function keyOf(
  run: Pick<Run, 'before' | 'command' | 'result' | 'needs'>,
  data: string,
): Promise<string> {
  program ??= Promise.all([
    codeHash(undefined, undefined, ROOMS, RESULTS),
    readFile(createRequire(import.meta.url).resolve('#models/models.lock.json'), 'utf8'),
  ]).then((parts) => parts.join('\0'));
  const hash = createHash('sha256').update(
    JSON.stringify([run.before, run.command, run.result, await program]),
  );
  for (const file of run.needs) {
    hash.update(`\0${file}\0`);
    await pipeline(createReadStream(path.join(data, file)), async (chunks) => {
      for await (const chunk of chunks) hash.update(chunk as Buffer);
    });
  }
  return hash.digest('hex');
}

/** In a process group of its own: an interruption reaches it through here, and once. */
async function child(
  main: string,
  command: readonly string[],
  signal: AbortSignal | undefined,
): Promise<{ status: string; output: string }> {
  const started = spawn(process.execPath, [main, ...command], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const chunks: Buffer[] = [];
  started.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const stop = () => started.kill('SIGINT');
  const abort = signal && abortOf(signal);
  signal?.addEventListener('abort', stop);
  abort?.addEventListener('abort', stop);
  try {
    const status = await new Promise<string>((resolve) => {
      started.once('error', (error) => resolve(messageOf(error)));
      started.once('close', (code, by) => resolve(by ?? String(code)));
    });
    return { status, output: Buffer.concat(chunks).toString('utf8') };
  } finally {
    signal?.removeEventListener('abort', stop);
    abort?.removeEventListener('abort', stop);
  }
}
