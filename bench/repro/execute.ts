import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { codeHash } from '../../calibration/index.ts';
import { abortOf, messageOf, writeWholeFile } from '../../common/index.ts';
import { hashOfFile } from './data-sets.ts';
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
  /** sha256 of each data file whose terms are known: a file of another content is not used. Left out: any is. */
  known?: ReadonlyMap<string, string>;
  say: (line: string) => void;
  signal?: AbortSignal;
}

/**
 * What came of a run. `earlier`: nothing that it depends on has changed since it was run, so that it was not. `data`:
 * sha256 of the files that it needs. `foreign`: these files are not those whose terms are known. `killed`: a signal that
 * nobody here sent ended it, as the system does where memory runs out, so that nothing is known of its figures.
 */
export type Outcome =
  | { kind: 'done'; result: unknown; earlier: boolean; seconds: number; data: Record<string, string> }
  | { kind: 'failed'; why: string }
  | { kind: 'missing' | 'foreign'; files: string[] }
  | { kind: 'killed'; why: string }
  | { kind: 'interrupted' };

/** Why there are no figures of it; null where there are. */
export function gapOf(outcome: Outcome): string | null {
  switch (outcome.kind) {
    case 'done':
      return null;
    case 'missing':
      return `no ${outcome.files.join(', ')}`;
    case 'foreign':
      return `${outcome.files.join(', ')}: not the file whose terms are known, its hash is another`;
    case 'killed':
      return `${outcome.why}, as where memory runs out`;
    case 'interrupted':
      return 'stopped before it was done';
    case 'failed':
      return outcome.why;
  }
}

interface Kept {
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
  const { data, known, say, signal } = options;
  const hashes = new Map<string, string>();
  const missing: string[] = [];
  for (const file of run.needs) {
    const hash = await hashOfFile(data, file);
    if (hash === null) missing.push(file);
    else hashes.set(file, hash);
  }
  if (missing.length > 0) return { kind: 'missing', files: missing };
  const foreign = run.needs.filter((file) => known?.has(file) && known.get(file) !== hashes.get(file));
  if (foreign.length > 0) return { kind: 'foreign', files: foreign };
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
  const key = await keyOf(run, hashes);
  const before = options.fresh ? null : await earlier(folder, key, file);
  if (before !== null) {
    say(`${run.id}: as run before`);
    return { kind: 'done', ...before, earlier: true, data: Object.fromEntries(hashes) };
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
    if (status !== '0') {
      const why = `pragaura ${command[0]} ended with ${status}`;
      return { kind: status.startsWith('SIG') ? 'killed' : 'failed', why };
    }
    printed = output;
  }
  const seconds = (performance.now() - started) / 1_000;
  if (run.result === 'stdout') await writeWholeFile(file, printed, 'Name another folder with --out.');
  try {
    const result: unknown = JSON.parse(await readFile(file, 'utf8'));
    const record: Kept = { schema: 'pragaura.repro-run/1', key, commands, seconds };
    await writeWholeFile(
      path.join(folder, 'run.json'),
      `${JSON.stringify(record)}\n`,
      'Name another folder with --out.',
    );
    return { kind: 'done', result, earlier: false, seconds, data: Object.fromEntries(hashes) };
  } catch (error) {
    return { kind: 'failed', why: `its result ${run.result} cannot be read: ${messageOf(error)}` };
  }
}

/** What an earlier call left; null where it is not there or something has changed. */
async function earlier(
  folder: string,
  key: string,
  file: string,
): Promise<{ result: unknown; seconds: number } | null> {
  const record = await recordIn(folder);
  if (record?.key !== key) return null;
  try {
    return { result: JSON.parse(await readFile(file, 'utf8')), seconds: record.seconds };
  } catch {
    // Its files were taken away: it is run.
    return null;
  }
}

/** Seconds that a run took here when it last came to its end, with whatever program; null where it never did. */
export async function secondsOf(id: string, options: Pick<ExecuteOptions, 'folder'>): Promise<number | null> {
  return (await recordIn(path.resolve(options.folder, id)))?.seconds ?? null;
}

async function recordIn(folder: string): Promise<Kept | null> {
  try {
    return JSON.parse(await readFile(path.join(folder, 'run.json'), 'utf8')) as Kept;
  } catch {
    // Never run.
    return null;
  }
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
  run: Pick<Run, 'before' | 'command' | 'result'>,
  data: ReadonlyMap<string, string>,
): Promise<string> {
  program ??= Promise.all([
    codeHash(undefined, undefined, ROOMS, RESULTS),
    readFile(createRequire(import.meta.url).resolve('#models/models.lock.json'), 'utf8'),
  ]).then((parts) => parts.join('\0'));
  return createHash('sha256')
    .update(JSON.stringify([run.before, run.command, run.result, await program, [...data]]))
    .digest('hex');
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
