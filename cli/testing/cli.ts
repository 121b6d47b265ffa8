/** Runs the built command line as its users do. Tests only; `npm test` builds first. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

/** Output of a child as it comes and how it ended. */
export class Child {
  readonly process: ChildProcessWithoutNullStreams;
  readonly finished: Promise<Finished>;
  stdout = '';
  stderr = '';
  #watchers: (() => void)[] = [];

  constructor(command: string, args: readonly string[], options: Omit<CliOptions, 'input'> = {}) {
    const { PRAGAURA_DEBUG: _, NO_COLOR: __, FORCE_COLOR: ___, ...env } = process.env;
    // Models are loaded once a thread.
    const own = { PRAGAURA_THREADS: '1', ...env, ...options.env };
    this.process = spawn(command, args, { cwd: options.cwd, env: own });
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
