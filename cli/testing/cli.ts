/** Runs the built command line as its users do. Tests only; `npm test` builds first. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { CommandLine } from '../../command-line.ts';
import { OTHERWISE } from '../../scorers/runtime/open.ts';

/** TEST_DIST: another build than the one in `dist`, as an absolute path inside the package. */
const dist = process.env.TEST_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url));

export const MAIN = join(dist, 'main.js');

export interface Finished {
  code: number | null;
  stdout: string;
  /** Without the line on an old processor, which hangs on where this runs. */
  stderr: string;
}

const withoutProcessor = (text: string): string =>
  text
    .split(/(?<=\n)/)
    .filter((line) => !line.includes(OTHERWISE.unfused))
    .join('');

export interface CliOptions {
  input?: string | Uint8Array;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

function environment(given: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { PRAGAURA_DEBUG: _, NO_COLOR: __, FORCE_COLOR: ___, ...env } = process.env;
  // Models are loaded once a thread.
  return { PRAGAURA_THREADS: '1', ...env, ...given };
}

/** Output of a child as it comes and how it ended. */
export class Child {
  readonly process: ChildProcessWithoutNullStreams;
  readonly finished: Promise<Finished>;
  stdout = '';
  stderr = '';
  #watchers: (() => void)[] = [];

  constructor(command: string, args: readonly string[], options: Omit<CliOptions, 'input'> = {}) {
    this.process = spawn(command, args, { cwd: options.cwd, env: environment(options.env) });
    // A child that ends before it has read everything is what some tests are about.
    this.process.stdin.on('error', () => {});
    this.process.stdout.setEncoding('utf8').on('data', (text) => {
      this.stdout += text;
      this.#look();
    });
    this.process.stderr.setEncoding('utf8').on('data', (text) => {
      this.stderr += text;
      this.#look();
    });
    this.finished = new Promise((resolve, reject) => {
      this.process.on('error', reject);
      this.process.on('close', (code) => {
        this.#look();
        resolve({ code, stdout: this.stdout, stderr: withoutProcessor(this.stderr) });
      });
    });
  }

  /** Resolves as soon as the output so far is as wanted; rejects when the child ends before that. */
  async until(wanted: (child: Child) => boolean): Promise<void> {
    const seen = new Promise<void>((resolve) => {
      const watch = () => {
        if (wanted(this)) resolve();
      };
      this.#watchers.push(watch);
      watch();
    });
    const ended = this.finished.then(({ code, stderr }) => {
      if (!wanted(this)) throw new Error(`ended with ${code} before that: ${stderr}`);
    });
    await Promise.race([seen, ended]);
  }

  #look(): void {
    for (const watch of this.#watchers) watch();
  }
}

export function startCli(args: readonly string[], options: Omit<CliOptions, 'input'> = {}): Child {
  return new Child(process.execPath, [MAIN, ...args], options);
}

export function runCli(args: readonly string[], options: CliOptions = {}): Promise<Finished> {
  const child = startCli(args, options);
  child.process.stdin.end(options.input ?? '');
  return child.finished;
}

let lastRun: Promise<unknown> = Promise.resolve();

/**
 * What `runCli` gives, from a command line that is run in this process, after those before it: programs and packages are
 * read already. For what needs no process of its own: signals, pipes that close, crashes and the like do.
 */
export function runHere(args: readonly string[], options: CliOptions = {}): Promise<Finished> {
  const run = lastRun.then(() => ranHere(args, options));
  lastRun = run.catch(() => {});
  return run;
}

async function ranHere(args: readonly string[], { input = '', cwd, env }: CliOptions): Promise<Finished> {
  const { commandLine } = (await import(pathToFileURL(join(dist, 'command-line.js')).href)) as {
    commandLine(args: readonly string[]): Promise<CommandLine>;
  };
  const stdin = new PassThrough();
  const [stdout, stderr] = [new Kept(), new Kept()];
  const before = {
    streams: ['stdin', 'stdout', 'stderr'].map(
      (name) => [name, Object.getOwnPropertyDescriptor(process, name)!] as const,
    ),
    env: process.env,
    cwd: process.cwd(),
    exitCode: process.exitCode,
  };
  for (const [name, value] of Object.entries({ stdin, stdout, stderr }))
    Object.defineProperty(process, name, { value, configurable: true, enumerable: true });
  process.env = environment(env);
  process.exitCode = undefined;
  try {
    if (cwd !== undefined) process.chdir(cwd);
    stdin.end(input);
    const line = await commandLine(args);
    const failed = await line.run().then(
      () => null,
      (error: unknown) => line.report(error),
    );
    const code = failed ?? Number(process.exitCode ?? 0);
    return { code, stdout: stdout.text, stderr: withoutProcessor(stderr.text) };
  } finally {
    for (const [name, own] of before.streams) Object.defineProperty(process, name, own);
    process.env = before.env;
    process.chdir(before.cwd);
    process.exitCode = before.exitCode;
  }
}

/** A stream that keeps what is written to it. */
class Kept extends Writable {
  readonly #parts: Buffer[] = [];

  override _write(part: Buffer, _: BufferEncoding, done: () => void): void {
    this.#parts.push(part);
    done();
  }

  get text(): string {
    return Buffer.concat(this.#parts).toString('utf8');
  }
}

/** A line for bash; `$PRAGAURA` stands for the command. The exit code is that of the last command or `exit`. */
export function runShell(line: string, options: CliOptions = {}): Promise<Finished> {
  const env = { ...options.env, PRAGAURA: `${process.execPath} ${MAIN}` };
  const child = new Child('bash', ['-c', line], { ...options, env });
  child.process.stdin.end(options.input ?? '');
  return child.finished;
}

/** The records of an NDJSON output; throws when a line is no JSON or the last has no newline. */
export function recordsOf<T = Record<string, unknown>>(stdout: string): T[] {
  const lines = stdout.split('\n');
  if (lines.pop() !== '') throw new Error('the last line has no newline');
  return lines.map((line) => JSON.parse(line) as T);
}
