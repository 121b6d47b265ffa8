import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { builtFile } from './worker-process.ts';

/** The built command line as a child, which can be killed at any moment. */
export interface Program {
  readonly child: ChildProcess;
  /** The exit code, or the signal that ended it; and what it said on standard error. */
  readonly ended: Promise<{ how: number | NodeJS.Signals; said: string }>;
}

export interface ProgramOptions {
  /** The file that is its standard input. */
  input?: string;
  /** Its files can grow no larger; what it writes beyond that fails, in the middle of a line as well. */
  kilobytes?: number;
}

export function startProgram(args: readonly string[], { input, kilobytes }: ProgramOptions = {}): Program {
  const command = [process.execPath, builtFile('main.js'), ...args];
  const shell = ['bash', '-c', `ulimit -f ${kilobytes}; exec "$@"`, 'bash', ...command];
  const [file, ...rest] = kilobytes === undefined ? command : shell;
  const stdin = input === undefined ? null : openSync(input, 'r');
  const child = spawn(file!, rest, { stdio: [stdin ?? 'ignore', 'ignore', 'pipe'] });
  if (stdin !== null) closeSync(stdin);
  let said = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000);
  });
  const ended = new Promise<{ how: number | NodeJS.Signals; said: string }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ how: signal ?? code!, said }));
  });
  return { child, ended };
}
